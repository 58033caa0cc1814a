"""Naive twins: every kernel of `edge_lpdpl.numeral` again, slow and straight from its definition.

The fast kernels have to agree with these. Pictures are two-dimensional, levels are Python integers, everything else is
float64 or a fraction. The modules under test lend only polarities, settings and the type of weights.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from edge_lpdpl.files.grey import INK_AUTO, INK_DARK
from edge_lpdpl.model.settings import HogSettings, Preprocessing
from edge_lpdpl.numeral.weights import Weights

# Shrink.


def shrink(grey: np.ndarray, longest_side: int = 160) -> np.ndarray:
    """Means of the smallest square blocks that bring the longer side to `longest_side` at most, halves rounded up."""
    height, width = grey.shape
    block = math.ceil(max(height, width) / longest_side)
    rows = [
        [math.floor(grey[top : top + block, left : left + block].mean() + 0.5) for left in range(0, width, block)]
        for top in range(0, height, block)
    ]
    return np.array(rows, np.uint8)


# Paper and ink.


def between_class_variance(grey: np.ndarray, threshold: int) -> Fraction:
    """The variance that Otsu's threshold maximises."""
    below, above = grey[grey <= threshold], grey[grey > threshold]
    share = Fraction(below.size, grey.size)
    return share * (1 - share) * (_mean(above) - _mean(below)) ** 2


def _mean(levels: np.ndarray) -> Fraction:
    return Fraction(int(levels.sum(dtype=int)), levels.size)


def otsu(grey: np.ndarray) -> int | None:
    """The lowest of the best thresholds; None if all pixels are equal."""
    levels = np.unique(grey).tolist()
    return max(levels[:-1], key=lambda level: between_class_variance(grey, level), default=None)


def percentile(levels: np.ndarray, per_cent: int) -> int:
    """The smallest level such that `per_cent` of all levels are at or below it."""
    return int(np.sort(levels, axis=None)[max(math.ceil(levels.size * per_cent / 100), 1) - 1])


def border_is_light(grey: np.ndarray, threshold: int) -> bool:
    """Whether more than half of the pixels of the four sides are light. A corner belongs to two sides."""
    return bool(np.mean(np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]]) > threshold) > 0.5)


def is_photograph(grey: np.ndarray, threshold: int, settings: Preprocessing) -> bool:
    """Whether the darkest part of the paper (ink is light), usually a quarter, is not all black."""
    return percentile(grey[grey <= threshold], settings.photograph_percentile) > settings.photograph_level


def opening(grey: np.ndarray, window: int) -> np.ndarray:
    """For every pixel the lightest of the squares that hold it, where a square is as light as its darkest pixel."""
    height, width = grey.shape
    window = min(window, height, width)
    opened = np.zeros_like(grey)
    for top in range(height - window + 1):
        for left in range(width - window + 1):
            square = slice(top, top + window), slice(left, left + window)
            opened[square] = np.maximum(opened[square], grey[square].min())
    return opened


def connected_parts(mask: np.ndarray) -> Iterator[set[tuple[int, int]]]:
    """The pixels of each connected part of a mask. Pixels that touch at a corner are connected."""
    unseen = {(int(y), int(x)) for y, x in np.argwhere(mask)}
    while unseen:
        part: set[tuple[int, int]] = set()
        front = {unseen.pop()}
        while front:
            part |= front
            around = {(y + down, x + right) for y, x in front for down in (-1, 0, 1) for right in (-1, 0, 1)}
            front = around & unseen
            unseen -= front
        yield part


def connected_ink(grey: np.ndarray, threshold: int, low: int, speck: int) -> np.ndarray:
    """Connected parts above `low` that have at least `speck` pixels, one of them above the threshold. 0 elsewhere."""
    ink = np.zeros_like(grey)
    for part in connected_parts(grey > low):
        if len(part) >= speck and max(grey[pixel] for pixel in part) > threshold:
            for pixel in part:
                ink[pixel] = grey[pixel]
    return ink


def faint_ink(
    grey: np.ndarray, ink: np.ndarray, threshold: int, low: int, speck: int, settings: Preprocessing
) -> np.ndarray:
    """Further parts above `low`, of at least a share of the picture, none of them at its border, one of them no farther
    from the ink's box than a share of its longer side and more than a share of the threshold above the paper."""
    if not ink.any():
        return ink
    below = grey[grey <= threshold].mean()
    peak = max(low, math.floor(below + (threshold - below) * settings.faint_peak))
    rows, columns = np.nonzero(ink)
    top, bottom, left, right = rows.min(), rows.max(), columns.min(), columns.max()
    reach = math.floor(settings.faint_reach * (max(bottom - top, right - left) + 1))
    height, width = grey.shape
    ink = ink.copy()
    for part in connected_parts((grey > low) & (ink == 0)):
        is_cut = any(y in (0, height - 1) or x in (0, width - 1) for y, x in part)
        is_near = any(
            grey[y, x] > peak and top - reach <= y <= bottom + reach and left - reach <= x <= right + reach
            for y, x in part
        )
        if is_near and not is_cut and len(part) >= max(speck, math.floor(grey.size * settings.faint_share)):
            for pixel in part:
                ink[pixel] = grey[pixel]
    return ink


