"""The model of a camera is installed before picamera2 is imported. Each test starts with one good camera."""

import gc
import os
import threading

import pytest
from libcamera_model import Camera, Heap, connect, install

install()


@pytest.fixture(autouse=True)
def camera():
    """The connected camera."""
    Heap.limit = None
    return connect(Camera())


@pytest.fixture
def nothing_left():
    """A function that returns how many descriptors and threads there are more than at the start of the test."""
    before = _resources()
    return lambda: [now - then for now, then in zip(_resources(), before, strict=True)]


def _resources():
    gc.collect()
    return len(os.listdir("/proc/self/fd")), threading.active_count()
