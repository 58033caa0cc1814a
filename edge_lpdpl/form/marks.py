"""The four corner marks of a form, found in a frame; the homography from the sheet to the frame follows from them."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import hypot, log

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.form.blobs import Blob, darkness, find_blobs
from edge_lpdpl.form.homography import Matrix, homography, jacobian, project
from edge_lpdpl.form.sheet import LENGTH, PAPERS, QUIET, SIDE, Area, mark_areas, mark_centres

LONGEST_SIDE = 1024
"""Pixels a side, at most, of the reduced frame that is searched."""
LEAST_SHARE = 0.4
"""Of the frame that the sheet fills at least, in the direction in which it would first reach the borders."""
BAND = 1.5
"""Marks of sizes so far apart are searched for at once."""
SQUARE, BAR = 1.45, (1.4, 3.0)
"""Lengthening of a square and of the bar, seen in perspective."""
MOST_SQUARES, MOST_BARS = 12, 6
NEAR = log(1.8)
"""How far the area of a mark may be from what the places of all four say, as a logarithm."""
PARALLEL = 0.9
"""Least cosine between the bar and the direction in which it must lie."""
DARKER = 0.65
"""Light of a mark over that of the paper around it, at most."""


def find_form(grey: NDArray[np.uint8], paper: str) -> Matrix | None:
    """The homography (3, 3) from millimetres of the sheet to pixels of the frame; None where there are no such marks.

    The sheet lies at any angle, fills 40 to 100 % of the frame, and all of its marks are in view.

    Args:
        grey: the frame (height, width) uint8.
        paper: one of `edge_lpdpl.form.sheet.PAPERS`.
    """
    factor = -(-max(grey.shape) // LONGEST_SIDE)
    small = _reduce(grey, factor)
    low, high = _scales(small.shape, paper)
    if SIDE * low < 2:  # pixels: the frame is too thin to hold a form
        return None
    taken = darkness(small, round(1.25 * SIDE * high) + 2)
    while high > low:
        narrowest = max(3, round(0.6 * SIDE * high / BAND))
        found = _best(find_blobs(taken, narrowest), small, paper)
        if found is not None:
            return np.diag((factor, factor, 1.0)) @ found
        high /= BAND
    return None


def _reduce(grey: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    if factor == 1:
        return grey
    height, width = grey.shape[0] // factor, grey.shape[1] // factor
    blocks = grey[: height * factor, : width * factor].reshape(height, factor, width, factor)
    means: NDArray[np.uint8] = blocks.mean(axis=(1, 3), dtype=np.float32).astype(np.uint8)
    return means


def _scales(shape: Sequence[int], paper: str) -> tuple[float, float]:
    """Least and greatest number of pixels a millimetre."""
    height, width = shape
    across, down = PAPERS[paper]
    fits = min(width / across, height / down), min(width / down, height / across)
    return LEAST_SHARE * min(fits), 1.15 * max(fits)


def _best(blobs: Sequence[Blob], grey: NDArray[np.uint8], paper: str) -> Matrix | None:
    squares = [blob for blob in blobs if blob.lengthened <= SQUARE][:MOST_SQUARES]
    bars = [blob for blob in blobs if BAR[0] <= blob.lengthened <= BAR[1]][:MOST_BARS]
    centres, faults = mark_centres(paper), list[tuple[float, int, Matrix]]()
    for bar in bars:
        for three in combinations(squares, 3):
            marks = _clockwise(bar, three)
            if marks is None:
                continue
            matrix = homography(centres, np.array([(mark.x, mark.y) for mark in marks]))
            fault = _fault(matrix, marks, centres)
            if fault is not None:
                faults.append((fault, len(faults), matrix))
    return next((matrix for _, _, matrix in sorted(faults)[:8] if _is_printed(matrix, grey, paper)), None)


def _clockwise(bar: Blob, squares: Sequence[Blob]) -> list[Blob] | None:
    """The marks in the order of the sheet; None where they are no corners of a convex shape."""
    aside = [(square.x - bar.x, square.y - bar.y) for square in squares]
    for order in ((0, 1, 2), (1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0)):
        (ax, ay), (bx, by), (cx, cy) = (aside[place] for place in order)
        turns = (
            ax * by - ay * bx,
            (bx - ax) * (cy - by) - (by - ay) * (cx - bx),
            bx * cy - by * cx,
            ax * cy - ay * cx,
        )
        if min(turns) > 0:
            return [bar, *(squares[place] for place in order)]
    return None


def _fault(matrix: Matrix, marks: Sequence[Blob], centres: NDArray[np.float64]) -> float | None:
    """How far sizes and directions of the marks are from what their places say; None where they are too far."""
    fault = 0.0
    for place, (mark, centre) in enumerate(zip(marks, centres, strict=True)):
        rate = jacobian(matrix, centre)
        size = float(np.linalg.det(rate))
        if not size > 0:
            return None
        off = abs(log(mark.area / (size * SIDE * (SIDE if place else LENGTH))))
        if off > NEAR:
            return None
        fault += off
    along = jacobian(matrix, centres[0])[:, 0]
    cosine = abs(float(along @ np.array(marks[0].along))) / hypot(*along.tolist())
    return fault + 1 - cosine if cosine >= PARALLEL else None


def _is_printed(matrix: Matrix, grey: NDArray[np.uint8], paper: str) -> bool:
    """Whether every mark is dark all over and has white paper on all sides, where the homography says."""
    for area in mark_areas(paper):
        inside = _levels(grey, matrix, list(_around(area.grown(-0.25 * SIDE))))
        outside = _levels(grey, matrix, list(_around(area.grown(0.6 * QUIET))))
        if inside is None or outside is None or max(inside) > DARKER * min(outside):
            return False
    return True


def _around(area: Area) -> Iterator[tuple[float, float]]:
    """The corners of an area, and the middles of its sides."""
    middle, half = area.x + area.width / 2, area.y + area.height / 2
    for x in (area.x, area.right):
        yield from ((x, area.y), (x, half), (x, area.bottom))
    yield from ((middle, area.y), (middle, area.bottom))


def _levels(grey: NDArray[np.uint8], matrix: Matrix, points: Sequence[tuple[float, float]]) -> list[int] | None:
    """Grey levels at points of the sheet; None where one is outside of the frame."""
    places = np.floor(project(matrix, np.array(points))).astype(np.intp)
    columns, rows = places[:, 0], places[:, 1]
    if rows.min() < 0 or columns.min() < 0 or rows.max() >= grey.shape[0] or columns.max() >= grey.shape[1]:
        return None
    levels: list[int] = grey[rows, columns].tolist()
    return levels
