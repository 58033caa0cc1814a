"""The histogram of the edge profile, fast: a 32x32 square, 4x4 cells, eight signed directions, all shared softly.

The same sums as `edge_lpdpl.hog.accumulate_gradients`, taken first down and then across. No loop branches on a pixel
and all run along memory over lengths known to the compiler, which then needs neither checks nor remainders: several
times faster than pixel by pixel. The arrays are flat for that reason.
"""

import math

import numpy as np

from edge_lpdpl.compiled import kernel
from edge_lpdpl.intrinsics import lesser
from edge_lpdpl.workspace import CELL, CELLS, DIRECTIONS, LINE, MARGIN, SIDE

ZERO, QUARTER, HALF, ONE = np.float32(0), np.float32(0.25), np.float32(0.5), np.float32(1)
ROOT_TWO = np.float32(math.sqrt(2))
NEAR, NEARER, FAR, FARTHER = np.float32(7 / 8), np.float32(5 / 8), np.float32(3 / 8), np.float32(1 / 8)
"""What a cell takes of the pixels at 1/2, 3/2, 5/2 and 7/2 pixels from its middle."""


@kernel
def fits_octants(settings, side):
    """True where `settings` (HogSettings) and the side of the square are those that this module is for."""
    soft = settings.soft_bins and settings.soft_cells
    return side == SIDE and settings.cell == CELL and settings.bins == DIRECTIONS and settings.signed and soft


@kernel
def smooth_flat(square, blurred, scratch):
    """One pass of the binomial blur 1-2-1 down and across, as `hog.smooth_square`; all (SIDE * SIDE,)."""
    last = SIDE * SIDE - SIDE
    for x in range(SIDE):
        scratch[x] = HALF * square[x] + QUARTER * square[SIDE + x]
    for index in range(SIDE, last):
        scratch[index] = HALF * square[index] + QUARTER * square[index - SIDE] + QUARTER * square[index + SIDE]
    for x in range(SIDE):
        scratch[last + x] = HALF * square[last + x] + QUARTER * square[last - SIDE + x]
    for index in range(1, SIDE * SIDE - 1):
        blurred[index] = HALF * scratch[index] + QUARTER * scratch[index - 1] + QUARTER * scratch[index + 1]
    for left in range(0, SIDE * SIDE, SIDE):
        right = left + SIDE - 1
        blurred[left] = HALF * scratch[left] + QUARTER * scratch[left + 1]
        blurred[right] = HALF * scratch[right] + QUARTER * scratch[right - 1]


@kernel
def flat_gradients(square, right, down):
    """Central differences across and down, none at the rim.

    Args:
        square: (SIDE * SIDE,).
        right, down: ((SIDE + CELL) * SIDE,) written from row CELL / 2 on; the rows before and after stay 0.
    """
    last = SIDE * SIDE - SIDE
    for index in range(1, SIDE * SIDE - 1):
        right[MARGIN + index] = square[index + 1] - square[index - 1]
    for left in range(MARGIN, MARGIN + SIDE * SIDE, SIDE):
        right[left] = right[left + SIDE - 1] = ZERO
    for x in range(SIDE):
        down[MARGIN + x] = down[MARGIN + last + x] = ZERO
    for index in range(SIDE, last):
        down[MARGIN + index] = square[index + SIDE] - square[index - SIDE]


@kernel
def share_axes(across, along, other_across, other_along):
    """What two gradients together have of the directions right, down, left and up.

    A gradient is split between the two directions next to it by the parallelogram rule. The share of 0 degrees is what
    goes right over what goes up or down, and that of 45 degrees is root two times what they have in common; the other
    directions are the same, turned. Minima and maxima say all of it; those of the directions left and up are negative
    here, which saves the changes of sign.
    """
    flat, steep, other_flat, other_steep = abs(across), abs(along), abs(other_across), abs(other_along)
    return (
        max(ZERO, across - steep) + max(ZERO, other_across - other_steep),
        max(ZERO, along - flat) + max(ZERO, other_along - other_flat),
        min(ZERO, across + steep) + min(ZERO, other_across + other_steep),
        min(ZERO, along + flat) + min(ZERO, other_along + other_flat),
    )


@kernel
def share_diagonals(across, along, other_across, other_along):
    """What they have of the directions between, from right and down on, without the factor root two."""
    right, down, more_right, more_down = (
        max(ZERO, across),
        max(ZERO, along),
        max(ZERO, other_across),
        max(ZERO, other_along),
    )
    left, up, more_left, more_up = right - across, down - along, more_right - other_across, more_down - other_along
    return (
        lesser(right, down) + lesser(more_right, more_down),
        lesser(left, down) + lesser(more_left, more_down),
        lesser(left, up) + lesser(more_left, more_up),
        lesser(right, up) + lesser(more_right, more_up),
    )


