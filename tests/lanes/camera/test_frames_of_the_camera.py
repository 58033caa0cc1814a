"""Frames through the real picamera2: pixels, ages, and the requested settings."""

import time
from contextlib import closing

import numpy as np
import pytest
from camera_config import next_frame, open_camera
from libcamera_model import Camera, connect
from libcamera_model.buffers import FrameMetadata
from libcamera_model.camera import JUNK, STARTUP_FRAMES, ramp
from libcamera_model.values import Orientation

from edge_lpdpl.live.config.sections import CameraConfig


def flat(level):
    return lambda sequence, size: np.full(size[::-1], level, np.uint8)


@pytest.mark.parametrize("planar_format", ["YUV420", "NV12"])
@pytest.mark.parametrize("alignment", [64, 128])
@pytest.mark.parametrize(("width", "height"), [(300, 200), (320, 240), (322, 242)])
def test_grey_is_the_y_plane_without_its_padding(planar_format, alignment, width, height):
    connect(Camera(flat(77), alignment=alignment, planar_format=planar_format))
    with closing(open_camera(width=width, height=height)) as frames:
        grey = next_frame(frames).grey
    assert grey.shape == (height, width)
    assert grey.flags.c_contiguous
    assert set(np.unique(grey)) == {77}
    assert JUNK != 77


def test_every_pixel_is_where_it_was():
    with closing(open_camera()) as frames:
        grey = next_frame(frames).grey
        first = int(grey[0, 0])
        np.testing.assert_array_equal(grey, ramp(first, (300, 200)))
        assert first >= STARTUP_FRAMES  # frames from before the sensor settled are thrown away
        assert next_frame(frames).grey[0, 0] > first


def test_frames_are_counted_and_know_when_they_were_exposed():
    with closing(open_camera({"exposure_us": 5000})) as frames:
        for _ in range(5):  # a control takes effect two frames late
            frame = next_frame(frames)
        assert frame.sequence == 4
        assert frame.age_ms() >= 5  # the exposure itself
        assert 0 <= frame.age_ms() < 200


@pytest.mark.parametrize("hidden", [("ExposureTime",), ("ExposureTime", "SensorTimestamp")])
def test_metadata_that_other_cameras_do_not_give_are_not_needed(camera, hidden):
    camera.hidden_metadata = hidden
    with closing(open_camera()) as frames:
        assert 0 <= next_frame(frames).age_ms() < 200


def test_after_a_pause_the_frame_is_a_fresh_one(camera):
    with closing(open_camera()) as frames:
        next_frame(frames)
        time.sleep(0.3)
        asked = time.monotonic_ns()
        frame = next_frame(frames)
        assert (frame.exposed_ns - asked) / 1e9 > -0.1


def test_a_frame_with_an_error_is_passed_over(camera):
    with closing(open_camera()) as frames:
        next_frame(frames)
        camera.picture = flat(0)
        camera.next_status = FrameMetadata.Status.Error
        for _ in range(5):
            assert next_frame(frames).grey.max() in (0, 255)  # the frames before and after it
        assert frames.timeouts == 0


def test_every_frame_of_the_camera_is_given(camera):
    with closing(open_camera(rate=60)) as frames:
        next_frame(frames)
        dropped, sequences = camera.dropped, []
        for _ in range(30):
            sequences.append(int(next_frame(frames).grey[0, 0]))
        assert camera.dropped == dropped
    assert np.diff(sequences).max() <= 2  # no more than a frame is missed on a busy machine


def test_exposure_gain_rate_and_focus_are_asked_for(camera):
    with closing(open_camera({"exposure_us": 4000, "gain": 2.5, "focus": 3.0}, rate=50)) as frames:
        next_frame(frames)
        asked = camera.active
        assert (asked["ExposureTime"], asked["AnalogueGain"]) == (4000, 2.5)
        assert asked["FrameDurationLimits"] == (20_000, 20_000)
        assert (asked["AfMode"], asked["LensPosition"]) == (0, 3.0)


def test_an_exposure_longer_than_a_frame_is_cut_to_it(camera):
    with closing(open_camera({"exposure_us": 500_000}, rate=100)) as frames:
        next_frame(frames)
        assert camera.active["ExposureTime"] == 10_000


def test_exposure_can_be_changed_while_frames_come_and_given_back(camera):
    with closing(open_camera()) as frames:
        next_frame(frames)
        assert camera.active["AfMode"] == 2  # the camera focuses automatically
        for exposure, gain, wanted in ((3000, 4.0, (3000, 4.0)), (0, 0.0, (1000, 1.0))):
            frames.adjust(CameraConfig(number=0, exposure_us=exposure, gain=gain, focus=0.0, rotate=False))
            for _ in range(12):
                next_frame(frames)
            assert (camera.active["ExposureTime"], camera.active["AnalogueGain"]) == wanted


def test_controls_that_a_camera_has_not_are_left_out():
    camera = Camera()
    camera.controls = {control: info for control, info in camera.controls.items() if control.name != "AfMode"}
    connect(camera)
    with closing(open_camera({"focus": 2.0})) as frames:
        next_frame(frames)
    assert "LensPosition" not in camera.active


def test_the_field_is_wide_where_the_sensor_allows_it_and_one_raw_stream_less_is_paid_for(camera):
    with closing(open_camera(width=640, height=480)):
        sizes = [(str(stream.pixel_format), stream.size.width) for stream in camera.configuration]
        counts = {stream.buffer_count for stream in camera.configuration}
    assert sizes == [("YUV420", 1280), ("YUV420", 640)]
    assert counts == {4}


def test_a_camera_that_hangs_upside_down(camera):
    with closing(open_camera({"rotate": True})):
        assert camera.configuration.orientation == Orientation.Rotate180
