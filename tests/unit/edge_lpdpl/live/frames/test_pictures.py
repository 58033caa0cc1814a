"""Frames from picture files."""

import os
import shutil
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from frame_sources import all_frames, source
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from edge_lpdpl.errors import CameraError
from edge_lpdpl.files.pictures import read_large_picture
from edge_lpdpl.live.frames import pictures as module
from edge_lpdpl.live.frames.pictures import fit_picture
from edge_lpdpl.live.triggers.watching import ChangeTrigger


def test_each_picture_of_a_folder_is_shown_for_a_while_in_the_order_of_names(pictures):
    frames = all_frames(source(pictures))
    assert [int(frame.grey[0, 0]) for frame in frames] == [10, 10, 200, 200, 90, 90]
    assert [frame.sequence for frame in frames] == list(range(6))


def test_pictures_may_be_shown_again_and_again(pictures):
    assert len(all_frames(source(pictures, repeat=True), limit=50)) == 50


def test_pictures_keep_their_pace(pictures):
    frames = source(pictures / "a.png", rate=100, picture_ms=300, unpaced=False)
    start = time.monotonic()
    assert len(all_frames(frames)) == 30
    assert time.monotonic() - start >= 0.29


def test_unpaced_pictures_are_as_far_apart_as_at_their_pace(pictures):
    start = time.monotonic()
    times = [frame.exposed_ns for frame in all_frames(source(pictures, rate=2, picture_ms=1000))]
    assert time.monotonic() - start < 2
    assert all(later - earlier >= 500_000_000 for earlier, later in pairwise(times))


def test_an_unpaced_picture_is_still_for_a_trigger(pictures):
    trigger = ChangeTrigger(sensitivity=4, still_ms=300)
    assert any(trigger.wants(frame) for frame in all_frames(source(pictures, rate=10, picture_ms=500)))


def test_a_picture_that_cannot_be_used_is_complained_of_and_left_out(pictures):
    (pictures / "aa.png").write_bytes(b"no picture")
    complaints = []
    frames = all_frames(source(pictures, complaints.append, repeat=True), limit=12)
    assert [int(frame.grey[0, 0]) for frame in frames] == 2 * [10, 10, 200, 200, 90, 90]
    assert len(complaints) == 2
    assert all(one.startswith(f"{pictures / 'aa.png'}: is no picture") for one in complaints)


def test_a_picture_that_comes_back_is_shown_again(pictures):
    frames = source(pictures, repeat=True)
    first = [int(frames.take().grey[0, 0]) for _ in range(6)]
    moved = (pictures / "b.jpg").rename(pictures / "away")
    second = [int(frames.take().grey[0, 0]) for _ in range(4)]
    moved.rename(pictures / "b.jpg")
    third = [int(frames.take().grey[0, 0]) for _ in range(6)]
    assert (first, second, third) == ([10, 10, 200, 200, 90, 90], [10, 10, 90, 90], [10, 10, 200, 200, 90, 90])


def test_where_no_picture_is_left_the_source_has_failed(pictures):
    frames = source(pictures, repeat=True)
    for _ in range(6):
        frames.take()
    shutil.rmtree(pictures)
    with pytest.raises(CameraError, match="3 pictures: none can be read any more; is their folder still there"):
        frames.take()


@given(arrays.arrays(np.uint8, st.tuples(st.integers(1, 90), st.integers(1, 90)), elements=st.integers(0, 255)))
def test_a_picture_fills_its_frame_and_keeps_its_shape(picture):
    frame = fit_picture(picture, 48, 64)
    assert (frame.shape, frame.dtype, frame.flags.c_contiguous) == ((48, 64), np.uint8, True)
    height, width = picture.shape
    if height <= 48 and width <= 64:
        top, left = (48 - height) // 2, (64 - width) // 2
        np.testing.assert_array_equal(frame[top : top + height, left : left + width], picture)


def test_pictures_at_one_a_second_can_be_ended_in_between(pictures):
    frames = source(pictures / "a.png", rate=1, picture_ms=1000, unpaced=False)
    start = time.monotonic()
    assert frames.take() is None
    while (frame := frames.take()) is None:
        pass
    assert (frame.sequence, time.monotonic() - start > 0.9) == (0, True)


def test_a_file_of_several_pictures_is_complained_of(tmp_path):
    frames = [Image.new("L", (64, 48), shade) for shade in (10, 200)]
    frames[0].save(tmp_path / "several.gif", save_all=True, append_images=frames[1:])
    complaints = []
    shades = {int(frame.grey[0, 0]) for frame in all_frames(source(tmp_path, complaints.append))}
    told = f"{tmp_path}/several.gif: holds several pictures, as an animation does; the first one is read"
    assert (shades, complaints) == ({10}, [told])


class TestSlowPictures:
    @pytest.fixture
    def stuck(self, monkeypatch):
        """`b` takes until the event is set; the loop waits for 10 ms at a time."""
        release = threading.Event()

        def read(path):
            assert path.stem != "b" or release.wait(30)
            return read_large_picture(path)

        monkeypatch.setattr(module, "read_large_picture", read)
        monkeypatch.setattr(module, "_SLICE", 0.01)
        yield release
        release.set()

    def test_the_loop_goes_on_meanwhile(self, pictures, stuck):
        frames = source(pictures)
        assert [int(frames.take().grey[0, 0]) for _ in range(2)] == [10, 10]
        start = time.monotonic()
        assert [frames.take() for _ in range(10)] == 10 * [None]
        assert time.monotonic() - start < 2
        stuck.set()
        assert [int(frame.grey[0, 0]) for frame in all_frames(frames)] == [200, 200, 90, 90]

    def test_what_takes_too_long_is_complained_of_and_left_out(self, pictures, stuck, monkeypatch):
        monkeypatch.setattr(module, "_PATIENCE", 0.05)
        complaints = []
        shades = [int(frame.grey[0, 0]) for frame in all_frames(source(pictures, complaints.append))]
        assert shades == [10, 10, 90, 90]
        assert complaints == [f"{next(pictures.glob('b.*'))}: takes longer than 0.05 s; scale it down"]


def test_each_frame_names_its_picture(pictures):
    (pictures / "aa.png").write_bytes(b"no picture")
    names = [frame.file for frame in all_frames(source(pictures))]
    assert names == [str(pictures / name) for name in ("a.png", "b.jpg", "c.PNG") for _ in range(2)]


def test_a_picture_whose_name_is_no_utf8_can_be_named_in_json(pictures):
    (pictures / "a.png").rename(os.fsdecode(os.fsencode(pictures) + b"/\xff.gif"))
    frame = all_frames(source(pictures / "*.gif"))[0]
    assert frame.file == f"{pictures}/\\xff.gif"
    frame.file.encode()
