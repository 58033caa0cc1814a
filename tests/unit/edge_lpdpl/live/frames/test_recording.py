"""Recordings: written by the command `record`, replayed, and read with care."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from frame_sources import all_frames, source
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from edge_lpdpl.commands.main import main
from edge_lpdpl.errors import RecordingError
from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.frames.recording import ReplayedFrames, picture_folder, recording

pytestmark = pytest.mark.slow


def record(path, count, size=(48, 64), period_ms=20):
    times = [number * period_ms * 1_000_000 for number in range(count)]
    frames = [Frame(np.full(size, number % 256, np.uint8), number, time) for number, time in enumerate(times)]
    with recording(path, *size) as append:
        for frame in frames:
            append(frame)
    return frames


def test_what_was_recorded_is_replayed(tmp_path):
    path = tmp_path / "a.npy"
    recorded = record(path, 5)
    replayed = all_frames(source(path))
    for frame, again in zip(recorded, replayed, strict=True):
        np.testing.assert_array_equal(frame.grey, again.grey)
        assert again.age_ms() < 10_000
    whole = np.load(path)  # NumPy can read the file
    assert whole["sequence"].tolist() == [0, 1, 2, 3, 4]
    assert whole["grey"].shape == (5, 48, 64)
    assert len(all_frames(source(path, repeat=True), limit=50)) == 50


def test_a_replay_keeps_the_pace_of_the_recording(tmp_path):
    record(tmp_path / "a.npy", 11)
    start = time.monotonic()
    assert len(all_frames(ReplayedFrames(tmp_path / "a.npy"))) == 11
    assert time.monotonic() - start >= 0.19


def test_an_unpaced_replay_is_as_long_to_a_trigger(tmp_path):
    path = tmp_path / "a.npy"
    record(path, 3, period_ms=900)
    first, second, third = (frame.exposed_ns for frame in all_frames(ReplayedFrames(path, paced=False)))
    assert min(second - first, third - second) >= 900_000_000


def test_a_long_pause_can_be_ended_and_loses_no_frame(tmp_path):
    record(tmp_path / "a.npy", 3, period_ms=500)
    frames, taken, breaks = ReplayedFrames(tmp_path / "a.npy", repeat=True), [], 0
    start = time.monotonic()
    while len(taken) < 5:
        if (frame := frames.take()) is None:
            breaks += 1  # the caller can check whether it is to stop
        else:
            taken.append((frame.sequence, int(frame.grey[0, 0])))
    assert taken == [(0, 0), (1, 1), (2, 2), (3, 0), (4, 1)]
    assert time.monotonic() - start > 1.45
    assert breaks > 0


def test_the_command_records_what_the_service_would_take(pictures, capsys):
    path = pictures / "out.npy"
    arguments = ["--frames", str(pictures), "--set", "frames.unpaced=true", "--set", "frames.picture_ms=100"]
    assert main(["record", str(path), "--count", "2", "--json", *arguments]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(path), "frames": 2}
    assert ReplayedFrames(path).take().grey.shape == (480, 640)
    assert main(["record", str(pictures / "out.mp4"), *arguments]) == 2


def test_the_command_does_not_record_over_the_recording_that_it_replays(tmp_path, capsys):
    record(path := tmp_path / "a.npy", 3)
    before = path.read_bytes()
    assert main(["record", str(path), "--frames", str(path), "--count", "1"]) == 2
    assert capsys.readouterr().err == f"edge-lpdpl: {path}: belongs to {path}, which is read; name another place\n"
    assert path.read_bytes() == before


def test_a_folder_is_a_recording_of_pictures(pictures, tmp_path, capsys):
    path = tmp_path / "taken"
    arguments = ["--frames", str(pictures), "--set", "frames.unpaced=true", "--set", "frames.picture_ms=100"]
    assert main(["record", str(path), "--count", "4", "--json", *arguments]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(path), "frames": 4}
    assert [one.name for one in sorted(path.iterdir())] == [f"00000{number}.png" for number in range(4)]
    original = all_frames(source(pictures, width=640, height=480, rate=30, picture_ms=100))
    for one, frame in zip(sorted(path.iterdir()), original, strict=False):
        assert np.array_equal(np.asarray(Image.open(one)), frame.grey)
    assert main(["run", "--frames", str(path), "--set", "frames.unpaced=true", "--set", "publish.socket="]) == 0


@pytest.mark.parametrize("name", ["taken.npy", "taken"])
def test_nothing_is_overwritten(name, pictures, tmp_path, capsys):
    path = tmp_path / name
    path.write_bytes(b"mine")
    assert main(["record", str(path), "--frames", str(pictures), "--count", "1"]) == 2
    assert capsys.readouterr().err == f"edge-lpdpl: {path}: exists, and is not overwritten; name another one\n"
    assert path.read_bytes() == b"mine"


def test_a_folder_with_something_in_it_is_not_added_to(pictures, tmp_path, capsys):
    assert main(["record", str(pictures), "--frames", str(pictures), "--count", "1"]) == 2
    assert "exists, and is not overwritten" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["record", str(tmp_path / "empty"), "--frames", str(pictures / "a.png"), "--count", "1"]) == 0


def test_a_picture_that_cannot_be_written_is_not_there(tmp_path, monkeypatch):
    def fill(path, data):
        path.touch()
        raise OSError(28, "No space left on device")

    frame = Frame(np.zeros((16, 16), np.uint8), 0, 0)
    with picture_folder(tmp_path / "x") as append:
        append(frame)
        monkeypatch.setattr(Path, "write_bytes", fill)
        with pytest.raises(RecordingError, match=r"000001.png: cannot be written \(No space left"):
            append(frame)
    assert [one.name for one in (tmp_path / "x").iterdir()] == ["000000.png"]


def test_a_recording_holds_what_there_was_where_the_frames_end_before(pictures, capsys):
    path = pictures / "out.npy"
    arguments = ["--frames", str(pictures), "--set", "frames.unpaced=true", "--set", "frames.picture_ms=100"]
    assert main(["record", str(path), "--count", "999", *arguments]) == 0
    assert capsys.readouterr().out == f"9 frames in {path}\n"
    assert len(all_frames(ReplayedFrames(path, paced=False))) == 9


def test_an_interrupted_recording_is_no_file(tmp_path):
    with pytest.raises(KeyboardInterrupt), recording(tmp_path / "a.npy", 48, 64):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RecordingError, match="cannot be written"), recording(tmp_path / "none" / "a.npy", 48, 64):
        pass


def test_a_recording_takes_the_place_of_no_pipe_or_device(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RecordingError, match="no ordinary file"), recording(tmp_path / "pipe", 48, 64):
        pass
    assert (tmp_path / "pipe").is_fifo()


@contextmanager
def being_recorded(folder, count, *before):
    """A process that records a picture, after it has begun its file. It has ended when the block ends."""
    Image.new("L", (64, 64)).save(folder / "a.png")
    code = "import sys; from edge_lpdpl.commands.main import main; sys.exit(main())"
    told = ["env", "--default-signal=HUP", *before]  # the tests themselves may run under nohup
    command = [*told, sys.executable, "-c", code, "record", str(folder / "a.npy"), "--count", str(count)]
    command += ["--frames", str(folder / "a.png"), "--set", "frames.repeat=true"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as started:
        try:
            end = time.monotonic() + 30
            while not list(folder.glob(".*.part")):
                assert time.monotonic() < end
                time.sleep(0.01)
            yield started
            started.wait(30)
        finally:
            started.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_recording_that_is_told_to_end_leaves_nothing(tmp_path, number):
    with being_recorded(tmp_path, 1_000_000) as started:
        started.send_signal(number)
    assert started.returncode == 128 + number
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_a_recording_under_nohup_outlives_its_window(tmp_path):
    with being_recorded(tmp_path, 10, "nohup") as started:
        started.send_signal(signal.SIGHUP)
    assert started.returncode == 0
    assert len(all_frames(ReplayedFrames(tmp_path / "a.npy", paced=False))) == 10


def test_what_ails_the_source_is_not_blamed_on_the_recording(tmp_path):
    record(tmp_path / "source.npy", 2, size=(512, 512))  # more than is read ahead of time
    frames = ReplayedFrames(tmp_path / "source.npy")
    nowhere = os.open("/proc/self/mem", os.O_RDONLY)  # no memory is mapped at 0: reading there is an input/output error
    os.dup2(nowhere, frames._file.fileno())
    os.close(nowhere)
    told = pytest.raises(OSError, match=r"Input/output error: 'recording .*source.npy'")
    with told, recording(tmp_path / "a.npy", 512, 512):
        frames.take()
    assert [path.name for path in tmp_path.iterdir()] == ["source.npy"]


@pytest.mark.parametrize("size", [(16, 64), (1024, 1024)], ids=["at its end", "meanwhile"])
def test_a_recording_without_room_is_blamed_and_no_file(tmp_path, size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, before[1]))
    try:
        with pytest.raises(RecordingError, match=r"a.npy: cannot be written \(File too large\)"):
            record(tmp_path / "a.npy", 1, size)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def hostile(tmp_path, name):
    good = tmp_path / "good.npy"
    record(good, 3)
    data = good.read_bytes()
    kinds = {
        "empty": b"",
        "text": b"hello",
        "cut off": data[:-100],
        "no header": data[:40],
        "too many": data.replace(b"(3,)", b"(9,)"),
        "negative": data.replace(b"(3,)", b"(-3,"),
        "huge": data.replace(b"(48, 64)", b"(9999999, 9999999)"),
    }
    path = tmp_path / "bad.npy"
    path.write_bytes(kinds[name])
    return path


@pytest.mark.parametrize("name", ["empty", "text", "cut off", "no header", "too many", "negative", "huge"])
def test_what_is_no_recording_is_refused(tmp_path, name):
    path = hostile(tmp_path, name)
    with pytest.raises(RecordingError, match=r"bad.npy: is (no recording of|cut off)"):
        ReplayedFrames(path)


def test_arrays_of_other_kinds_are_no_recordings(tmp_path):
    for array in (np.zeros((3, 48, 64), np.uint8), np.zeros(3), np.array([{"a": 1}], object)):
        np.save(tmp_path / "a.npy", array, allow_pickle=True)
        with pytest.raises(RecordingError, match="is no recording"):
            ReplayedFrames(tmp_path / "a.npy")
    with pytest.raises(RecordingError, match="cannot be opened"):
        ReplayedFrames(tmp_path / "none.npy")


def test_a_recording_that_shrinks_while_it_is_replayed_is_an_error_and_no_crash(tmp_path):
    path = tmp_path / "a.npy"
    record(path, 400)
    frames = ReplayedFrames(path, paced=False)
    frames.take()
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(RecordingError, match="ends in the middle of frame"):
        all_frames(frames, 400)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_recording_or_an_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + data)
    with pytest.raises(RecordingError):
        ReplayedFrames(path)


@pytest.mark.parametrize("count", ["0", "1000001", "00000000100000000000000", "many"])
def test_a_count_that_is_none_is_refused(count, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["record", str(tmp_path / "frames.npy"), "--count", count])
    assert ended.value.code == 2
    assert "is not a number from 1 to 1000000" in capsys.readouterr().err