@kernel
def pool_axes(right, down, lines):
    """Shares of the axes, in triangle-weighted sums over the eight rows about each row of cells.

    Rows are taken in pairs, as far from the middle as each other, and shares are used where they are made. Four
    directions are all that there are registers for.

    Args:
        right, down: ((SIDE + CELL) * SIDE,) gradients, with half a cell of zeros before and after them.
        lines: (CELLS * DIRECTIONS * LINE,) every other line written, from place CELL / 2 on; the rest of it stays 0.
    """
    for cell in range(CELLS):
        first, target = cell * CELL * SIDE, (cell * DIRECTIONS) * LINE + CELL // 2
        for x in range(first, first + SIDE):
            a, b, c, d = share_axes(right[x], down[x], right[x + 7 * SIDE], down[x + 7 * SIDE])
            e, f, g, h = share_axes(right[x + SIDE], down[x + SIDE], right[x + 6 * SIDE], down[x + 6 * SIDE])
            a, b, c, d = FARTHER * a + FAR * e, FARTHER * b + FAR * f, FARTHER * c + FAR * g, FARTHER * d + FAR * h
            e, f, g, h = share_axes(right[x + 2 * SIDE], down[x + 2 * SIDE], right[x + 5 * SIDE], down[x + 5 * SIDE])
            a, b, c, d = a + NEARER * e, b + NEARER * f, c + NEARER * g, d + NEARER * h
            e, f, g, h = share_axes(right[x + 3 * SIDE], down[x + 3 * SIDE], right[x + 4 * SIDE], down[x + 4 * SIDE])
            place = target + x - first
            lines[place], lines[place + 2 * LINE] = a + NEAR * e, b + NEAR * f
            lines[place + 4 * LINE], lines[place + 6 * LINE] = c + NEAR * g, d + NEAR * h


@kernel
def pool_diagonals(right, down, lines):
    """The same of the diagonals, into the lines between."""
    for cell in range(CELLS):
        first, target = cell * CELL * SIDE, (cell * DIRECTIONS + 1) * LINE + CELL // 2
        for x in range(first, first + SIDE):
            a, b, c, d = share_diagonals(right[x], down[x], right[x + 7 * SIDE], down[x + 7 * SIDE])
            e, f, g, h = share_diagonals(right[x + SIDE], down[x + SIDE], right[x + 6 * SIDE], down[x + 6 * SIDE])
            a, b, c, d = FARTHER * a + FAR * e, FARTHER * b + FAR * f, FARTHER * c + FAR * g, FARTHER * d + FAR * h
            e, f, g, h = share_diagonals(
                right[x + 2 * SIDE], down[x + 2 * SIDE], right[x + 5 * SIDE], down[x + 5 * SIDE]
            )
            a, b, c, d = a + NEARER * e, b + NEARER * f, c + NEARER * g, d + NEARER * h
            e, f, g, h = share_diagonals(
                right[x + 3 * SIDE], down[x + 3 * SIDE], right[x + 4 * SIDE], down[x + 4 * SIDE]
            )
            place = target + x - first
            lines[place], lines[place + 2 * LINE] = a + NEAR * e, b + NEAR * f
            lines[place + 4 * LINE], lines[place + 6 * LINE] = c + NEAR * g, d + NEAR * h


@kernel
def pool_across(lines, sums):
    """The same sums over the eight pixels about each cell of a line.

    All lines at once, as if they were one: the cell that would lie across two of them is not used.

    Args:
        lines: (CELLS * DIRECTIONS * LINE + CELL,).
        sums: (CELLS * DIRECTIONS * (CELLS + 1),) written.
    """
    for cell in range(CELLS * DIRECTIONS * (CELLS + 1)):
        place = CELL * cell
        sums[cell] = (
            FARTHER * (lines[place] + lines[place + 7])
            + FAR * (lines[place + 1] + lines[place + 6])
            + NEARER * (lines[place + 2] + lines[place + 5])
            + NEAR * (lines[place + 3] + lines[place + 4])
        )


@kernel
def order_cells(sums, histogram):
    """From lines of cells to cells in reading order, without signs, and the odd directions' factor root two."""
    for row in range(CELLS):
        for direction in range(DIRECTIONS):
            source, target = (row * DIRECTIONS + direction) * (CELLS + 1), row * CELLS * DIRECTIONS + direction
            factor = ROOT_TWO if direction % 2 else ONE
            for column in range(CELLS):
                histogram[target + column * DIRECTIONS] = factor * abs(sums[source + column])


@kernel
def octant_histogram(square, smoothing, scratch, histogram):
    """Histogram of oriented gradients (CELLS * CELLS * DIRECTIONS,) of a flat square (SIDE * SIDE,).

    Args:
        smoothing: passes of the blur.
        scratch: OctantBuffers.
    """
    for _ in range(smoothing):
        smooth_flat(square, scratch.blurred, scratch.halfway)
        square = scratch.blurred
    flat_gradients(square, scratch.right, scratch.down)
    pool_axes(scratch.right, scratch.down, scratch.lines)
    pool_diagonals(scratch.right, scratch.down, scratch.lines)
    pool_across(scratch.lines, scratch.sums)
    order_cells(scratch.sums, histogram)
