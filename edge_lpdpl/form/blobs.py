"""Solid dark blobs of a known size in a frame: what the marks of a form look like before their places are compared.

A closing gives the paper without anything as narrow as a mark. What is darker than it, and stays under an opening, is
as wide as a mark: strokes of pens and the rules of boxes go, and shadows and tables, which are wider, were never dark.
"""

from collections.abc import Sequence
from math import atan2, cos, hypot, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Flags = NDArray[np.bool_]
_Box = tuple[int, int, int, int]  # top, left, bottom, right

DARK = (0.4, 0.55, 0.7)
"""Share of the paper's light that a mark takes at least: the next one where more than MOST_RUNS take it, such as the
grain of a table."""
SHADOW = 0.25
"""Share of the light of the brightest paper that is left in the deepest shadow; anything darker is no paper."""
MOST_RUNS = 4096
"""Of pixels in blobs, row by row. A frame with more that take even the last of DARK is searched for no blobs of that
size."""
MOST_BLOBS = 48
"""Of one size that are measured, the darkest ones: a mark takes more light than the grain of a table."""
RIM = 2
"""Pixels around a blob that are measured with it."""
SOLID = 0.8, 1.2
"""Area over that of a rectangle with the same second moments, in which blur and perspective leave a rectangle."""


class Blob(NamedTuple):
    """A solid dark thing, in pixels of the frame."""

    x: float
    y: float
    """Its centre of mass."""
    area: float
    lengthened: float
    """Longer over shorter axis."""
    along: tuple[float, float]
    """Direction of the longer axis, a unit vector."""
    solid: float
    """Area over that of a rectangle with the same second moments: 1 for a rectangle, however seen."""
    taken: float
    """Of the paper's light, in 255ths."""


def darkness(grey: Picture, widest: int) -> Picture:
    """The share of the paper's light that each pixel takes, in 255ths, where the paper is what surrounds things up to
    `widest` pixels: (height, width) uint8. In a shadow the paper is darker, and a mark takes the same share."""
    paper = _erode(_dilate(grey, widest), widest)
    least = max(1, round(SHADOW * float(np.percentile(paper[::8, ::8], 95))))
    taken: Picture = ((paper - grey) * np.uint16(255) // np.maximum(paper, 1)).astype(np.uint8)
    taken[paper < least] = 0
    return taken


def find_blobs(taken: Picture, narrowest: int) -> list[Blob]:
    """The solid blobs that are at least `narrowest` pixels wide.

    Args:
        taken: as from `darkness`.
    """
    opened = _dilate(_erode(taken, narrowest), narrowest)
    found = (boxes_of(opened > dark * 255) for dark in DARK)
    boxes = _darkest(opened, next(filter(None, found), []))
    blobs = [blob for box in boxes if (blob := _measure(taken, box))]
    blobs = [blob for blob in blobs if SOLID[0] <= blob.solid <= SOLID[1]]
    return sorted(blobs, key=lambda blob: -blob.taken)


def _darkest(opened: Picture, boxes: Sequence[_Box]) -> list[_Box]:
    """Those of the groups of pixels that are darkest in their middle, where every mark is darkest."""
    if len(boxes) <= MOST_BLOBS:
        return list(boxes)
    top, left, bottom, right = np.array(boxes).T
    middles = opened[(top + bottom) // 2, (left + right) // 2].astype(np.int64)
    return [boxes[place] for place in np.argsort(-middles, kind="stable")[:MOST_BLOBS].tolist()]


def boxes_of(inside: Flags) -> list[_Box]:
    """Each group of pixels that touch; none of a frame with too many."""
    step = np.diff(np.pad(inside.view(np.int8), ((0, 0), (1, 1))), axis=1)
    rows, starts = np.nonzero(step == 1)
    if not 0 < len(rows) <= MOST_RUNS:
        return []
    ends = np.nonzero(step == -1)[1]
    runs = list(zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True))
    group = list(range(len(runs)))

    def first(place: int) -> int:
        while group[place] != place:
            group[place] = place = group[group[place]]
        return place

    above = 0
    for place, (row, start, end) in enumerate(runs):
        while runs[above][0] < row - 1 or (runs[above][0] == row - 1 and runs[above][2] < start):
            above += 1
        other = above
        while runs[other][0] == row - 1 and runs[other][1] <= end:
            group[first(other)] = first(place)
            other += 1
    boxes: dict[int, _Box] = {}
    for place, (row, start, end) in enumerate(runs):
        top, left, bottom, right = boxes.get(first(place), (row, start, row, end))
        boxes[first(place)] = min(top, row), min(left, start), max(bottom, row + 1), max(right, end)
    return list(boxes.values())


def _measure(taken: Picture, box: _Box) -> Blob | None:
    """A blob in its box, its rim included; pixels count as far as they are dark."""
    top, left, bottom, right = max(box[0] - RIM, 0), max(box[1] - RIM, 0), box[2] + RIM, box[3] + RIM
    part = taken[top:bottom, left:right].astype(np.float64)
    peak = float(np.sort(part, axis=None)[9 * (part.size - 1) // 10])
    weights = np.clip((part - 0.2 * peak) / (0.6 * peak), 0, 1)
    area = float(weights.sum())
    if area < 4:
        return None
    rows, columns = np.arange(part.shape[0]) + 0.5, np.arange(part.shape[1]) + 0.5
    by_row, by_column = weights.sum(axis=1), weights.sum(axis=0)
    y, x = float(by_row @ rows) / area, float(by_column @ columns) / area
    yy, xx = float(by_row @ (rows - y) ** 2) / area, float(by_column @ (columns - x) ** 2) / area
    xy = float((rows - y) @ weights @ (columns - x)) / area
    apart = hypot((xx - yy) / 2, xy)  # of the greater second moment, along the longer axis, and the mean of both
    large, small = (xx + yy) / 2 + apart, (xx + yy) / 2 - apart
    if small <= 0:
        return None
    turned = atan2(2 * xy, xx - yy) / 2
    solid = area / (12 * (small * large) ** 0.5)
    return Blob(left + x, top + y, area, (large / small) ** 0.5, (cos(turned), sin(turned)), solid, peak)


def _dilate(picture: Picture, side: int) -> Picture:
    """The greatest value in each square of `side` pixels, around the pixel if `side` is odd."""
    return _window(_window(picture, side, 0, np.maximum), side, 1, np.maximum)


def _erode(picture: Picture, side: int) -> Picture:
    return _window(_window(picture, side, 0, np.minimum), side, 1, np.minimum)


def _window(picture: Picture, side: int, axis: int, best: np.ufunc) -> Picture:
    """The best value of `side` neighbours along an axis, by windows of twice the length each time."""
    before = side // 2 if best is np.maximum else (side - 1) // 2  # so that both together shift nothing
    widths = [(0, 0), (0, 0)]
    widths[axis] = before, side - 1 - before
    padded = np.pad(picture, widths, mode="edge")
    length = 1
    while length < side:
        step = min(length, side - length)
        count = padded.shape[axis] - step
        first, second = (slice(0, count), slice(step, None))
        one, two = (padded[first], padded[second]) if axis == 0 else (padded[:, first], padded[:, second])
        padded, length = best(one, two), length + step
    return np.ascontiguousarray(padded)
