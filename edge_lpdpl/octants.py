"""The histogram of the edge profile, fast: a 32x32 square, 4x4 cells, eight signed directions, all shared softly.

The same sums as `edge_lpdpl.hog.accumulate_gradients`, taken first down and then across. No loop branches on a pixel
and all run along memory over lengths known to the compiler, which then needs neither checks nor remainders: several
times faster than pixel by pixel. The arrays are flat for that reason.
"""

import math

import numpy as np

from edge_lpdpl.compiled import kernel
from edge_lpdpl.workspace import CELL, CELLS, DIRECTIONS, ROW, SIDE

ZERO, HALF, QUARTER = np.float32(0), np.float32(0.5), np.float32(0.25)
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
    """Central differences across and down, none at the rim; all (SIDE * SIDE,)."""
    last = SIDE * SIDE - SIDE
    for index in range(1, SIDE * SIDE - 1):
        right[index] = square[index + 1] - square[index - 1]
    for left in range(0, SIDE * SIDE, SIDE):
        right[left] = right[left + SIDE - 1] = ZERO
    for x in range(SIDE):
        down[x] = down[last + x] = ZERO
    for index in range(SIDE, last):
        down[index] = square[index + SIDE] - square[index - SIDE]


@kernel
def split_octants(right, down, planes):
    """Split the gradients between the directions 0, 45, ... 315 degrees next to them, by the parallelogram rule.

    The share of 0 degrees is what `right` has over `down`, and that of 45 degrees is root two times what they have in
    common; the other directions are the same, turned. Minima and maxima say all of it.

    Args:
        planes: ((SIDE + CELL) * ROW,) written from row CELL / 2 on: for every row of pixels, SIDE numbers a direction;
            the odd directions without their factor root two. The first and last rows stay 0.
    """
    for y in range(SIDE):
        start = (y + CELL // 2) * ROW
        for x in range(SIDE):
            across, along = right[SIDE * y + x], down[SIDE * y + x]
            place = start + x
            planes[place] = max(ZERO, across - abs(along))
            planes[place + SIDE] = max(ZERO, min(across, along))
            planes[place + 2 * SIDE] = max(ZERO, along - abs(across))
            planes[place + 3 * SIDE] = max(ZERO, min(-across, along))
            planes[place + 4 * SIDE] = max(ZERO, -across - abs(along))
            planes[place + 5 * SIDE] = max(ZERO, min(-across, -along))
            planes[place + 6 * SIDE] = max(ZERO, -along - abs(across))
            planes[place + 7 * SIDE] = max(ZERO, min(across, -along))


@kernel
def pool_down(lines, sums):
    """Triangle-weighted sums over the eight rows about each cell's middle.

    Args:
        lines: ((SIDE + CELL) * ROW,) the rows of pixels, half a cell of zeros before and after them.
        sums: (CELLS * ROW,) written.
    """
    for cell in range(CELLS):
        top = cell * CELL * ROW
        for index in range(ROW):
            place = top + index
            sums[cell * ROW + index] = (
                FARTHER * (lines[place] + lines[place + 7 * ROW])
                + FAR * (lines[place + ROW] + lines[place + 6 * ROW])
                + NEARER * (lines[place + 2 * ROW] + lines[place + 5 * ROW])
                + NEAR * (lines[place + 3 * ROW] + lines[place + 4 * ROW])
            )


@kernel
def turn(sums, columns):
    """Transpose (CELLS * DIRECTIONS, SIDE) into columns of pixels, half a cell of zeros before and after them."""
    length = CELLS * DIRECTIONS
    for x in range(SIDE):
        for row in range(length):
            columns[(x + CELL // 2) * length + row] = sums[row * SIDE + x]


@kernel
def pool_across(columns, sums):
    """As `pool_down`, over columns of CELLS * DIRECTIONS numbers each."""
    length = CELLS * DIRECTIONS
    for cell in range(CELLS):
        left = cell * CELL * length
        for index in range(length):
            place = left + index
            sums[cell * length + index] = (
                FARTHER * (columns[place] + columns[place + 7 * length])
                + FAR * (columns[place + length] + columns[place + 6 * length])
                + NEARER * (columns[place + 2 * length] + columns[place + 5 * length])
                + NEAR * (columns[place + 3 * length] + columns[place + 4 * length])
            )


@kernel
def order_cells(sums, histogram):
    """From columns of cells to cells in reading order, and the odd directions' factor root two."""
    for row in range(CELLS):
        for column in range(CELLS):
            source, target = (column * CELLS + row) * DIRECTIONS, (row * CELLS + column) * DIRECTIONS
            for direction in range(0, DIRECTIONS, 2):
                histogram[target + direction] = sums[source + direction]
                histogram[target + direction + 1] = ROOT_TWO * sums[source + direction + 1]


@kernel
def octant_histogram(square, smoothing, scratch, histogram):
    """Histogram of oriented gradients (CELLS * CELLS * DIRECTIONS,) of a flat square (SIDE * SIDE,).

    Args:
        smoothing: passes of the blur.
        scratch: OctantBuffers.
    """
    for _ in range(smoothing):
        smooth_flat(square, scratch.blurred, scratch.right)
        square = scratch.blurred
    flat_gradients(square, scratch.right, scratch.down)
    split_octants(scratch.right, scratch.down, scratch.planes)
    pool_down(scratch.planes, scratch.rows)
    turn(scratch.rows, scratch.columns)
    pool_across(scratch.columns, scratch.cells)
    order_cells(scratch.cells, histogram)
