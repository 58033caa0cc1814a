"""Ink to a centred square: one scale and one shift a direction, resampled with a triangle filter."""

import math

import numpy as np

from edge_lpdpl.jit.compiler import inlined, kernel
from edge_lpdpl.jit.memory import LANES
from edge_lpdpl.jit.registers import add_lines, transpose
from edge_lpdpl.numeral.buffers import BOTTOM, LEFT, LEVEL, RIGHT, TOP, WIDTH


@kernel
def ink_moments(ink, width, masses, found, pixel_spread):
    """Centroid and variance of the ink, down and across, in pixels; a pixel weighs its grey up to the full-ink level.

    Sums are whole numbers, so the result does not depend on their order.

    Args:
        masses: (PICTURE_SIDE,) uint16, written: the weight of each column of the ink's box.

    Returns:
        (centre_y, variance_y, centre_x, variance_x); the centre of the first pixel is 0.5.
    """
    level, left, span = np.uint8(found[LEVEL]), found[LEFT], found[RIGHT] - found[LEFT]
    for x in range(span):
        masses[x] = 0
    mass, sum_y, sum_yy, sum_x, sum_xx = 0, 0, 0, 0, 0
    for y in range(found[TOP], found[BOTTOM]):
        row = ink[y * width + left : y * width + left + span]
        row_mass = np.uint32(0)  # 32 bits, or the compiler adds up two pixels at a time
        for x in range(span):
            weight = min(row[x], level)
            masses[x] = np.uint16(masses[x] + weight)
            row_mass = np.uint32(row_mass + weight)
        mass += int(row_mass)
        sum_y += int(row_mass) * y
        sum_yy += int(row_mass) * y * y
    for x in range(span):
        sum_x += int(masses[x]) * (left + x)
        sum_xx += int(masses[x]) * (left + x) * (left + x)
    centre_y, centre_x = sum_y / mass, sum_x / mass
    variance_y = sum_yy / mass - centre_y * centre_y + pixel_spread
    variance_x = sum_xx / mass - centre_x * centre_x + pixel_spread
    return centre_y + 0.5, variance_y, centre_x + 0.5, variance_x


@kernel
def fit_window(settings, ink, width, masses, found):
    """Where the square's sides lie in the picture: (centre_y, scale_y, centre_x, scale_x).

    A scale is source pixels for one pixel of the square. The longer side of the ink fills the square; the shorter one
    keeps its share of it to the power `aspect_power`.
    """
    if settings.by_moments:
        centre_y, variance_y, centre_x, variance_x = ink_moments(ink, width, masses, found, settings.pixel_spread)
        extent_y = settings.moment_width * math.sqrt(variance_y)
        extent_x = settings.moment_width * math.sqrt(variance_x)
    else:
        centre_y, extent_y = (found[TOP] + found[BOTTOM]) / 2, float(found[BOTTOM] - found[TOP])
        centre_x, extent_x = (found[LEFT] + found[RIGHT]) / 2, float(found[RIGHT] - found[LEFT])
    room = settings.side - 2.0 * settings.margin
    longer = max(extent_y, extent_x)
    share = min(extent_y, extent_x) / longer
    # A root is exact everywhere, a power is not.
    shorter_room = room * (math.sqrt(share) if settings.aspect_power == 0.5 else share**settings.aspect_power)
    if extent_y >= extent_x:
        return centre_y, extent_y / room, centre_x, extent_x / shorter_room
    return centre_y, extent_y / shorter_room, centre_x, extent_x / room


