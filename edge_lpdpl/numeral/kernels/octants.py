"""The histogram of the edge profile, fast: a 32x32 square, 4x4 cells, eight signed directions, all shared softly.

The same sums as `edge_lpdpl.numeral.kernels.histogram.accumulate_gradients`, in whole numbers: the square is
rounded to `LEVELS` steps, and from there on every sum is exact, so neither its order nor the machine matters. Sixteen
bits suffice, which makes eight
pixels of an aarch64 vector. Sums are taken first down and then across; no loop branches on a pixel, and all run along
memory over lengths known to the compiler, which then needs neither checks nor remainders. Hence the flat arrays.
"""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import array_at
from edge_lpdpl.jit.registers import turn_tile
from edge_lpdpl.numeral.buffers import AXIS, CELL, CELLS, DIAGONAL, DIRECTIONS, LEVELS, LINE, MARGIN, PLANE, SIDE, STRIP

HALF = np.float32(0.5)


@kernel
def fits_octants(settings, side):
    """True where `settings` (HogSettings) and the side of the square are those that this module is for."""
    soft = settings.soft_bins and settings.soft_cells
    return side == SIDE and settings.cell == CELL and settings.bins == DIRECTIONS and settings.signed and soft


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
def parts(across, along):
    """What a gradient has of right, down, left and up, then what each of these and the next one have in common.

    A gradient is split between the two directions next to it by the parallelogram rule. The share of 45 degrees is root
    two times what right and down have in common; that of 0 degrees is what right has in common with neither down nor
    up. The other directions are the same, turned. So the sums of these eight tell those of the shares (`share`).
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
    """Parts of the gradients, in triangle-weighted sums over the eight pixels about each row of cells.

    Four rows of pixels at a time, which lie between the middles of two rows of cells: for the upper one they are the
    second half of its pixels, for the lower one the first.

    Args:
        right, down: (SIDE * SIDE + 2 * MARGIN,) int16 gradients.
        lines: (DIRECTIONS * PLANE,) uint16, of each part a line for every row of cells, for one above the square and
            for one below it, which mean nothing; written from place CELL / 2 of a line on, the rest of it stays 0.
    """
    for start in range(0, DIRECTIONS * PLANE, PLANE):
        for x in range(LINE):
            lines[start + x] = 0  # of the row above, which is added to and never written
    for row in range(CELLS + 1):
        pixel, line = row * CELL * SIDE, row * LINE + CELL // 2
        for x in range(SIDE):
            a = parts(right[pixel + x], down[pixel + x])
            b = parts(right[pixel + SIDE + x], down[pixel + SIDE + x])
            c = parts(right[pixel + 2 * SIDE + x], down[pixel + 2 * SIDE + x])
            d = parts(right[pixel + 3 * SIDE + x], down[pixel + 3 * SIDE + x])
            weigh(lines, line + x, a[0], b[0], c[0], d[0])
            weigh(lines, line + x + PLANE, a[1], b[1], c[1], d[1])
            weigh(lines, line + x + 2 * PLANE, a[2], b[2], c[2], d[2])
            weigh(lines, line + x + 3 * PLANE, a[3], b[3], c[3], d[3])
            weigh(lines, line + x + 4 * PLANE, a[4], b[4], c[4], d[4])
            weigh(lines, line + x + 5 * PLANE, a[5], b[5], c[5], d[5])
            weigh(lines, line + x + 6 * PLANE, a[6], b[6], c[6], d[6])
            weigh(lines, line + x + 7 * PLANE, a[7], b[7], c[7], d[7])


@kernel
def pool_across(lines, sums):
    """The same sums over the eight pixels about each cell of a line.

    The lines of a part at once, as if they were one: the cell that would lie across two of them is not used.

    Args:
        lines: (DIRECTIONS * PLANE,) uint16.
        sums: (DIRECTIONS, STRIP) int32, written.
    """
    for part in range(DIRECTIONS):
        first = part * PLANE + LINE
        for cell in range(STRIP):
            place = first + CELL * cell
            sums[part, cell] = (
                (int(lines[place]) + int(lines[place + 7]))
                + 3 * (int(lines[place + 1]) + int(lines[place + 6]))
                + 5 * (int(lines[place + 2]) + int(lines[place + 5]))
                + 7 * (int(lines[place + 3]) + int(lines[place + 4]))
            )


@kernel
def share_axis(sums, part, one, other, shares):
    """What a direction along an axis has of its part: what is in common with neither part beside it."""
    for cell in range(STRIP):
        shares[2 * part, cell] = AXIS * np.float32(np.int32(sums[part, cell] - sums[one, cell] - sums[other, cell]))


@kernel
def share_diagonal(sums, part, shares):
    """What the direction between an axis and the next has of what their parts have in common."""
    for cell in range(STRIP):
        shares[2 * part + 1, cell] = DIAGONAL * np.float32(sums[4 + part, cell])


@kernel
def share(sums, shares):
    """What the eight directions have of the sums of parts (DIRECTIONS, STRIP), in units of the square, float32."""
    for part in range(4):
        share_diagonal(sums, part, shares)
        share_axis(sums, part, 4 + part, 4 + (part + 3) % 4, shares)


@kernel
def order_cells(shares, histogram):
    """From directions (DIRECTIONS, STRIP) to cells in reading order, directions innermost: a row of cells is a tile."""
    cells = array_at(histogram.ctypes.data, (CELLS * CELLS, DIRECTIONS), np.float32)
    for row in range(CELLS):
        turn_tile(shares, cells, 0, row * (CELLS + 1), row * CELLS)


@kernel
def octant_histogram(square, smoothing, scratch, histogram):
    """Histogram of oriented gradients (CELLS * CELLS * DIRECTIONS,) of a flat square (SIDE * SIDE,).

    Args:
        smoothing: passes of the blur.
        scratch: OctantBuffers.
    """
    round_levels(square, scratch.levels)
    for _ in range(smoothing):
        smooth_levels(scratch.levels, scratch.halfway)
    level_gradients(scratch.levels, scratch.right, scratch.down)
    pool_down(scratch.right, scratch.down, scratch.lines)
    pool_across(scratch.lines, scratch.sums)
    share(scratch.sums, scratch.shares)
    order_cells(scratch.shares, histogram)
