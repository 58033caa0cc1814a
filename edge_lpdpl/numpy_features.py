"""Ink to features with array operations: what `edge_lpdpl.normalise` and `edge_lpdpl.hog` do, without a compiler.

The square has the kernels' very bits, and so have the features of the edge profile, whose sums are whole numbers. In
other profiles only positive numbers are added up from the blurred square on, in another order than the kernels' but in
the same on every machine: that rules out matrix products.
"""

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.settings import HogSettings, Preprocessing
from edge_lpdpl.workspace import (
    AXIS,
    BOTTOM,
    CELL,
    CELLS,
    DIAGONAL,
    DIRECTIONS,
    HEIGHT,
    LEFT,
    LEVEL,
    LEVELS,
    PIXEL_SPREAD,
    RIGHT,
    SIDE,
    TOP,
    WIDTH,
    Workspace,
)

Real = NDArray[np.float32]
HALF, QUARTER = np.float32(0.5), np.float32(0.25)
CELL_EPSILON = np.float32(1e-5)


class Fit(NamedTuple):
    """How the square lies over the picture, in one direction."""

    centre: float
    scale: float
    """Pixels of the picture for one of the square."""


def normalise(settings: Preprocessing, buffers: Workspace) -> None:
    """Centre and resample the ink that `binarise` found into `buffers.square`."""
    found = buffers.found.tolist()
    height, width, top, left, level = (found[place] for place in (HEIGHT, WIDTH, TOP, LEFT, LEVEL))
    ink = buffers.ink[: height * width].reshape(height, width)
    box = np.minimum(ink[top : found[BOTTOM], left : found[RIGHT]], np.uint8(level))
    down, across = fit_window(settings, box, top, left)
    lines, weights = triangle_taps(down, top, box.shape[0], settings.side, 1.0 / level)
    rows = add_lines(box, lines, weights)
    lines, weights = triangle_taps(across, left, box.shape[1], settings.side, 1.0)
    buffers.square[:] = add_lines(rows.T, lines, weights).T


def fit_window(settings: Preprocessing, box: NDArray[np.uint8], top: int, left: int) -> tuple[Fit, Fit]:
    """How the square lies over the box, which begins at `top` and `left`: down, and across."""
    if settings.by_moments:
        centre_y, variance_y = moments(box.sum(axis=1, dtype=np.int64), top)
        centre_x, variance_x = moments(box.sum(axis=0, dtype=np.int64), left)
        extent_y = settings.moment_width * math.sqrt(variance_y)
        extent_x = settings.moment_width * math.sqrt(variance_x)
    else:
        extent_y, extent_x = map(float, box.shape)
        centre_y, centre_x = top + extent_y / 2, left + extent_x / 2
    room = settings.side - 2.0 * settings.margin
    share = min(extent_y, extent_x) / max(extent_y, extent_x)
    shorter = room * (math.sqrt(share) if settings.aspect_power == 0.5 else share**settings.aspect_power)
    room_y, room_x = (room, shorter) if extent_y >= extent_x else (shorter, room)
    return Fit(centre_y, extent_y / room_y), Fit(centre_x, extent_x / room_x)


def moments(masses: NDArray[np.int64], first: int) -> tuple[float, float]:
    """Centroid and variance of a profile of ink that begins at `first`; the centre of pixel 0 is 0.5."""
    places = np.arange(first, first + masses.size)
    mass, total, squares = (int((masses * places**power).sum()) for power in (0, 1, 2))
    centre = total / mass
    return centre + 0.5, squares / mass - centre * centre + PIXEL_SPREAD


def triangle_taps(fit: Fit, first: int, length: int, side: int, total: float) -> tuple[NDArray[np.int64], Real]:
    """Which lines of a box of `length` lines from `first` on are added up for each of the square, and their weights,
    which add up to `total` where all of them lie in the box.

    Returns:
        Lines of the box, and weights that are 0 for lines outside it; both (taps, side).
    """
    reach = max(fit.scale, 1.0)
    middles = fit.centre + (np.arange(side) + 0.5 - side / 2) * fit.scale - 0.5
    sources = np.ceil(middles - reach) + np.arange(int(2 * reach) + 2)[:, None]
    heights = np.maximum(0.0, 1.0 - np.abs(sources - middles) * (1.0 / reach))
    weights = heights.astype(np.float32) * (total / heights.sum(axis=0)).astype(np.float32)
    lines = sources.astype(np.int64) - first
    outside = (lines < 0) | (lines >= length)
    weights[outside], lines[outside] = 0, 0
    return lines, weights


def add_lines(picture: NDArray[np.generic], lines: NDArray[np.int64], weights: Real) -> Real:
    """Weighted sums of lines of a picture (length, width): (side, width), tap after tap, as the kernel adds them."""
    sums = np.zeros((lines.shape[1], picture.shape[1]), np.float32)
    for tap, weight in zip(lines, weights, strict=True):
        if weight.any():
            sums += weight[:, None] * picture[tap]
    return sums


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
        cells = cells / np.sqrt((cells * cells).sum(axis=2, keepdims=True) + CELL_EPSILON * CELL_EPSILON)
    buffers.features[:] = (np.sqrt(cells) if settings.square_root else cells).ravel()


def fits_octants(settings: HogSettings, side: int) -> bool:
    """True where the kernels add whole numbers; see `edge_lpdpl.octants`."""
    soft = settings.soft_bins and settings.soft_cells
    return side == SIDE and settings.cell == CELL and settings.bins == DIRECTIONS and settings.signed and soft


def octant_histogram(square: Real, smoothing: int) -> Real:
    """The histogram (CELLS, CELLS, DIRECTIONS) of `edge_lpdpl.octants`, to the last bit: its sums are exact."""
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
