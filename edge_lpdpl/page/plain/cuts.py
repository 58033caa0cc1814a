"""Seams through a part that cross little ink: what the kernels of `cuts` do, a row of the part at a time."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.page import parts_table as part

Whole = NDArray[np.int64]


def find_cuts(contrast: NDArray[np.uint8], peak: int, most: int) -> list[tuple[int, Whole]]:
    """The cost of each seam and its column in every row, the cheapest first.

    Args:
        contrast: (height, width) of the part's own ink, 0 elsewhere.
        peak: mean of the strongest contrast of its runs.
        most: seams that there is room for.
    """
    height, width = contrast.shape
    if height < 8:
        return []
    costs = np.minimum(255 * contrast.astype(np.int64) // max(peak, 1), 255) ** 2 // 255 + part.EMPTY
    above, below = costs.copy(), costs.copy()
    for y in range(1, height):
        above[y] += _step(above[y - 1])[0]
    for y in range(height - 2, -1, -1):
        below[y] += _step(below[y + 1])[0]
    middle, apart = height // 2, max(2, height // 8)
    most = min(int(part.CUTS * width / height) + 1, most)
    total = above[middle] + _step(below[middle + 1])[0]
    columns: list[int] = []
    for x in sorted(range(apart, width - apart), key=lambda x: (total[x], x)):
        lowest = total[x] <= min(total[x - 1], total[x + 1])
        if lowest and len(columns) < most and all(abs(x - other) >= apart for other in columns):
            columns.append(x)
    return [(int(total[x]), _trace(x, middle, above, below)) for x in columns]


def _step(costs: Whole) -> tuple[Whole, Whole]:
    """For each column the cost of the cheapest way into a neighbouring row with these costs, and its step."""
    far = np.iinfo(np.int64).max // 2
    ways = np.array([costs, np.append(far, costs[:-1]) + part.EMPTY, np.append(costs[1:], far) + part.EMPTY])
    best = ways.argmin(axis=0)
    return ways.min(axis=0), np.array([0, -1, 1])[best]


def _trace(x: int, middle: int, above: Whole, below: Whole) -> Whole:
    seam = np.full(len(above), x)
    for y in range(middle - 1, -1, -1):
        seam[y] = seam[y + 1] + _step(above[y])[1][seam[y + 1]]
    for y in range(middle + 1, len(above)):
        seam[y] = seam[y - 1] + _step(below[y])[1][seam[y - 1]]
    return seam
