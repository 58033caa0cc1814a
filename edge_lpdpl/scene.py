"""What a frame looks like from far away, and where two such views differ: enough to tell that something has changed."""

import numpy as np
from numpy.typing import NDArray

BLOCK = 8
"""Pixels a side of what one number of a view stands for."""

View = NDArray[np.float32]
_DARKEST, _BRIGHTEST = 0.5, 2.0  # how much the light may change before it counts as a change of the scene


def view_of(grey: NDArray[np.uint8]) -> View:
    """Mean grey level of every 8x8 block; rows and columns that fill no block are left out.

    Args:
        grey: (height, width) uint8.

    Returns:
        (height // 8, width // 8) float32.

    >>> view_of(np.full((20, 16), 7, np.uint8)).tolist()
    [[7.0, 7.0], [7.0, 7.0]]
    """
    rows, columns = grey.shape[0] // BLOCK, grey.shape[1] // BLOCK
    blocks = grey[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns * BLOCK)
    sums = np.add.reduce(blocks, axis=1, dtype=np.uint16)  # at most 8 * 255, and 64 * 255 at the end
    for _ in range(3):  # neighbours added three times: several times faster than a sum along a short axis
        sums = sums[:, ::2] + sums[:, 1::2]
    view: View = sums.astype(np.float32) / np.float32(BLOCK * BLOCK)
    return view


def changed_blocks(now: View, before: View, sensitivity: float) -> int:
    """How many blocks differ by more than `sensitivity` grey levels, after the light on the whole scene is made equal.

    >>> changed_blocks(np.float32([[90, 90, 90]]), np.float32([[100, 100, 50]]), 8)
    1
    """
    return int(np.count_nonzero(np.abs(now - relit(before, now)) > sensitivity))


def relit(view: View, like: View) -> View:
    """`view` under the light of `like`, judged by the medians, which are paper in both."""
    light = (float(np.median(like)) + 1) / (float(np.median(view)) + 1)
    return view * np.float32(min(max(light, _DARKEST), _BRIGHTEST))
