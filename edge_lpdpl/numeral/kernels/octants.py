"""The histogram of the edge profile, fast: a 32x32 square, 4x4 cells, eight signed directions, all shared softly.

The same sums as `edge_lpdpl.numeral.kernels.histogram.accumulate_gradients`, in whole numbers. The square is rounded to
`LEVELS` steps, and from there on every sum is exact, so neither its order nor the machine matters. Sixteen bits are
enough, so an aarch64 vector holds eight pixels. Sums are taken first down and then across. No loop branches on a pixel.
All loops run along memory over lengths that the compiler knows, hence the flat arrays.
"""

import numpy as np

from edge_lpdpl.jit.compiler import inlined, kernel
from edge_lpdpl.jit.intrinsics import flat
from edge_lpdpl.numeral.buffers import AXIS, CELL, CELLS, DIAGONAL, DIRECTIONS, LEVELS, LINE, MARGIN, PLANE, SIDE, STRIP

HALF = np.float32(0.5)


@kernel
def round_levels(square, levels):
    """The square (SIDE * SIDE,) float32, 0 to 1, in whole levels."""
    inner = levels[SIDE : SIDE + SIDE * SIDE]
    for index in range(SIDE * SIDE):
        inner[index] = np.int16(square[index] * np.float32(LEVELS) + HALF)


@kernel
def smooth_levels(levels, scratch):
    """One pass of the binomial blur 1-2-1 down and across, rounded once, in place.

    Args:
        levels, scratch: (SIDE * (SIDE + 2),) int16; the row before the square and the one after it stay 0.
    """
    for index in range(SIDE, SIDE + SIDE * SIDE):
        scratch[index] = levels[index - SIDE] + 2 * levels[index] + levels[index + SIDE]
    for index in range(SIDE, SIDE + SIDE * SIDE):
        levels[index] = np.int16(scratch[index - 1] + 2 * scratch[index] + scratch[index + 1] + 8) >> 4
    for left in range(SIDE, SIDE + SIDE * SIDE, SIDE):  # not with the neighbour in another row
        right = left + SIDE - 1
        levels[left] = np.int16(2 * scratch[left] + scratch[left + 1] + 8) >> 4
        levels[right] = np.int16(2 * scratch[right] + scratch[right - 1] + 8) >> 4


@kernel
def level_gradients(levels, right, down):
    """Central differences across and down, none at the rim.

    Args:
        levels: (SIDE * (SIDE + 2),) int16, with a row before the square and one after it.
        right, down: (SIDE * SIDE + 2 * MARGIN,) int16, written but for the rim down and the margins, which stay 0.
    """
    for index in range(SIDE * SIDE):
        right[MARGIN + index] = levels[SIDE + index + 1] - levels[SIDE + index - 1]
    for left in range(MARGIN, MARGIN + SIDE * SIDE, SIDE):
        right[left] = right[left + SIDE - 1] = 0
    for index in range(SIDE, SIDE * SIDE - SIDE):
        down[MARGIN + index] = levels[index + 2 * SIDE] - levels[index]


@kernel
def components(across, along):
    """The components of a gradient along right, down, left and up, then what each has in common with the next.

    A gradient is split between the two directions next to it by the parallelogram rule. The share of 45 degrees is root
    two times what right and down have in common. The share of 0 degrees is what right has in common with neither down
    nor up. The other directions are the same, turned. So `share` computes the sums of shares from the sums of these.
    """
    zero = np.int16(0)
    right, down = max(zero, across), max(zero, along)
    left, up = np.int16(right - across), np.int16(down - along)
    return right, down, left, up, min(right, down), min(left, down), min(left, up), min(right, up)


@kernel
def weigh(lines, place, first, second, third, fourth):
    """Add four pixels, weighed 7, 5, 3 and 1, to a row of cells, and write them to the next, weighed 1, 3, 5 and 7."""
    even = np.int16(4 * (first + second + third + fourth))  # sixteen bits at every step, or the compiler takes 64
    odd = np.int16(3 * (first - fourth) + (second - third))
    lines[place] += np.uint16(even + odd)
    lines[place + LINE] = np.uint16(even - odd)


@kernel
def pool_down(right, down, lines):
    """Components of the gradients, in triangle-weighted sums over the eight pixels about each row of cells.

    Four rows of pixels at a time, which lie between the middles of two rows of cells: for the upper one they are the
    second half of its pixels, for the lower one the first.

    Args:
        right, down: (SIDE * SIDE + 2 * MARGIN,) int16 gradients.
        lines: (DIRECTIONS * PLANE,) uint16, for each component a line for every row of cells, and one above the
            square and one below it, which mean nothing. Written from place CELL / 2 of a line on; the rest stays 0.
    """
    for start in range(0, DIRECTIONS * PLANE, PLANE):
        for x in range(LINE):
            lines[start + x] = 0  # the row above, which is only added to
    for row in range(CELLS + 1):
        pixel, line = row * CELL * SIDE, row * LINE + CELL // 2
        for x in range(SIDE):
            a = components(right[pixel + x], down[pixel + x])
            b = components(right[pixel + SIDE + x], down[pixel + SIDE + x])
            c = components(right[pixel + 2 * SIDE + x], down[pixel + 2 * SIDE + x])
            d = components(right[pixel + 3 * SIDE + x], down[pixel + 3 * SIDE + x])
            for component in range(DIRECTIONS):
                weigh(lines, line + x + component * PLANE, a[component], b[component], c[component], d[component])


@kernel
def pool_across(lines, sums):
    """The same sums over the eight pixels about each cell of a line.

    The lines of a component at once, as if they were one: the cell that would lie across two of them is not used.

    Args:
        lines: (DIRECTIONS * PLANE,) uint16.
        sums: (DIRECTIONS, STRIP) int32, written.
    """
    for component in range(DIRECTIONS):
        first = component * PLANE + LINE
        for cell in range(STRIP):
            place = first + CELL * cell
            sums[component, cell] = (
                (int(lines[place]) + int(lines[place + 7]))
                + 3 * (int(lines[place + 1]) + int(lines[place + 6]))
                + 5 * (int(lines[place + 2]) + int(lines[place + 5]))
                + 7 * (int(lines[place + 3]) + int(lines[place + 4]))
            )


@kernel
def share(sums, histogram):
    """The shares of the eight directions in units of the square, cells in reading order and directions innermost.

    An axis has what its component has in common with neither neighbour; a diagonal has what two axes have in common.
    """
    for row in range(CELLS):
        for column in range(CELLS):
            cell, place = row * (CELLS + 1) + column, (row * CELLS + column) * DIRECTIONS
            for axis in range(4):
                own = np.int32(sums[axis, cell] - sums[4 + axis, cell] - sums[4 + (axis + 3) % 4, cell])
                histogram[place + 2 * axis] = AXIS * np.float32(own)
                histogram[place + 2 * axis + 1] = DIAGONAL * np.float32(sums[4 + axis, cell])


@inlined
def octant_histogram(smoothing, buffers):
    """Histogram of oriented gradients of `buffers.square`, into `buffers.features` (CELLS * CELLS * DIRECTIONS,).

    Args:
        smoothing: passes of the blur.
    """
    levels, right, down, lines = buffers.octant_levels, buffers.octant_right, buffers.octant_down, buffers.octant_lines
    round_levels(flat(buffers.square), levels)
    for _ in range(smoothing):
        smooth_levels(levels, buffers.octant_halfway)
    level_gradients(levels, right, down)
    pool_down(right, down, lines)
    pool_across(lines, buffers.octant_sums)
    share(buffers.octant_sums, buffers.features)
