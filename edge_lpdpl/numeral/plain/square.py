"""From ink to a centred square, in NumPy: the twin of `numeral.kernels.square`."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.model.settings import Preprocessing
from edge_lpdpl.numeral.buffers import BOTTOM, HEIGHT, LEFT, LEVEL, RIGHT, TOP, WIDTH, Reals, Workspace


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
        centre_y, variance_y = moments(box.sum(axis=1, dtype=np.int64), top, settings.pixel_spread)
        centre_x, variance_x = moments(box.sum(axis=0, dtype=np.int64), left, settings.pixel_spread)
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


def moments(masses: NDArray[np.int64], first: int, pixel_spread: float) -> tuple[float, float]:
    """Centroid and variance of a profile of ink that begins at `first`; the centre of pixel 0 is 0.5."""
    places = np.arange(first, first + masses.size)
    mass, total, squares = (int((masses * places**power).sum()) for power in (0, 1, 2))
    centre = total / mass
    return centre + 0.5, squares / mass - centre * centre + pixel_spread


def triangle_taps(fit: Fit, first: int, length: int, side: int, total: float) -> tuple[NDArray[np.int64], Reals]:
    """The lines of a box (`length` lines from `first` on) that are added up for each line of the square, and their
    weights, which add up to `total` where all of them lie in the box.

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


def add_lines(picture: NDArray[np.generic], lines: NDArray[np.int64], weights: Reals) -> Reals:
    """Weighted sums of lines of a picture (length, width): (side, width), tap after tap, as the kernel adds them."""
    sums = np.zeros((lines.shape[1], picture.shape[1]), np.float32)
    for tap, weight in zip(lines, weights, strict=True):
        if weight.any():
            sums += weight[:, None] * picture[tap]
    return sums