def low_threshold(grey: np.ndarray, threshold: int, settings: Preprocessing) -> int:
    """A lower threshold, `low_ratio` of the way from the mean of the paper up to Otsu's, or higher.

    Above it are at most `most_growth` more pixels than above Otsu's.
    """
    if settings.low_ratio == 1:
        return threshold
    below = grey[grey <= threshold].mean()
    levels = range(math.floor(below + settings.low_ratio * (threshold - below)), threshold)
    ink = np.count_nonzero(grey > threshold)
    most = ink + settings.most_growth * ink
    return next((level for level in levels if np.count_nonzero(grey > level) <= most), threshold)


class Ink(NamedTuple):
    """The ink of a picture."""

    ink: np.ndarray
    """(height, width): grey, 0 where there is no ink."""
    level: int
    """Grey of full ink."""


def binarise(grey: np.ndarray, polarity: int, settings: Preprocessing) -> Ink | None:
    """The ink of a picture, or None."""
    grey = shrink(grey, settings.longest_side)
    threshold = otsu(grey)
    if threshold is None or _contrast(grey, threshold) < settings.least_contrast:
        return None
    if polarity == INK_DARK or (polarity == INK_AUTO and border_is_light(grey, threshold)):
        grey = 255 - grey
        threshold = otsu(grey)
    if settings.paper_window and is_photograph(grey, threshold, settings):
        window = int(settings.paper_window * max(grey.shape))
        grey = grey - opening(grey, window if window % 2 else window + 1)
        threshold = otsu(grey)
        if threshold is None or _contrast(grey, threshold) < settings.least_contrast:
            return None
    low = low_threshold(grey, threshold, settings)
    speck = max(settings.least_speck, int(settings.speck_share * grey.size))
    ink = faint_ink(grey, connected_ink(grey, threshold, low, speck), threshold, low, speck, settings)
    pixels = np.count_nonzero(ink)
    if pixels == 0 or pixels > settings.most_ink * ink.size:
        return None
    return Ink(ink, percentile(ink[ink > 0], settings.ink_percentile) if settings.ink_percentile else 1)


def _contrast(grey: np.ndarray, threshold: int) -> float:
    return float(_mean(grey[grey > threshold]) - _mean(grey[grey <= threshold]))


# The square.


def triangle_weights(centre: float, scale: float, length: int, side: int) -> np.ndarray:
    """Share that every pixel of a line gives to every pixel of the square, (side, length)."""
    reach = max(scale, 1)
    weights = np.zeros((side, length))
    for target in range(side):
        middle = centre + (target + 0.5 - side / 2) * scale

        def triangle(pixel: int, middle: float = middle) -> float:
            return max(0, 1 - abs(pixel + 0.5 - middle) / reach)

        total = sum(triangle(pixel) for pixel in range(math.floor(middle - reach) - 1, math.ceil(middle + reach) + 1))
        weights[target] = [triangle(pixel) / total for pixel in range(length)]
    return weights


def extent(masses: np.ndarray, settings: Preprocessing) -> tuple[float, float]:
    """Centre and size of the ink in one direction, from its profile."""
    places = np.arange(len(masses)) + 0.5
    if settings.by_moments:
        centre = np.average(places, weights=masses)
        variance = np.average((places - centre) ** 2, weights=masses) + settings.pixel_spread
        return centre, settings.moment_width * math.sqrt(variance)
    inked = places[masses > 0]
    return (inked[0] + inked[-1]) / 2, inked[-1] - inked[0] + 1


def window(found: Ink, settings: Preprocessing) -> tuple[tuple[float, float], tuple[float, float]]:
    """Centre in the picture, and pixels of the picture for one pixel of the square: down, then across."""
    mass = np.minimum(found.ink, found.level).astype(float)
    centre_y, extent_y = extent(mass.sum(axis=1), settings)
    centre_x, extent_x = extent(mass.sum(axis=0), settings)
    longer, shorter = max(extent_y, extent_x), min(extent_y, extent_x)
    room = settings.side - 2 * settings.margin
    shorter_room = room * (shorter / longer) ** settings.aspect_power
    room_y, room_x = (room, shorter_room) if extent_y >= extent_x else (shorter_room, room)
    return (centre_y, extent_y / room_y), (centre_x, extent_x / room_x)


def normalise(found: Ink, settings: Preprocessing) -> np.ndarray:
    """The square (side, side): 0 where there is no ink, 1 where it is full."""
    (centre_y, scale_y), (centre_x, scale_x) = window(found, settings)
    height, width = found.ink.shape
    share = np.minimum(found.ink, found.level) / found.level
    down = triangle_weights(centre_y, scale_y, height, settings.side)
    across = triangle_weights(centre_x, scale_x, width, settings.side)
    return down @ share @ across.T


# Histogram of oriented gradients.


