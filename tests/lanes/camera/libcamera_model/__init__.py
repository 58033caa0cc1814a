"""A Raspberry Pi's camera made of Python: what stands for the `libcamera` bindings under the real picamera2.

    from libcamera_model import install
    camera = install()          # before picamera2 is imported
    from picamera2 import Picamera2

Modelled, after libcamera's Raspberry Pi pipelines and what picamera2 asks of them: streams with padded rows and junk
in the padding, buffers in file descriptors, requests that wait for a frame and frames that find no request, startup
frames, times of exposure, controls that act two frames late, and faults. Invented are the picture and what the exposure
does to it.
"""

from libcamera_model.camera import Camera
from libcamera_model.heap import Heap
from libcamera_model.install import connect, install, unplug_all
from libcamera_model.manager import manager

__all__ = ["Camera", "Heap", "connect", "install", "manager", "unplug_all"]
