"""Locating with array operations: what the kernels do, where there is no compiler. All of it is whole numbers."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.locate.parts_table import AREA, BOTTOM, COLUMNS, LEFT, MOST_PARTS, RIDGE, RIGHT, RUNS, SHARED, TOP
from edge_lpdpl.numpy_ink import find_runs, join_runs, paper_under

Picture = NDArray[np.uint8]
Whole = NDArray[np.int64]


def reduce(grey: Picture, factor: int) -> Picture:
    """Means of the whole blocks of factor x factor pixels, rounded half up; what is left over at the edges is not used.

    Block row by block row, so that a large frame is never copied.
    """
    height, width = grey.shape[0] // factor, grey.shape[1] // factor
    small = np.empty((height, width), np.uint8)
    area = factor * factor
    for row in range(height):
        strip = grey[row * factor : (row + 1) * factor, : width * factor]
        sums = strip.sum(axis=0, dtype=np.int64).reshape(width, factor).sum(axis=1)
        small[row] = (sums + area // 2) // area
    return small


def ink_is_light(small: Picture) -> bool:
    """True where blocks of 8 x 8 pixels have their extremes rather above their mean than below it."""
    height, width = small.shape[0] // 8, small.shape[1] // 8
    blocks = small[: height * 8, : width * 8].reshape(height, 8, width, 8)
    sums = blocks.sum(axis=(1, 3), dtype=np.int64)
    above = 64 * blocks.max(axis=(1, 3)).astype(np.int64) - sums
    below = sums - 64 * blocks.min(axis=(1, 3)).astype(np.int64)
    return bool((above * above).sum() > (below * below).sum())


def contrast(ink: Picture, window: int, least: int) -> Picture:
    """How much of the paper's light the ink takes, 255 is all; 0 where it is less than `least` or the paper's noise.

    Args:
        ink: (height, width), light ink on dark.
        window: strokes narrower than this are ink.
    """
    paper = paper_under(ink, window)
    rise = ink - paper
    floor = noise_floor(rise)
    scale = (65280 // np.maximum(255 - np.arange(256), 1)).astype(np.uint32)
    share = (rise * scale[paper]) >> 8
    return np.where((share >= least) & (rise > floor), share, 0).astype(np.uint8)


def noise_floor(rise: Picture) -> int:
    """What the grain of the paper alone reaches: three times the median of every fourth row."""
    counts = np.bincount(rise[::4].ravel(), minlength=256).cumsum()
    return 3 * int(np.searchsorted(counts, (counts[-1] + 1) // 2))


def find_parts(share: Picture, least_area: int) -> Whole:
    """Parts of the ink that hang together, corners included, those of fewer than `least_area` pixels left out.

    Returns:
        (parts, COLUMNS) in the order of their first pixels.
    """
    height, width = share.shape
    line = np.zeros((height, width + 1), np.uint8)  # a free pixel between the rows
    line[:, :-1] = share
    flat = line.ravel()
    starts, ends = find_runs(flat)
    if starts.size == 0:
        return np.zeros((0, COLUMNS), np.int64)
    groups = join_runs(starts, ends, width + 1)
    peaks = np.maximum.reduceat(flat, np.stack([starts, ends], axis=1).ravel())[::2].astype(np.int64)
    _, part = np.unique(groups, return_inverse=True)
    count = int(part.max()) + 1
    inside = flat != 0
    above = np.zeros_like(inside)
    above[width + 1 :] = inside[width + 1 :] & inside[: -width - 1]
    shared = np.add.reduceat(above.astype(np.int64), np.stack([starts, ends], axis=1).ravel())[::2]
    rows, lefts, lengths = starts // (width + 1), starts % (width + 1), ends - starts
    table = np.zeros((count, COLUMNS), np.int64)
    table[:, LEFT], table[:, TOP] = width, height
    np.minimum.at(table[:, LEFT], part, lefts)
    np.minimum.at(table[:, TOP], part, rows)
    np.maximum.at(table[:, RIGHT], part, lefts + lengths)
    np.maximum.at(table[:, BOTTOM], part, rows + 1)
    for column, values in ((AREA, lengths), (RUNS, np.ones_like(rows)), (SHARED, shared), (RIDGE, peaks)):
        np.add.at(table[:, column], part, values)
    table = table[table[:, AREA] >= least_area]
    if len(table) > MOST_PARTS:
        table = table[np.sort(np.argsort(-table[:, AREA], kind="stable")[:MOST_PARTS])]
    return table
