"""Frames on standard input: YUV4MPEG2 of any colours comes as its grey; anything else is refused in one line."""

import os
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from deadline import within
from frame_sources import all_frames
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import CameraError, EdgeError, RecordingError
from edge_lpdpl.live.frames.frame import EndOfFrames
from edge_lpdpl.live.frames.stream import StreamedFrames

pytestmark = pytest.mark.slow

CHROMA = {"mono": [], "420": [(2, 2)] * 2, "420jpeg": [(2, 2)] * 2, "411": [(1, 4)] * 2, "422": [(1, 2)] * 2}
CHROMA |= {"444": [(1, 1)] * 2, "444alpha": [(1, 1)] * 3}
"""For each further plane, how many pixels share a sample: down and across."""


def video(frames, colours="mono", header=b"", frame_header=b""):
    """Grey frames as YUV4MPEG2; all other planes hold 77."""
    height, width = frames[0].shape
    data = b"YUV4MPEG2 W%d H%d C%s%s\n" % (width, height, colours.encode(), header)
    for frame in frames:
        planes = [np.full(-(-height // down) * -(-width // across), 77, np.uint8) for down, across in CHROMA[colours]]
        data += b"FRAME" + frame_header + b"\n" + frame.tobytes() + b"".join(plane.tobytes() for plane in planes)
    return data


@contextmanager
def bytes_of(data):
    """A descriptor from which `data` can be read."""
    descriptor = os.memfd_create("video")
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def pipe(*pieces, pause=0.0, keep=False):
    """A pipe into which the pieces are written one after the other; kept open at the end or not."""
    reading, writing = os.pipe()

    def write():
        for piece in pieces:
            while piece:
                piece = piece[os.write(writing, piece) :]
            time.sleep(pause)
        if not keep:
            os.close(writing)

    threading.Thread(target=write, daemon=True).start()
    yield reading
    os.close(reading)
    if keep:
        os.close(writing)


def frames_of(data, **options):
    with bytes_of(data) as descriptor:
        return all_frames(StreamedFrames(descriptor, paced=False, **options))


def outcome_of(data):
    """Frames, and the error if there is one."""
    try:
        return frames_of(data), ""
    except EdgeError as error:
        return [], str(error)


def take_until_one_comes(frames):
    while (frame := frames.take()) is None:
        pass
    return frame


def noise(height, width, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width), np.uint8)


@given(st.integers(16, 40), st.integers(16, 40), st.integers(1, 4), st.sampled_from(sorted(CHROMA)))
def test_frames_of_any_size_and_colours_come_as_their_grey(height, width, count, colours):
    sent = [noise(height, width, seed) for seed in range(count)]
    taken = frames_of(video(sent, colours, b" F30:1 Ip A1:1 XYSCSS=x", b" Ip"))
    assert [frame.sequence for frame in taken] == list(range(count))
    assert all(np.array_equal(frame.grey, grey) for frame, grey in zip(taken, sent, strict=True))
    assert {frame.file for frame in taken} == {None}


@given(st.binary(max_size=300) | st.binary(max_size=300).map(lambda rest: b"YUV4MPEG2 W16 H16 Cmono\n" + rest))
def test_any_bytes_are_frames_or_refused_in_one_line(data):
    taken, fault = outcome_of(data)
    assert len(taken) <= 1
    assert fault.startswith("standard input: ") or not fault
    assert "\n" not in fault


@given(st.data())
def test_a_damaged_stream_is_frames_or_refused(data):
    whole = bytearray(video([noise(16, 16)] * 2, "420", b" F30:1"))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    with within(10):
        _, fault = outcome_of(bytes(whole))
    assert fault.startswith("standard input: ") or not fault


@given(st.lists(st.integers(1, 200), max_size=20))
def test_pieces_of_any_size_make_the_same_frames(sizes):
    sent = [noise(16, 16, seed) for seed in range(3)]
    data, pieces = video(sent, "444"), []
    for size in sizes:
        pieces.append(data[:size])
        data = data[size:]
    with pipe(*pieces, data) as descriptor:
        taken = all_frames(StreamedFrames(descriptor, paced=False))
    assert [frame.grey.tobytes() for frame in taken] == [grey.tobytes() for grey in sent]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "ends before a video begins; look at what the sender says"),
        (b"YUV4MPEG2 W16", "ends before a video begins"),
        (b"\x89PNG\r\n" + bytes(500), "is no YUV4MPEG2; send it with ffmpeg -i INPUT"),
        (bytes(500), "is no YUV4MPEG2"),
        (b"YUV4MPEG2\n", "is no YUV4MPEG2"),
        (b"YUV4MPEG2 W16\n", "is no YUV4MPEG2"),
        (b"YUV4MPEG2 W16 H-9\n", "is no YUV4MPEG2"),
        (b"YUV4MPEG2 W9999999 H16\n", "is no YUV4MPEG2"),
        (b"YUV4MPEG2 W999999 H999999 Cmono\n", "has frames of 999999x999999, and 16 to 2048 a side are read; scale"),
        (b"YUV4MPEG2 W15 H16 Cmono\n", "has frames of 15x16"),
        (b"YUV4MPEG2 W16 H16 C420p10\n", "has colours '420p10', which are not read; send it with ffmpeg"),
        (b"YUV4MPEG2 W16 H16 Cmono16\n", "has colours 'mono16'"),
        (b"YUV4MPEG2 W16 H16 C\xff\x1b[2J\n", "has colours '\\xff\\x1b[2J'"),
        (b"YUV4MPEG2 W16 H16 Cmono\nFRAME\nabc", "ends in the middle of frame 0"),
        (b"YUV4MPEG2 W16 H16 Cmono\nFRA", "ends in the middle of frame 0"),
        (b"YUV4MPEG2 W16 H16 Cmono\nFRAME\n" + bytes(256) + b"FRAMES\n", "frame 1 does not begin with FRAME"),
        (b"YUV4MPEG2 W16 H16 Cmono\n" + bytes(600), "is no YUV4MPEG2"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(data, fault):
    with pytest.raises(RecordingError) as error:
        frames_of(data)
    assert str(error.value).startswith(f"standard input: {fault}")


def test_a_huge_frame_takes_no_memory_before_it_is_believed():
    with pytest.raises(RecordingError, match="2049x16"):
        frames_of(b"YUV4MPEG2 W2049 H16 Cmono\n")


def test_a_sender_that_falls_silent_is_noticed():
    data = video([noise(16, 16)])
    with pipe(data[:-5], keep=True) as descriptor, within(20):
        frames = StreamedFrames(descriptor, patience=0.5, paced=False)
        frames._deadline = time.monotonic() + 0.5  # the first frame has a minute
        with pytest.raises(CameraError, match=r"gives no frame for 60 s; look at what the sender says"):
            take_until_one_comes(frames)
    assert frames.timeouts >= 2
    with pipe(data, keep=True) as descriptor, within(20):
        frames = StreamedFrames(descriptor, patience=0.3, paced=False)
        assert frames.take() is not None
        with pytest.raises(CameraError, match=r"gives no frame for 0.3 s"):
            take_until_one_comes(frames)


def test_no_call_waits_long():
    with pipe(video([noise(16, 16)])[:-5], keep=True) as descriptor:
        frames = StreamedFrames(descriptor)
        start = time.monotonic()
        assert frames.take() is None
        assert time.monotonic() - start < 2


def test_a_file_takes_as_long_as_it_is_unless_told_otherwise():
    data = video([noise(16, 16)] * 11, header=b" F20:1")
    with bytes_of(data) as descriptor:
        start = time.monotonic()
        assert len(all_frames(StreamedFrames(descriptor))) == 11
        assert time.monotonic() - start > 0.45  # of 0.5 s
    start = time.monotonic()
    assert len(frames_of(data)) == 11
    assert time.monotonic() - start < 0.4


@pytest.mark.parametrize("rate", [b" F1:999999", b" F1:61", b" F999999:1", b" F1001:1"])
def test_a_rate_at_which_nobody_reads_is_refused(rate):
    """A file of it would take days, or be over before anything is still."""
    fault = "one in 60 s to 1000 a second are read; set it: ffmpeg -r 25 -i"
    data = video([np.zeros((16, 16), np.uint8)], header=rate)
    with bytes_of(data) as descriptor, pytest.raises(RecordingError, match=fault):
        StreamedFrames(descriptor)


def test_a_video_without_a_frame_is_refused():
    fault, data = "is a video without a frame; look at what the sender says", b"YUV4MPEG2 W64 H64 F25:1 Cmono\n"
    with bytes_of(data) as descriptor, pytest.raises(RecordingError, match=fault):
        StreamedFrames(descriptor).take()


@pytest.mark.parametrize("rate", [b"", b" F0:0", b" F0:1", b" F30", b" Fx:y"])
def test_a_rate_that_says_nothing_is_no_pace(rate):
    with bytes_of(video([noise(16, 16)] * 3, header=rate)) as descriptor:
        assert len(all_frames(StreamedFrames(descriptor))) == 3


@pytest.mark.parametrize(("header", "least_ns"), [(b" F2:1", 500_000_000), (b" F0:0", 40_000_000)])
def test_frames_that_come_at_once_are_as_far_apart_as_they_were(header, least_ns):
    frames = frames_of(video([np.zeros((16, 16), np.uint8)] * 3, header=header))
    first, second, third = (frame.exposed_ns for frame in frames)
    assert min(second - first, third - second) >= least_ns


def test_a_terminal_is_told_what_to_send():
    master, slave = os.openpty()
    with pytest.raises(RecordingError, match=r"is a terminal; send a video: ffmpeg -i INPUT .* \| edge-lpdpl run"):
        StreamedFrames(slave)
    os.close(master)
    os.close(slave)


def test_a_frame_stays_as_it_is_while_the_next_one_comes():
    first, second = noise(16, 16, 1), noise(16, 16, 2)
    data = video([first, second])
    with pipe(data[:-5], keep=True) as descriptor:
        frames = StreamedFrames(descriptor, paced=False)
        taken = frames.take()
        assert frames.take() is None
        assert np.array_equal(taken.grey, first)


def test_the_end_stays_the_end():
    with bytes_of(video([noise(16, 16)])) as descriptor:
        frames = StreamedFrames(descriptor, paced=False)
        assert frames.take() is not None
        for _ in range(2):
            with pytest.raises(EndOfFrames):
                frames.take()
