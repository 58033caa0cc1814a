"""Histogram of oriented gradients of the square (the paper's section 2.3; Dalal and Triggs 2005).

Soft bins share a gradient between the two bin directions next to it by the parallelogram rule: the gradient is the sum
of two vectors along them. That needs no arctangent and no division, and keeps the whole gradient.
"""

import math

import numpy as np

from edge_lpdpl.jit.compiler import inlined, kernel
from edge_lpdpl.numeral.buffers import fits_octants
from edge_lpdpl.numeral.kernels.octants import octant_histogram

HALF = np.float32(0.5)
QUARTER = np.float32(0.25)

CONTRAST_IMAGE, CONTRAST_CELL = 1, 2
"""Values of `HogSettings.contrast` besides 0, none."""


_fits_octants = kernel(fits_octants)


@kernel
def blur_down(square, blurred):
    """The binomial blur 1-2-1 down, from one (side, side) array to another; outside the square there is nothing."""
    side = len(square)
    for y in range(side):
        for x in range(side):
            total = HALF * square[y, x]
            if y > 0:
                total += QUARTER * square[y - 1, x]
            if y < side - 1:
                total += QUARTER * square[y + 1, x]
            blurred[y, x] = total


@kernel
def cell_share(pixel, cell):
    """The lower one of the two cells that share a pixel (-1 before the first), and the share of the upper one."""
    offset = 2 * pixel + 1 - cell
    lower = offset // (2 * cell)
    return lower, np.float32(offset - 2 * cell * lower) / np.float32(2 * cell)


@kernel
def split_bins(right, down, directions, signed, soft):
    """The two bins that share a gradient, and their shares; `directions` (bins + 1, 2) go over 360 degrees or over 180.

    With hard bins the whole length goes to the bin that starts at the direction below it, as in scikit-image.
    """
    bins = len(directions) - 1
    if not signed and (down < 0 or (down == 0 and right < 0)):
        right, down = -right, -down
    lower = 0
    if signed and down < 0:
        # The lower half of the circle: directions from 180 degrees on.
        while directions[lower, 1] > 0 or lower == 0:
            lower += 1
        if directions[lower, 0] * down - directions[lower, 1] * right < 0:
            lower -= 1
    while lower + 1 < bins and directions[lower + 1, 0] * down - directions[lower + 1, 1] * right >= 0:
        lower += 1
    if not soft:
        return lower, math.sqrt(right * right + down * down), lower, np.float32(0)
    first_x, first_y = directions[lower, 0], directions[lower, 1]
    second_x, second_y = directions[lower + 1, 0], directions[lower + 1, 1]
    area = first_x * second_y - first_y * second_x
    first = max(np.float32(0), (right * second_y - down * second_x) / area)
    second = max(np.float32(0), (first_x * down - first_y * right) / area)
    return lower, first, (lower + 1) % bins, second


@kernel
def accumulate_gradients(square, settings, directions, histogram):
    """Add every pixel's gradient (central differences, none at the rim) to the bins of its cells, for any settings.

    Args:
        square: (side, side) float32.
        histogram: (cells * cells * bins,) float32, written; cells in reading order, bins innermost. Pixels that are
            left over when `cell` does not divide the side are not used.
    """
    side, cell, bins = square.shape[0], settings.cell, settings.bins
    cells = side // cell
    for index in range(len(histogram)):
        histogram[index] = 0
    for y in range(cells * cell):
        for x in range(cells * cell):
            right = square[y, x + 1] - square[y, x - 1] if 0 < x < side - 1 else np.float32(0)
            down = square[y + 1, x] - square[y - 1, x] if 0 < y < side - 1 else np.float32(0)
            if right == 0 and down == 0:
                continue
            first_bin, first, second_bin, second = split_bins(
                right, down, directions, settings.signed, settings.soft_bins
            )
            if not settings.soft_cells:
                place = (y // cell * cells + x // cell) * bins
                histogram[place + first_bin] += first
                histogram[place + second_bin] += second
                continue
            top, low_y = cell_share(y, cell)
            left, low_x = cell_share(x, cell)
            for step_y in range(2):
                for step_x in range(2):
                    row, column = top + step_y, left + step_x
                    if 0 <= row < cells and 0 <= column < cells:
                        weight = (low_y if step_y else 1 - low_y) * (low_x if step_x else 1 - low_x)
                        place = (row * cells + column) * bins
                        histogram[place + first_bin] += weight * first
                        histogram[place + second_bin] += weight * second


@kernel
def normalise_contrast(histogram, bins, contrast, least_norm):
    """Divide by the largest number of the picture (CONTRAST_IMAGE) or by each cell's Euclidean norm (CONTRAST_CELL)."""
    if contrast == CONTRAST_IMAGE:
        largest = np.float32(0)
        for value in histogram:
            largest = max(largest, value)
        if largest > 0:
            for index in range(len(histogram)):
                histogram[index] /= largest
    elif contrast == CONTRAST_CELL:
        for start in range(0, len(histogram), bins):
            total = np.float32(least_norm) * np.float32(least_norm)
            for index in range(start, start + bins):
                total += histogram[index] * histogram[index]
            norm = math.sqrt(total)
            for index in range(start, start + bins):
                histogram[index] /= norm


@inlined
def histogram_of_gradients(settings, buffers):
    """Features of `buffers.square` into `buffers.features` (feature_count,) float32."""
    if _fits_octants(settings, buffers.square.shape[0]):
        octant_histogram(settings.smoothing, buffers)
    else:
        blurred = buffers.square
        for _ in range(settings.smoothing):
            blur_down(blurred, buffers.smooth[1])
            blurred = buffers.smooth[0]
            blur_down(buffers.smooth[1].T, blurred.T)  # across
        accumulate_gradients(blurred, settings, buffers.directions, buffers.features)
    normalise_contrast(buffers.features, settings.bins, settings.contrast, settings.least_norm)
    if settings.square_root:
        for index in range(len(buffers.features)):
            buffers.features[index] = math.sqrt(buffers.features[index])
