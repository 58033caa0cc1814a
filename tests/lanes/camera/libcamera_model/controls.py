"""Controls and properties: named numbers, and the limits of a sensor."""

import enum
import itertools
import types

_numbers = itertools.count(1)


class ControlType(enum.Enum):
    Null = 0
    Bool = 1
    Byte = 2
    Integer32 = 3
    Integer64 = 4
    Float = 5
    String = 6
    Rectangle = 7
    Size = 8


class ControlId:
    def __init__(self, name, kind=ControlType.Integer32):
        self.name, self.type, self.id = name, kind, next(_numbers)

    def __repr__(self):
        return f"<ControlId {self.name}>"


class ControlInfo:
    def __init__(self, low, high, default):
        self.min, self.max, self.default = low, high, default


class NoiseReductionModeEnum(enum.IntEnum):
    Off = 0
    Fast = 1
    HighQuality = 2
    Minimal = 3
    ZSL = 4


class ColorFilterArrangementEnum(enum.IntEnum):
    RGGB = 0
    GRBG = 1
    GBRG = 2
    BGGR = 3
    RGB = 4
    MONO = 5


def _module(name, kinds):
    module = types.ModuleType(f"libcamera.{name}")
    for control, kind in kinds.items():
        setattr(module, control, ControlId(control, kind))
    return module


controls = _module(
    "controls",
    {
        **dict.fromkeys(("AeEnable", "AwbEnable"), ControlType.Bool),
        **dict.fromkeys(
            ("ExposureTime", "ExposureTimeMode", "AnalogueGainMode", "AfMode", "NoiseReductionMode", "FocusFoM"),
            ControlType.Integer32,
        ),
        **dict.fromkeys(
            ("FrameDurationLimits", "SensorTimestamp", "FrameWallClock", "FrameDuration"), ControlType.Integer64
        ),
        **dict.fromkeys(("AnalogueGain", "LensPosition", "Brightness", "Contrast", "DigitalGain"), ControlType.Float),
        "ScalerCrop": ControlType.Rectangle,
    },
)
controls.draft = types.SimpleNamespace(
    NoiseReductionModeEnum=NoiseReductionModeEnum, NoiseReductionMode=controls.NoiseReductionMode
)
properties = _module(
    "properties",
    dict.fromkeys(
        ("Model", "Location", "Rotation", "ColorFilterArrangement", "PixelArraySize", "UnitCellSize"),
        ControlType.Integer32,
    ),
)
properties.draft = types.SimpleNamespace(ColorFilterArrangementEnum=ColorFilterArrangementEnum)
