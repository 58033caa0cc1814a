"""Streams: the requested configuration, and what the hardware makes of it (padded rows, maybe another format)."""

import enum

from libcamera_model.values import Orientation, PixelFormat, Size

_BYTES_A_PIXEL = {"YUV420": 1, "YVU420": 1, "NV12": 1, "XRGB8888": 4, "XBGR8888": 4, "RGB888": 3, "BGR888": 3}
PLANAR = ("YUV420", "YVU420", "NV12")


class Stream:
    def __init__(self):
        self.configuration = None


class StreamFormats:
    def __init__(self, sizes):
        self._sizes = sizes

    @property
    def pixel_formats(self):
        return [PixelFormat(name) for name in self._sizes]

    def sizes(self, pixel_format):
        return [Size(*size) for size in self._sizes[str(pixel_format)]]


class StreamConfiguration:
    def __init__(self, formats, raw):
        self.formats, self.raw, self.stream = formats, raw, Stream()
        self.size, self.pixel_format = Size(640, 480), PixelFormat("XRGB8888")
        self.stride, self.frame_size, self.buffer_count, self.color_space = 0, 0, 4, None

    @property
    def is_planar(self):
        return str(self.pixel_format) in PLANAR

    def lay_out(self, alignment):
        """Set stride and size. Returns False for an unknown format."""
        name = str(self.pixel_format)
        if self.raw:
            bits = int("".join(filter(str.isdigit, name.split("_")[0])) or 10)
            self.stride = _aligned(self.size.width * bits // 8, 16)
            self.frame_size = self.stride * self.size.height
            return True
        if name not in _BYTES_A_PIXEL:
            return False
        self.stride = _aligned(self.size.width * _BYTES_A_PIXEL[name], alignment if self.is_planar else 64)
        self.frame_size = self.stride * self.size.height * (3 if self.is_planar else 2) // 2
        return True


class CameraConfiguration(list):
    class Status(enum.Enum):
        Valid = 0
        Adjusted = 1
        Invalid = 2

    def __init__(self, camera):
        super().__init__()
        self._camera = camera
        self.orientation, self.sensor_config = Orientation.Rotate0, None

    def at(self, index):
        return self[index]

    def validate(self):
        status = self.Status.Valid
        for stream in self:
            if stream.is_planar and str(stream.pixel_format) != self._camera.planar_format:
                stream.pixel_format, status = PixelFormat(self._camera.planar_format), self.Status.Adjusted
            if stream.is_planar and self._camera.only_size and stream.size.width != self._camera.only_size[0]:
                stream.size, status = Size(*self._camera.only_size), self.Status.Adjusted
            if not stream.lay_out(self._camera.alignment):
                return self.Status.Invalid
        return status


def _aligned(size, alignment):
    return -(-size // alignment) * alignment
