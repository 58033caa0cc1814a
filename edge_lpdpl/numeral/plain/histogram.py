"""From a square of ink to features, in NumPy: the twin of `numeral.kernels.histogram` and `numeral.kernels.octants`.

The square has the kernels' very bits, and so have the features of the edge profile, whose sums are whole numbers. In
other profiles only positive numbers are added up from the blurred square on, in another order than the kernels' but in
the same on every machine: that rules out matrix products.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.model.settings import HogSettings
from edge_lpdpl.numeral.buffers import (
    AXIS,
    CELL,
    CELLS,
    DIAGONAL,
    DIRECTIONS,
    LEVELS,
    SIDE,
    Workspace,
)
from edge_lpdpl.numeral.plain.square import Real, add_lines

HALF, QUARTER = np.float32(0.5), np.float32(0.25)


def histogram_of_gradients(settings: HogSettings, buffers: Workspace) -> None:
    """Features of `buffers.square` into `buffers.features`."""
    square = buffers.square
    if fits_octants(settings, square.shape[0]):
        cells = octant_histogram(square, settings.smoothing)
    else:
        cells = plain_histogram(square, settings, buffers.directions)
    if settings.contrast == 1:
        cells = cells / (cells.max() or np.float32(1))
    elif settings.contrast == 2:
        least_norm = np.float32(settings.least_norm)
        cells = cells / np.sqrt((cells * cells).sum(axis=2, keepdims=True) + least_norm * least_norm)
    buffers.features[:] = (np.sqrt(cells) if settings.square_root else cells).ravel()


def fits_octants(settings: HogSettings, side: int) -> bool:
    """True where the kernels add whole numbers; see `edge_lpdpl.numeral.kernels.octants`."""
    soft = settings.soft_bins and settings.soft_cells
    return side == SIDE and settings.cell == CELL and settings.bins == DIRECTIONS and settings.signed and soft


def octant_histogram(square: Real, smoothing: int) -> Real:
    """The histogram (CELLS, CELLS, DIRECTIONS) of `numeral.kernels.octants`, to the last bit: its sums are exact."""
    levels = (square * np.float32(LEVELS) + HALF).astype(np.int32)
    for _ in range(smoothing):
        levels = (blur_down(blur_down(levels).T).T + 8) >> 4
    x, y = gradients(levels)
    planes = []
    for _ in range(DIRECTIONS // 2):
        planes += [np.maximum(0, x - np.abs(y)), np.maximum(0, np.minimum(x, y))]
        x, y = y, -x
    sums = pool_lines(pool_lines(np.stack(planes, axis=2)).transpose(1, 0, 2)).transpose(1, 0, 2)
    histogram: Real = sums.astype(np.float32) * np.array([AXIS, DIAGONAL] * (DIRECTIONS // 2))
    return histogram


def blur_down(levels: NDArray[np.int32]) -> NDArray[np.int32]:
    """Every line twice and the lines beside it once."""
    blurred = 2 * levels
    blurred[1:] += levels[:-1]
    blurred[:-1] += levels[1:]
    return blurred


def pool_lines(planes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Sums of the eight lines about every row of cells, weighed 1, 3, 5, 7, 7, 5, 3, 1."""
    padded = np.zeros((SIDE + CELL, *planes.shape[1:]), np.int32)
    padded[CELL // 2 : -CELL // 2] = planes
    sums = np.zeros((CELLS, *planes.shape[1:]), np.int32)
    for line, weight in enumerate((1, 3, 5, 7, 7, 5, 3, 1)):
        sums += weight * padded[line : line + SIDE : CELL]
    return sums


def plain_histogram(square: Real, settings: HogSettings, directions: Real) -> Real:
    """The histogram (cells, cells, bins) for any settings; `directions` are those of `Workspace`."""
    for _ in range(settings.smoothing):
        square = smooth(square)
    used = square.shape[0] // settings.cell * settings.cell
    right, down = gradients(square)
    planes = split_bins(right[:used, :used], down[:used, :used], settings, directions)
    return pool_cells(planes, used // settings.cell, settings.cell, settings.soft_cells)


def smooth(square: Real) -> Real:
    """One pass of the binomial blur 1-2-1 down and across; outside the square there is nothing."""
    for _ in range(2):  # down, turned; across, turned back
        blurred = HALF * square
        blurred[1:] += QUARTER * square[:-1]
        blurred[:-1] += QUARTER * square[1:]
        square = blurred.T
    return square


def gradients(square: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Central differences across and down, 0 at the rim."""
    right, down = np.zeros_like(square), np.zeros_like(square)
    np.subtract(square[:, 2:], square[:, :-2], out=right[:, 1:-1])
    np.subtract(square[2:], square[:-2], out=down[1:-1])
    return right, down


def split_bins(right: Real, down: Real, settings: HogSettings, directions: Real) -> Real:
    """Shares (bins, side, side) for any settings; `directions` are those of `Workspace`.

    Hard bins take the whole length from their direction on to the next.
    """
    bins, half = settings.bins, settings.bins // 2
    if not settings.signed:
        turned = np.where((down < 0) | ((down == 0) & (right < 0)), np.float32(-1), np.float32(1))
        right, down = turned * right, turned * down
    x, y = directions.T[:, 1:bins, None, None]
    passed = x * down - y * right >= 0
    if settings.signed:  # a direction of the other half of the circle would not tell which side of it a gradient is
        lower = np.where(down < 0, half + passed[half:].sum(axis=0), passed[:half].sum(axis=0))
    else:
        lower = passed.sum(axis=0)
    planes = np.zeros((bins, *right.shape), np.float32)
    if not settings.soft_bins:
        np.put_along_axis(planes, lower[None], np.sqrt(right * right + down * down)[None], axis=0)
        return planes
    first_x, first_y = np.moveaxis(directions[lower], 2, 0)
    second_x, second_y = np.moveaxis(directions[lower + 1], 2, 0)
    area = first_x * second_y - first_y * second_x
    first = np.maximum(0, (right * second_y - down * second_x) / area)
    second = np.maximum(0, (first_x * down - first_y * right) / area)
    np.put_along_axis(planes, lower[None], first[None], axis=0)
    np.put_along_axis(planes, (lower[None] + 1) % bins, second[None], axis=0)
    return planes


def pool_cells(planes: Real, cells: int, cell: int, soft: bool) -> Real:
    """What the cells take of planes (bins, side, side): (cells, cells, bins)."""
    lines, weights = cell_shares(cells, cell, soft)
    bins, side, _ = planes.shape
    rows = add_lines(planes.transpose(1, 2, 0).reshape(side, -1), lines, weights).reshape(cells, side, bins)
    columns = add_lines(rows.transpose(1, 0, 2).reshape(side, -1), lines, weights).reshape(cells, cells, bins)
    return columns.transpose(1, 0, 2)


@functools.cache
def cell_shares(cells: int, cell: int, soft: bool) -> tuple[NDArray[np.int64], Real]:
    """The lines of pixels that cells take in one direction, and their shares: both (taps, cells)."""
    taps = 2 * cell if soft else cell
    first = np.arange(cells) * cell - (cell // 2 if soft else 0)
    lines = first + np.arange(taps)[:, None]
    distance = np.abs(lines + 0.5 - (np.arange(cells) + 0.5) * cell) / cell
    weights = np.maximum(0, 1 - distance) if soft else distance < 0.5
    outside = (lines < 0) | (lines >= cells * cell)
    return np.where(outside, 0, lines), np.where(outside, 0, weights).astype(np.float32)
