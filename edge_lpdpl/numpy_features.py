"""Ink to features with array operations: what `edge_lpdpl.normalise` and `edge_lpdpl.hog` do, without a compiler.

The blurred square has the kernels' very bits, because a last bit of a difference between neighbours would be visible
after the square root. From there on only positive numbers are added up, in another order than the kernels' but in
the same on every machine: that rules out matrix products.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.settings import HogSettings, Preprocessing
from edge_lpdpl.workspace import BOTTOM, HEIGHT, LEFT, LEVEL, PIXEL_SPREAD, RIGHT, TOP, WIDTH, Workspace

Real = NDArray[np.float32]
HALF, QUARTER = np.float32(0.5), np.float32(0.25)
ROOT_TWO = np.float32(math.sqrt(2))
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
    lines, weights = triangle_taps(down, top, box.shape[0], settings.side)
    rows = add_lines(box, lines, weights.astype(np.float64) / level)
    lines, weights = triangle_taps(across, left, box.shape[1], settings.side)
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


def triangle_taps(fit: Fit, first: int, length: int, side: int) -> tuple[NDArray[np.int64], Real]:
    """Which lines of a box of `length` lines from `first` on are added up for each of the square, and their weights.

    Returns:
        Lines of the box, and weights that are 0 for lines outside it; both (taps, side).
    """
    reach = max(fit.scale, 1.0)
    middles = fit.centre + (np.arange(side) + 0.5 - side / 2) * fit.scale - 0.5
    sources = np.ceil(middles - reach) + np.arange(int(2 * reach) + 2)[:, None]
    weights = np.maximum(0.0, 1.0 - np.abs(sources - middles) / reach)
    weights /= weights.sum(axis=0)
    lines = sources.astype(np.int64) - first
    outside = (lines < 0) | (lines >= length)
    weights[outside], lines[outside] = 0, 0
    return lines, weights.astype(np.float32)


def add_lines(picture: NDArray[np.generic], lines: NDArray[np.int64], weights: NDArray[np.floating]) -> Real:
    """Weighted sums of lines of a picture (length, width): (side, width), tap after tap, as the kernel adds them."""
    sums = np.zeros((lines.shape[1], picture.shape[1]), np.float32)
    for tap, weight in zip(lines, weights, strict=True):
        if weight.any():
            sums += weight[:, None] * picture[tap]
    return sums


def histogram_of_gradients(settings: HogSettings, buffers: Workspace) -> None:
    """Features of `buffers.square` into `buffers.features`."""
    square = buffers.square
    for _ in range(settings.smoothing):
        square = smooth(square)
    used = square.shape[0] // settings.cell * settings.cell
    right, down = gradients(square)
    right, down = right[:used, :used], down[:used, :used]
    if settings.signed and settings.soft_bins and settings.bins == 8:
        planes = split_octants(right, down)
    else:
        planes = split_bins(right, down, settings, buffers.directions)
    cells = pool_cells(planes, used // settings.cell, settings.cell, settings.soft_cells)
    if settings.contrast == 1:
        cells = cells / (cells.max() or np.float32(1))
    elif settings.contrast == 2:
        cells = cells / np.sqrt((cells * cells).sum(axis=2, keepdims=True) + CELL_EPSILON * CELL_EPSILON)
    buffers.features[:] = (np.sqrt(cells) if settings.square_root else cells).ravel()


def smooth(square: Real) -> Real:
    """One pass of the binomial blur 1-2-1 down and across; outside the square there is nothing."""
    for _ in range(2):  # down, turned; across, turned back
        blurred = HALF * square
        blurred[1:] += QUARTER * square[:-1]
        blurred[:-1] += QUARTER * square[1:]
        square = blurred.T
    return square


def gradients(square: Real) -> tuple[Real, Real]:
    """Central differences across and down, 0 at the rim."""
    right, down = np.zeros_like(square), np.zeros_like(square)
    np.subtract(square[:, 2:], square[:, :-2], out=right[:, 1:-1])
    np.subtract(square[2:], square[:-2], out=down[1:-1])
    return right, down


def split_octants(right: Real, down: Real) -> Real:
    """Shares (8, side, side) of the directions 0, 45, ... 315 degrees: each gradient is the sum of two next to it."""
    planes = np.empty((8, *right.shape), np.float32)
    x, y = right, down
    for straight in range(0, 8, 2):
        np.maximum(0, x - np.abs(y), out=planes[straight])
        np.maximum(0, ROOT_TWO * np.minimum(x, y), out=planes[straight + 1])
        x, y = y, -x
    return planes


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
