"""Points that were not seen: too small to be a part of the ink, or run together with a digit.

A number that is read without a mark is ten times as large as the one that was written if there is a point that nobody
saw. In the ink at the foot of a number, a dot stands apart above some contrast, though not above every one: that of its
digits' strokes where the blur of the camera joins it to one of them, and a smaller one where it is faint.
"""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.number.lines import Row
from edge_lpdpl.page import parts_table as part

FOOT = 0.62
"""How far down a digit the band begins in which a point is looked for, of its height."""
BELOW = 0.3
"""How far below its foot the band ends."""
LEVELS = ((0.62, 0.87), (0.25, 0.3))
"""Contrasts above which a dot stands apart, each with the least of its darkest pixel, over that of the middle of the
strokes: a dot that is joined to a digit is as dark as it; what is less dark is a piece of a stroke that fades."""
LARGEST, LEAST_SIDE = 0.3, 3
"""Side of the largest dot over the size of the digits, and in pixels of the reduced frame."""
LONGEST = 3
"""Longer side of a dot over its shorter one; what is longer is left of a ruled line or a crease."""
LEAST_INK, OF_PEN = 0.5, 0.05
"""Sum of the contrast of the smallest dot over that of the strokes, and the same over the square of their width too,
because the pen that wrote the digits makes no much smaller dot."""


def foot_of(rows: list[Row]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the band at the foot of these digits, between the middles of the outer two, in
    pixels of the reduced frame."""
    tallest = max(row[part.BOTTOM] - row[part.TOP] for row in rows)
    digits = [row for row in rows if 2 * (row[part.BOTTOM] - row[part.TOP]) >= tallest]  # no ٠, a dot
    tops, bottoms = [row[part.TOP] for row in digits], [row[part.BOTTOM] for row in digits]
    height = float(np.median(np.subtract(bottoms, tops)))
    left, right = ((row[part.LEFT] + row[part.RIGHT]) // 2 for row in (rows[0], rows[-1]))
    return left, int(min(bottoms) - (1 - FOOT) * height), max(right, left + 1), int(max(bottoms) + BELOW * height)


def has_dot(contrast: NDArray[np.uint8], size: int, strength: float, pen: float) -> bool:
    """Whether there is a dot in a band at the foot of a number.

    Args:
        contrast: (height, width), 255 for all of the paper's light, 0 where there is no ink.
        size: of the digits, in pixels.
        strength: contrast of the middle of their strokes, 0 to 1.
        pen: width of these strokes, in pixels.

    >>> band = np.zeros((12, 30), np.uint8)
    >>> band[:8, 10:14] = 200
    >>> has_dot(band, 30, 0.78, 4.0)
    False
    >>> band[6:9, 16:19] = 200
    >>> has_dot(band, 30, 0.78, 4.0)
    True
    """
    most, strong = max(LARGEST * size, LEAST_SIDE), 255 * strength
    least = strong * max(LEAST_INK, OF_PEN * pen**2)
    for level, darkest in LEVELS:
        for ys, xs in _apart(contrast >= level * strong):
            ink, shorter, longer = contrast[ys, xs], *sorted((np.ptp(ys) + 1, np.ptp(xs) + 1))
            is_dot = longer <= most and longer <= LONGEST * shorter
            if is_dot and ink.max() >= darkest * strong and ink.sum() >= least:
                return True
    return False


def _apart(ink: NDArray[np.bool_]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows and columns of the pixels of each part of the ink that does not touch the border, corners joined."""
    height, width = ink.shape
    edges = np.diff(np.pad(ink, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (rows, starts), ends = np.nonzero(edges == 1), np.nonzero(edges == -1)[1]
    rows_, starts_, ends_ = rows.tolist(), starts.tolist(), ends.tolist()
    parent = list(range(len(rows_)))

    def root(run: int) -> int:
        while parent[run] != run:
            run = parent[run]
        return run

    above = first = 0
    for run, (row, start, end) in enumerate(zip(rows_, starts_, ends_, strict=True)):
        if run == 0 or rows_[run - 1] != row:
            above, first = (first, run) if run and rows_[run - 1] == row - 1 else (run, run)
        for other in range(above, first):
            if starts_[other] <= end and ends_[other] >= start:
                one, two = sorted((root(run), root(other)))
                parent[two] = one
    runs: dict[int, list[int]] = {}
    for run in range(len(rows_)):
        runs.setdefault(root(run), []).append(run)
    found = []
    for members in runs.values():
        inside = all(rows_[run] not in (0, height - 1) and starts_[run] > 0 and ends_[run] < width for run in members)
        if inside:
            ys = np.concatenate([np.full(ends_[run] - starts_[run], rows_[run]) for run in members])
            xs = np.concatenate([np.arange(starts_[run], ends_[run]) for run in members])
            found.append((ys, xs))
    return found
