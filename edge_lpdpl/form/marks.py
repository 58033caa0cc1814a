"""The four corner marks of a form, found in a frame; the homography from the sheet to the frame follows from them."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from math import inf, log
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.form.blobs import Blob, darkness, find_blobs
from edge_lpdpl.form.homography import Matrix, homographies, project
from edge_lpdpl.form.sheet import LENGTH, PAPERS, QUIET, SIDE, Area, mark_areas, mark_centres

LONGEST_SIDE = 1024
"""Pixels a side, at most, of the reduced frame that is searched."""
LEAST_SHARE = 0.4
"""Of the frame that the sheet fills at least, in the direction in which it would first reach the borders."""
BAND = 1.5
"""Marks of sizes so far apart are searched for at once."""
SQUARE, BAR = 1.45, (1.4, 3.0)
"""Lengthening of a square and of the bar, seen in perspective."""
MOST_SQUARES, MOST_BARS, MOST_LIKELY = 12, 6, 8
"""Blobs of one size that are tried as marks, and groups of four of them that are looked at again in the frame."""
NEAR = log(1.8)
"""How far the area of a mark may be from what the places of all four say, as a logarithm."""
PARALLEL = 0.9
"""Least cosine between the bar and the direction in which it must lie."""
ASLANT = 0.5
"""Greatest cosine between the sides of a sheet: one that is turned and tilted by 30 degrees has 0.14, and marks of two
sheets, taken for those of one, 0.57 and more."""
DARKER = 0.65
"""Light of a mark over that of the paper around it, at most."""


def find_forms(grey: NDArray[np.uint8], paper: str) -> list[Matrix]:
    """The homographies (3, 3) from millimetres of a sheet to pixels of the frame, the most certain one first: none
    where there are no such marks, two where there is another sheet of about the same size.

    A sheet lies at any angle, fills 40 to 100 % of the frame, and all of its marks are in view.

    Args:
        grey: the frame (height, width) uint8.
        paper: one of `edge_lpdpl.form.sheet.PAPERS`.
    """
    factor = -(-max(grey.shape) // LONGEST_SIDE)
    small = _reduce(grey, factor)
    low, high = _scales(small.shape, paper)
    if SIDE * low < 2:  # pixels: the frame is too thin to hold a form
        return []
    taken = darkness(small, round(1.25 * SIDE * high) + 2)
    while high > low:
        narrowest = max(3, round(0.6 * SIDE * high / BAND))
        found = _best(find_blobs(taken, narrowest), small, paper)
        if found:
            return [np.diag((factor, factor, 1.0)) @ matrix for matrix in found]
        high /= BAND
    return []


def _reduce(grey: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    if factor == 1:
        return grey
    height, width = grey.shape[0] // factor * factor, grey.shape[1] // factor * factor
    sums = np.zeros((height // factor, width // factor), np.uint16)
    for row in range(factor):
        for column in range(factor):
            sums += grey[row:height:factor, column:width:factor]
    return (sums // factor**2).astype(np.uint8)


def _scales(shape: Sequence[int], paper: str) -> tuple[float, float]:
    """Least and greatest number of pixels a millimetre."""
    height, width = shape
    across, down = PAPERS[paper]
    fits = min(width / across, height / down), min(width / down, height / across)
    return LEAST_SHARE * min(fits), 1.15 * max(fits)


def _best(blobs: Sequence[Blob], grey: NDArray[np.uint8], paper: str) -> list[Matrix]:
    """The sheets that these blobs are the marks of, two at most."""
    squares = [blob for blob in blobs if blob.lengthened <= SQUARE][:MOST_SQUARES]
    bars = [blob for blob in blobs if BAR[0] <= blob.lengthened <= BAR[1]][:MOST_BARS]
    if not bars or len(squares) < 3:
        return []
    orders = np.array(list(permutations(range(len(squares)), 3)))
    places = np.array([(square.x, square.y) for square in squares])
    areas = np.array([square.area for square in squares])
    likely = list[tuple[float, Matrix]]()
    for bar in bars:
        others = orders[_turns_right(places[orders] - (bar.x, bar.y))]
        first = np.broadcast_to((bar.x, bar.y), (len(others), 1, 2))
        matrices = homographies(mark_centres(paper), np.concatenate([first, places[others]], axis=1))
        sizes = np.concatenate([np.full((len(others), 1), bar.area), areas[others]], axis=1)
        faults = _faults(matrices, sizes, bar.along, mark_centres(paper))
        good = np.argsort(faults, kind="stable")[:MOST_LIKELY]
        likely += [(float(faults[one]), matrices[one]) for one in good.tolist() if faults[one] < inf]
    likely.sort(key=itemgetter(0))
    found = list[Matrix]()
    for _, matrix in likely[:MOST_LIKELY]:
        if len(found) < 2 and _is_apart(matrix, found, paper) and _is_printed(matrix, grey, paper):
            found.append(matrix)
    return found


def _is_apart(matrix: Matrix, others: Sequence[Matrix], paper: str) -> bool:
    """Whether no mark of a sheet is one of another sheet."""
    centres = mark_centres(paper)
    for other in others:
        places = project(np.linalg.inv(other) @ matrix, centres)  # millimetres of the other sheet
        if np.hypot(*(places[:, None] - centres).transpose(2, 0, 1)).min() < 2 * SIDE:
            return False
    return True


def _turns_right(aside: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether a bar and three squares are the corners of a convex shape, in the order of the sheet: (n,) of the places
    (n, 3, 2) of the squares from the bar."""
    first, second, third = aside.transpose(1, 2, 0)

    pairs = (first, second), (second - first, third - second), (second, third), (first, third)
    turns: NDArray[np.bool_] = np.logical_and.reduce([one[0] * two[1] > one[1] * two[0] for one, two in pairs])
    return turns


def _faults(
    matrices: Matrix, sizes: NDArray[np.float64], along: tuple[float, float], centres: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How far sizes (n, 4) and the direction of the bar are from what the places of the marks say: (n,), infinite where
    they are too far."""
    depths = matrices[:, 2] @ np.column_stack([centres, np.ones(4)]).T
    expected = np.array([LENGTH, SIDE, SIDE, SIDE]) * SIDE
    with np.errstate(all="ignore"):
        off = np.abs(np.log(sizes / (expected * np.linalg.det(matrices)[:, None] / depths**3)))
        cosines = _cosines(_moved(matrices, centres[0], 0), np.array(along))
        middle = centres.mean(axis=0)
        aslant = _cosines(_moved(matrices, middle, 0), _moved(matrices, middle, 1))
        fits = (off <= NEAR).all(axis=1) & (cosines >= PARALLEL) & (aslant <= ASLANT)
    return np.where(fits, off.sum(axis=1) + 1 - cosines, inf)


def _moved(matrices: Matrix, point: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Where a point of the sheet moves in the frame when it moves along an axis of the sheet: (n, 2), of any length."""
    places = matrices @ np.append(point, 1.0)
    moves: NDArray[np.float64] = matrices[:, :2, axis] - places[:, :2] * matrices[:, 2:, axis] / places[:, 2:]
    return moves


def _cosines(moves: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the angles between directions, without their signs."""
    cosines: NDArray[np.float64] = np.abs((moves * others).sum(axis=1)) / np.hypot(*moves.T) / np.hypot(*others.T)
    return cosines


def _is_printed(matrix: Matrix, grey: NDArray[np.uint8], paper: str) -> bool:
    """Whether every mark is dark all over and has white paper on all sides, where the homography says."""
    for area in mark_areas(paper):
        inside = _levels(grey, matrix, list(_around(area.grown(-0.2 * SIDE))))
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
