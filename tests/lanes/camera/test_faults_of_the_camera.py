"""Every camera fault gives its message; nothing hangs, and nothing is left behind."""

import random
import time
from contextlib import closing

import pytest
from camera_config import next_frame, open_camera
from libcamera_model import Camera, Heap, connect, unplug_all
from libcamera_model.heap import buffers_in_use

from edge_lpdpl.errors import CameraError
from edge_lpdpl.live.frames import camera as camera_module


def seconds(call):
    start = time.monotonic()
    call()
    return time.monotonic() - start


def take_for_ever(frames):
    """A frame that is in transit when the camera fails still arrives."""
    while True:
        frames.take()


def test_no_camera():
    unplug_all()
    with pytest.raises(CameraError, match=r"there is no camera: check its cable.*run --frames FOLDER"):
        open_camera()


def test_no_such_camera():
    with pytest.raises(CameraError, match=r"camera 3 cannot be opened .No camera number 3 found"):
        open_camera({"number": 3})


def test_a_busy_camera_and_then_a_free_one(camera):
    camera.busy = True
    with pytest.raises(CameraError, match="camera 0 is busy: stop what uses it"):
        open_camera()
    camera.busy = False
    with closing(open_camera()) as frames:
        next_frame(frames)


def test_too_little_memory_for_the_buffers_leaves_none_of_them_behind():
    Heap.limit = 400_000
    with pytest.raises(CameraError, match=r"no memory left for the camera .*make frames smaller, or give CMA more"):
        open_camera()
    Heap.limit = None
    with closing(open_camera()) as frames:
        next_frame(frames)


def test_a_camera_that_cannot_give_this_size():
    connect(Camera(only_size=(1920, 1080)))
    with pytest.raises(CameraError, match=r"gives 1920x1080 YUV420, not 300x200 YUV420; set frames.width"):
        open_camera()


def test_a_camera_that_cannot_start(camera):
    camera.unplugged = True
    with pytest.raises(CameraError, match=r"cannot be started .*Input/output error"):
        open_camera()


def test_a_short_stall_is_counted_and_frames_go_on(camera):
    with closing(open_camera(timeout_s=5.0)) as frames:
        next_frame(frames)
        camera.stall_seconds = 0.8
        assert [frames.take() is None for _ in range(3)].count(True) == 1
        assert frames.timeouts == 1
        assert next_frame(frames).age_ms() < 200


def test_many_abandoned_waits_do_not_starve_the_camera(camera, monkeypatch):
    """Each abandoned wait that kept its frame would cost a buffer, and there are four."""
    monkeypatch.setattr(camera_module, "_WAIT", 0.05)
    with closing(open_camera(timeout_s=5.0)) as frames:
        next_frame(frames)
        for _ in range(3 * camera_module.BUFFERS):
            camera.stall_seconds = 0.12
            while frames.take() is not None:
                pass
        assert frames.timeouts >= 3 * camera_module.BUFFERS
        for _ in range(10):
            next_frame(frames)


def test_a_frame_that_comes_while_it_is_given_up_is_not_lost_for_ever(camera, monkeypatch):
    """The wait may end at any moment of a frame's transit. All buffers come back."""
    monkeypatch.setattr(camera_module, "_WAIT", 0.008)
    random.seed(0)
    with closing(open_camera(timeout_s=5.0)) as frames:
        for _ in range(150):
            camera.stall_seconds = random.uniform(0, 0.003)
            frames.take()
        assert frames.timeouts > 10
        dropped = camera.dropped
        monkeypatch.setattr(camera_module, "_WAIT", 0.5)
        for _ in range(20):
            next_frame(frames)
        assert camera.dropped - dropped < 10  # a starved camera drops every frame


def test_an_unplugged_cable_is_the_end_in_time(camera, nothing_left):
    frames = open_camera(timeout_s=0.6)
    next_frame(frames)
    camera.unplugged = True
    start = time.monotonic()
    with pytest.raises(CameraError, match=r"gives no frame for [\d.]+ s; check its cable and start again"):
        take_for_ever(frames)
    assert 0.6 <= time.monotonic() - start < 3
    assert seconds(frames.close) < 2.5
    frames.close()
    assert nothing_left()[1] <= 0


def test_an_event_loop_that_died_is_the_end_in_time_though_picamera2_hangs(camera, monkeypatch):
    monkeypatch.setattr(camera_module, "_CLOSING", 0.3)
    monkeypatch.setattr("threading.excepthook", lambda *_: None)
    frames = open_camera()
    next_frame(frames)

    def fail(request):
        raise ValueError("a callback of somebody else")

    frames._camera.post_callback = fail
    with pytest.raises(CameraError, match="gives no frame for"):
        take_for_ever(frames)
    assert seconds(frames.close) < 2


def test_opening_and_closing_leaves_nothing_behind(nothing_left):
    grown = []
    for _ in range(20):
        with closing(open_camera()) as frames:
            next_frame(frames)
        grown.append((*nothing_left(), len(buffers_in_use())))
    for first, last in zip(grown[4], grown[-1], strict=True):
        assert last <= first + 1


def test_closing_twice_is_closing_once():
    frames = open_camera()
    frames.close()
    frames.close()
