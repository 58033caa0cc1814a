"""Grey bytes become what a browser shows, and the figures to aim a camera by. Pillow alone: NumPy would take a quarter
of the memory that this process may use."""

import io
import math
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from PIL import Image, ImageFilter

_QUALITY = 72
_LAPLACE = ImageFilter.Kernel((3, 3), (0, 1, 0, 1, -4, 1, 0, 1, 0), scale=2, offset=128)
_DARK, _BRIGHT = 8, 248  # grey levels up to which, and from which on, a pixel shows no detail
LEAST_SHARE, MOST_SHARE = 0.028, 0.75
"""Longer side of a numeral that can be read over the longer side of the frame (docs/locate.md)."""

Box = tuple[int, int, int, int]


def as_jpeg(grey: bytes, width: int, height: int) -> bytes:
    """A grey frame (width * height bytes, row by row) as JPEG."""
    return _encoded(Image.frombytes("L", (width, height), grey), "JPEG", quality=_QUALITY)


def cut_outs(data: bytes, sizes: Sequence[Sequence[int]], most: int) -> list[str]:
    """Pictures of numerals, at most `most`, as PNG in base64.

    Args:
        data: the pixels of all of them.
        sizes: (height, width) of each.
    """
    pictures, start = [], 0
    for height, width in sizes[:most]:
        part = Image.frombytes("L", (width, height), data[start : start + width * height])
        pictures.append(b64encode(_encoded(part, "PNG")).decode())
        start += width * height
    return pictures


def aim(grey: bytes, width: int, height: int, region: Sequence[int] = ()) -> dict[str, float]:
    """Sharpness and light of a frame, inside the region if there is one.

    Returns:
        `sharpness`: deviation of the Laplacian over the mean grey level, in percent: it is greatest where the picture
        is in focus, and another light hardly moves it; `dark` and `bright`: shares of pixels without detail; `light`:
        mean grey level, 0 to 1.

    >>> aim(bytes([200] * 400), 20, 20)
    {'sharpness': 0.0, 'dark': 0.0, 'bright': 0.0, 'light': 0.784}
    """
    picture = Image.frombytes("L", (width, height), grey)
    if len(region) == 4:
        x, y, wide, high = min(region[0], width - 1), min(region[1], height - 1), *region[2:]
        picture = picture.crop((x, y, min(x + wide, width), min(y + high, height)))
    counts = picture.histogram()
    pixels = max(1, sum(counts))
    mean = _mean(counts)
    edges = picture.filter(_LAPLACE).crop((1, 1, max(2, picture.width - 1), max(2, picture.height - 1))).histogram()
    middle = _mean(edges)
    variance = sum(count * (level - middle) ** 2 for level, count in enumerate(edges)) / max(1, sum(edges))
    return {
        "sharpness": round(100 * math.sqrt(variance) / max(mean, 1), 2),
        "dark": round(sum(counts[: _DARK + 1]) / pixels, 4),
        "bright": round(sum(counts[_BRIGHT:]) / pixels, 4),
        "light": round(mean / 255, 3),
    }


def writing(message: dict[str, Any], width: int, height: int) -> dict[str, float | None]:
    """Size and tilt of the writing in a decision.

    Returns:
        `size`: the median of the numerals' longer sides over the longer side of the frame; `tilt`: degrees by which the
        longest number is turned clockwise, a row or a column; None where there are no numerals, or no number of
        several.

    >>> row = [{"box": [100 * place, 10 * place, 40, 64]} for place in range(3)]
    >>> column = [{"box": [300 - 10 * place, 100 * place, 40, 64]} for place in range(3)]
    >>> [writing({"numerals": one, "numbers": [{"numerals": [0, 1, 2]}]}, 640, 480) for one in (row, column)]
    [{'size': 0.1, 'tilt': 5.7}, {'size': 0.1, 'tilt': 5.7}]
    """
    boxes = [one["box"] for one in message["numerals"]]
    sides = sorted(max(box[2], box[3]) for box in boxes)
    size = round(sides[len(sides) // 2] / max(width, height), 4) if sides else None
    longest: list[int] = max((one["numerals"] for one in message["numbers"]), key=len, default=[])
    middles = [(boxes[place][0] + boxes[place][2] / 2, boxes[place][1] + boxes[place][3] / 2) for place in longest]
    return {"size": size, "tilt": _tilt(middles)}


def _tilt(points: Sequence[tuple[float, float]]) -> float | None:
    """By how many degrees the line nearest to some points is turned clockwise, from level or upright."""
    if len(points) < 2:
        return None
    x0, y0 = (sum(values) / len(points) for values in zip(*points, strict=True))
    across, down = sum((x - x0) ** 2 for x, _ in points), sum((y - y0) ** 2 for _, y in points)
    slope = sum((x - x0) * (y - y0) for x, y in points) / (max(across, down) or 1)
    return round(math.degrees(math.atan(slope if across >= down else -slope)), 1)


def _mean(counts: Sequence[int]) -> float:
    return sum(level * count for level, count in enumerate(counts)) / max(1, sum(counts))


def _encoded(picture: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()
