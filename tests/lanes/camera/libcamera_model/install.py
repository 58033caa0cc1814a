"""Installs the model as `libcamera`, and its heap as picamera2's memory."""

import importlib.util
import sys
import types

from libcamera_model import buffers, controls, streams, values
from libcamera_model.camera import Camera
from libcamera_model.heap import Heap
from libcamera_model.manager import CameraManager, manager


def install():
    """Call this before picamera2 is imported. Returns a connected camera."""
    libcamera = types.ModuleType("libcamera")
    for module in (values, buffers, streams, controls):
        for name, value in vars(module).items():
            if not name.startswith("_"):
                setattr(libcamera, name, value)
    libcamera.Camera, libcamera.CameraManager, libcamera._libcamera = Camera, CameraManager, libcamera
    sys.modules["libcamera"] = libcamera
    sys.modules["libcamera.controls"] = controls.controls
    sys.modules["libcamera.properties"] = controls.properties
    libcamera.controls, libcamera.properties = controls.controls, controls.properties
    for name in ("pykms", "prctl"):  # for screens and other programs: imported, not used
        if name not in sys.modules and importlib.util.find_spec(name) is None:
            sys.modules[name] = types.ModuleType(name)
    if not hasattr(sys.modules["pykms"], "PixelFormat"):
        sys.modules["pykms"].PixelFormat = _AnyName()
    _lend_heap()
    return connect(Camera())


def connect(*cameras):
    """Connect exactly these cameras. Returns the first."""
    manager.cameras[:] = cameras
    return cameras[0]


def unplug_all():
    """Disconnect all cameras."""
    manager.cameras.clear()


class _AnyName:
    def __getattr__(self, name):
        return name


def _lend_heap():
    from picamera2.allocators import dmaallocator

    real = dmaallocator.fcntl.ioctl

    def ioctl(descriptor, request, argument=0):
        """No-op: a memfd needs no cache synchronisation."""
        return 0 if request == dmaallocator.DMA_BUF_IOCTL_SYNC else real(descriptor, request, argument)

    dmaallocator.DmaHeap = Heap
    dmaallocator.fcntl = types.SimpleNamespace(ioctl=ioctl)
