"""Buffers, and the requests that carry them to the camera and back."""

import enum
import mmap
import os


class FrameMetadata:
    class Status(enum.Enum):
        Success = 0
        Error = 1
        Cancelled = 2
        Startup = 3

    class Plane:
        def __init__(self, size):
            self.bytes_used = size

    def __init__(self, size):
        self.status, self.sequence, self.timestamp = self.Status.Success, 0, 0
        self.planes = [self.Plane(size)]


class FrameBuffer:
    class Plane:
        def __init__(self):
            self._descriptor, self.offset, self.length = -1, 0, 0

        @property
        def fd(self):
            return self._descriptor

        @fd.setter
        def fd(self, descriptor):
            self._descriptor = os.dup(descriptor)  # libcamera keeps a copy of its own

        def __del__(self):
            if self._descriptor >= 0:
                os.close(self._descriptor)

    def __init__(self, planes, cookie=0):
        self.planes, self.cookie = planes, cookie
        self.metadata = FrameMetadata(sum(plane.length for plane in planes))
        self.memory = mmap.mmap(planes[0].fd, planes[0].length)


class Request:
    class Status(enum.Enum):
        Pending = 0
        Complete = 1
        Cancelled = 2

    def __init__(self, cookie):
        self.cookie, self.buffers = cookie, {}
        self.reuse()

    def reuse(self):
        self.metadata, self.controls, self.status = {}, {}, self.Status.Pending

    def add_buffer(self, stream, buffer):
        self.buffers[stream] = buffer

    def set_control(self, control, value):
        self.controls[control] = value

    def finish(self, request_status, frame_status):
        self.status = request_status
        for buffer in self.buffers.values():
            buffer.metadata.status = frame_status
