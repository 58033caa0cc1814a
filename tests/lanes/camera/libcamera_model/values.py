"""The small value types of libcamera that picamera2 makes, compares and prints."""

import enum


class Size:
    def __init__(self, width=0, height=0):
        self.width, self.height = int(width), int(height)

    def __repr__(self):
        return f"{self.width}x{self.height}"


class Rectangle:
    def __init__(self, x=0, y=0, width=0, height=0):
        self.x, self.y, self.width, self.height = x, y, width, height


class Transform:
    def __init__(self, other=None, hflip=0, vflip=0, transpose=0):
        source = other if isinstance(other, Transform) else None
        self.hflip = bool(source.hflip if source else hflip)
        self.vflip = bool(source.vflip if source else vflip)
        self.transpose = bool(source.transpose if source else transpose)

    def __str__(self):
        return f"<Transform {self.hflip:d}{self.vflip:d}{self.transpose:d}>"

    __hash__ = object.__hash__


class Orientation(enum.Enum):
    Rotate0 = 1
    Rotate0Mirror = 2
    Rotate180 = 3
    Rotate180Mirror = 4
    Rotate90Mirror = 5
    Rotate270 = 6
    Rotate270Mirror = 7
    Rotate90 = 8


class YcbcrEncoding(enum.Enum):
    Null = 0
    Rec601 = 1
    Rec709 = 2


class ColourRange(enum.Enum):
    Full = 0
    Limited = 1


class ColorSpace:
    YcbcrEncoding, Range = YcbcrEncoding, ColourRange

    def __init__(self, other=None, name="Raw", encoding=YcbcrEncoding.Null, colours=ColourRange.Full):
        self.name = other.name if isinstance(other, ColorSpace) else name
        self.primaries = self.transferFunction = 0
        self.ycbcrEncoding, self.range = encoding, colours

    def __str__(self):
        return f"<ColorSpace {self.name}>"

    __hash__ = object.__hash__

    @classmethod
    def Raw(cls):  # noqa: N802 - these are libcamera's names
        return cls()

    @classmethod
    def Sycc(cls):  # noqa: N802
        return cls(None, "Sycc", YcbcrEncoding.Rec601, ColourRange.Full)

    @classmethod
    def Smpte170m(cls):  # noqa: N802
        return cls(None, "Smpte170m", YcbcrEncoding.Rec601, ColourRange.Limited)

    @classmethod
    def Rec709(cls):  # noqa: N802
        return cls(None, "Rec709", YcbcrEncoding.Rec709, ColourRange.Limited)


class StreamRole(enum.Enum):
    Raw = 0
    StillCapture = 1
    VideoRecording = 2
    Viewfinder = 3


class PixelFormat:
    def __init__(self, name):
        self.name = str(name)

    def __str__(self):
        return self.name

    __repr__ = __str__


class SensorConfiguration:
    def __init__(self):
        self.bit_depth, self.output_size = 0, Size()