def blur(square: np.ndarray) -> np.ndarray:
    """Weights 1-2-1 down and across. Outside the square is 0."""
    framed = np.pad(square, 1)
    down = (framed[:-2] + 2 * framed[1:-1] + framed[2:]) / 4
    return (down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]) / 4


def bin_shares(right: float, down: float, hog: HogSettings) -> dict[int, float]:
    """Length that a gradient gives to each bin: to the nearest two by the law of sines, or to the one below."""
    turn = 2 * math.pi if hog.signed else math.pi
    step = turn / hog.bins
    place = math.atan2(down, right) % turn / step
    lower, length = int(place), math.hypot(right, down)
    if not hog.soft_bins:
        return {lower % hog.bins: length}
    angle = (place - lower) * step
    return {
        lower % hog.bins: length * math.sin(step - angle) / math.sin(step),
        (lower + 1) % hog.bins: length * math.sin(angle) / math.sin(step),
    }


def cell_shares(pixel: int, cells: int, hog: HogSettings) -> dict[int, float]:
    """Share that a pixel gives to each cell in one direction."""
    if not hog.soft_cells:
        return {pixel // hog.cell: 1}
    shares = {cell: 1 - abs(pixel + 0.5 - (cell + 0.5) * hog.cell) / hog.cell for cell in range(cells)}
    return {cell: share for cell, share in shares.items() if share > 0}


def in_whole_levels(square: np.ndarray, smoothing: int) -> np.ndarray:
    """The blurred square, rounded to 2047 levels before and after each pass. Halves are rounded up."""
    levels = np.floor(square * np.float32(2047) + np.float32(0.5)).astype(float)
    for _ in range(smoothing):
        levels = np.floor(blur(levels) + 0.5)
    return levels / 2047


def histogram_of_gradients(square: np.ndarray, hog: HogSettings) -> np.ndarray:
    """(cells, cells, bins) flat."""
    if len(square) == 32 and (hog.cell, hog.bins) == (4, 8) and hog.signed and hog.soft_bins and hog.soft_cells:
        square = in_whole_levels(square, hog.smoothing)
    else:
        square = square.astype(float)
        for _ in range(hog.smoothing):
            square = blur(square)
    side = len(square)
    cells = side // hog.cell
    histogram = np.zeros((cells, cells, hog.bins))
    for y in range(cells * hog.cell):
        for x in range(cells * hog.cell):
            right = square[y, x + 1] - square[y, x - 1] if 0 < x < side - 1 else 0
            down = square[y + 1, x] - square[y - 1, x] if 0 < y < side - 1 else 0
            bins = bin_shares(right, down, hog)
            for row, share_y in cell_shares(y, cells, hog).items():
                for column, share_x in cell_shares(x, cells, hog).items():
                    for number, amount in bins.items():
                        histogram[row, column, number] += share_y * share_x * amount
    if hog.contrast == 1 and histogram.any():
        histogram /= histogram.max()
    if hog.contrast == 2:
        histogram /= np.sqrt((histogram**2).sum(axis=2, keepdims=True) + hog.least_norm**2)
    return (np.sqrt(histogram) if hog.square_root else histogram).ravel()


# Decision.


def scores(features: np.ndarray, weights: Weights, constant: float) -> np.ndarray:
    """1 + sum of squares * response**2 + linears * response, for every class."""
    inputs = features.astype(float)
    if weights.projection.size:
        inputs = weights.offset + inputs @ weights.projection
    if constant:
        inputs = np.append(inputs, constant)
    responses = np.einsum("i,irc->rc", inputs, weights.vectors.astype(float))
    return 1 + (weights.squares * responses**2 + weights.linears * responses).sum(axis=0)


def novelty(label: int, inputs: np.ndarray, weights: Weights) -> float:
    """Squared Mahalanobis distance from a class whose precision matrix is a diagonal plus factors; 0 if unchecked."""
    if not len(weights.novelty_means):
        return 0.0
    factors = weights.novelty_factors[label].astype(float)
    precision = np.diag(weights.novelty_weights[label].astype(float)) + factors @ factors.T
    away = inputs[: len(factors)].astype(float) - weights.novelty_means[label]
    return float(away @ precision @ away)


def decision(scores: np.ndarray, weights: Weights) -> tuple[int, int, float, float]:
    """Best class, second class, margin, confidence."""
    best, second = sorted(range(len(scores)), key=lambda label: scores[label])[:2]
    margin = float(scores[second] - scores[best])
    return best, second, margin, float(np.interp(margin, weights.margins, weights.confidences))


def gains(
    inputs: np.ndarray, samples: np.ndarray, labels: list[int], classes: int, strength: float, reach: float
) -> np.ndarray:
    """How much lower the taught samples make the score of each class."""
    best = [0.0] * classes
    for sample, label in zip(samples, labels, strict=True):
        square = sum((float(a) - float(b)) ** 2 for a, b in zip(inputs, sample, strict=True))
        best[label] = max(best[label], strength * math.exp(-square / reach))
    return np.array(best)
