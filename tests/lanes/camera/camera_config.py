"""Configurations for tests: small, fast frames."""

from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.frames.camera import CameraFrames

SMALL = {"width": 300, "height": 200, "rate": 120, "timeout_s": 0.6}


def camera_config(camera=None, **frames):
    return load_config((), {"frames": SMALL | frames, "camera": camera or {}})


def open_camera(camera=None, **frames):
    config = camera_config(camera, **frames)
    return CameraFrames(config.frames, config.camera)


def next_frame(frames, patience=200):
    """The next frame, after any number of timeouts."""
    return next(frame for frame in (frames.take() for _ in range(patience)) if frame is not None)