@kernel
def triangle_taps(centre, scale, first, end, total, taps, spans, aims):
    """Weights of a triangle filter, as Pillow's BILINEAR resize has them, for one direction.

    Pixel t of the square depends on the picture around centre + (t + 0.5 - side / 2) * scale, with a triangle that
    reaches max(scale, 1) pixels to both sides. Pixels outside `first..end` hold no ink and are left out. The loops run
    over all pixels of the square, one tap after the other, so that they vectorise.

    Args:
        total: what the weights of a triangle add up to.
        taps: (MOST_TAPS, side) float32, written: weights of the pixels, from the first one that a triangle reaches.
        spans: (3, side) int64, written: first source pixel within, one past the last, and the tap of the first.
        aims: (4, side) float64 scratch.
    """
    side = taps.shape[1]
    middles, lows, highs, areas = aims[0], aims[1], aims[2], aims[3]
    starts, stops, skips = spans[0], spans[1], spans[2]
    reach = max(scale, 1.0)
    slope = 1.0 / reach
    for target in range(side):
        middle = centre + (target + 0.5 - side / 2) * scale - 0.5
        low, high = np.ceil(middle - reach), np.floor(middle + reach) + 1
        middles[target], lows[target], highs[target], areas[target] = middle, low, high, 0.0
        starts[target] = max(int(low), first)
        stops[target] = max(starts[target], min(int(high), end))
        skips[target] = starts[target] - int(low)
    count = min(math.ceil(2 * reach) + 1, len(taps))
    for tap in range(count):
        heights = taps[tap]
        for target in range(side):
            source = lows[target] + tap
            height = max(0.0, 1.0 - abs(source - middles[target]) * slope)
            height = height if source < highs[target] else 0.0
            areas[target] += height
            heights[target] = height
    for target in range(side):
        areas[target] = total / areas[target]
    for tap in range(count):
        heights = taps[tap]
        for target in range(side):
            heights[target] *= np.float32(areas[target])


@kernel
def lift_box(ink, width, found, levels, whole):
    """Levels of the ink's box up to the full-ink level, into the first rows of `levels` (PICTURE_SIDE, PICTURE_SIDE).

    As float32, because each row is used several times. `whole` columns are written, some perhaps from beyond the box.
    """
    left, top, most = found[LEFT], found[TOP], np.uint8(found[LEVEL])
    for y in range(top, found[BOTTOM]):
        line, level = ink[y * width + left : y * width + left + whole], levels[y - top, :whole]
        for x in range(whole):
            level[x] = min(line[x], most)


@inlined
def add_taps(lines, taps, spans, first_line, columns, sums):
    """One pass of the resampling, which runs along memory: each row of `sums` is a weighted sum of `lines`.

    Args:
        taps, spans: of this direction, as `triangle_taps` writes them.
        first_line: the number of `lines[0]` among the source pixels.
        columns: that are needed; in whole LANES, so many of `lines` are read.
    """
    for first in range(0, columns, LANES):
        for target in range(len(sums)):
            start, stop, skipped = spans[0, target], spans[1, target], spans[2, target]
            add_lines(sums[target], lines, taps[skipped:, target], start - first_line, stop - first_line, first)


@inlined
def normalise(settings, buffers):
    """Centre and resample the ink that `binarise` found into `buffers.square`: 0 where there is no ink, 1 at the
    full-ink level and above."""
    found, taps, spans, rows = buffers.found, buffers.taps, buffers.spans, buffers.rows
    top, left, width, side, span = found[TOP], found[LEFT], found[WIDTH], len(rows), found[RIGHT] - found[LEFT]
    centre_y, scale_y, centre_x, scale_x = fit_window(settings, buffers.ink, width, buffers.masses, found)
    triangle_taps(centre_y, scale_y, top, found[BOTTOM], 1.0 / found[LEVEL], taps[0], spans[0], buffers.aims)
    triangle_taps(centre_x, scale_x, left, found[RIGHT], 1.0, taps[1], spans[1], buffers.aims)
    lift_box(buffers.ink, width, found, buffers.levels, (span + LANES - 1) // LANES * LANES)
    add_taps(buffers.levels, taps[0], spans[0], top, span, rows)
    transpose(rows, buffers.columns, side, span)
    add_taps(buffers.columns, taps[1], spans[1], left, side, rows)
    transpose(rows, buffers.square, side, side)
