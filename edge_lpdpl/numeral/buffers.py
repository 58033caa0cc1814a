"""The buffers of one recogniser, made once: after this a decision allocates nothing."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.memory import LANES, WORD, aligned_zeros
from edge_lpdpl.model.settings import HogSettings, Preprocessing

WORKING_SIDE = 160
"""The longest side of a picture that the buffers have room for: the most that `Preprocessing.longest_side` may be."""

MOST_WORDS = WORKING_SIDE * -(-WORKING_SIDE // WORD)
"""Words of a bitmap."""

MOST_TAPS = 656
"""Pixels across that a pixel of the square may look at: twice 8 standard deviations of at most half a WORKING_SIDE (and
a little), in a square of 8 pixels with 3 free on both sides, by the bounds of `edge_lpdpl.model.settings`; and some."""

HEIGHT, WIDTH, TOP, BOTTOM, LEFT, RIGHT, PIXELS, LEVEL = range(8)
"""Places in `Workspace.found`. BOTTOM and RIGHT are one past the ink."""

SIDE, CELL, DIRECTIONS = 32, 4, 8

CELLS = SIDE // CELL
"""Sizes for which `edge_lpdpl.numeral.kernels.octants` is written."""

LEVELS = 2047
"""Of full ink, there: the most for which the weighted sum of eight pixels (1 + 3 + 5 + 7, twice) has sixteen bits."""

AXIS, DIAGONAL = np.float32(1 / (64 * LEVELS)), np.float32(math.sqrt(2) / (64 * LEVELS))
"""What its sums are worth: the weights of a cell are eighths, down and across; diagonals have the factor root two."""

MARGIN, LINE = CELL // 2 * SIDE, SIDE + CELL
"""Its pictures have half a cell of zeros around: numbers before the first row, and numbers of a line."""

PLANE, STRIP = (CELLS + 2) * LINE, CELLS * (CELLS + 1)
"""Numbers of its lines, with one row of cells above the square and one below; cells of the lines of the square as if
they were one line, with a cell between each two."""


class OctantBuffers(NamedTuple):
    """Scratch of `edge_lpdpl.numeral.kernels.octants`; see there for the shapes."""

    levels: NDArray[np.int16]
    halfway: NDArray[np.int16]
    right: NDArray[np.int16]
    down: NDArray[np.int16]
    lines: NDArray[np.uint16]
    sums: NDArray[np.int32]
    shares: NDArray[np.float32]


class Workspace(NamedTuple):
    """Buffers for pictures of at most WORKING_SIDE x WORKING_SIDE pixels, flat because pictures differ in shape."""

    grey: NDArray[np.uint8]
    """(WORKING_SIDE**2 + WORD,) the picture, light ink on dark."""
    paper: NDArray[np.uint8]
    """(2, WORKING_SIDE**2) scratch for the estimate of uneven paper."""
    ink: NDArray[np.uint8]
    """(WORKING_SIDE**2 + WORD,) grey where there is ink, 0 elsewhere."""
    bitmaps: NDArray[np.int64]
    """(5, MOST_WORDS) where there may be ink, its seeds, one part of it, what is kept, and what the border cuts off;
    see `edge_lpdpl.numeral.kernels.bitmap`."""
    counts: NDArray[np.int32]
    """(256,) histogram of grey levels."""
    found: NDArray[np.int64]
    """(8,) what was found: height, width, top, bottom, left, right, ink pixels, full-ink level."""
    masses: NDArray[np.uint16]
    """(WORKING_SIDE,) ink of every column."""
    taps: NDArray[np.float32]
    """(2, MOST_TAPS, side) resampling weights, down and across."""
    spans: NDArray[np.int64]
    """(2, 3, side) first and past-last source pixel that has a weight, and the tap of the first."""
    aims: NDArray[np.float64]
    """(4, side) scratch: where pixels of the square look at the picture."""
    levels: NDArray[np.float32]
    """(WORKING_SIDE, WORKING_SIDE) the ink's box, up to the full-ink level."""
    rows: NDArray[np.float32]
    """(side, WORKING_SIDE) the picture resampled downwards only."""
    columns: NDArray[np.float32]
    """(WORKING_SIDE, side in whole LANES) the same, transposed, so that both passes run along memory."""
    square: NDArray[np.float32]
    """(side, side) the centred ink, 0 to 1."""
    smooth: NDArray[np.float32]
    """(2, side, side) the square after blurring, and scratch."""
    octants: OctantBuffers
    """Scratch of the fast histogram."""
    features: NDArray[np.float32]
    """(feature_count,) the histogram of oriented gradients."""
    directions: NDArray[np.float32]
    """(bins + 1, 2) unit vectors of the bin directions, or of the bin borders where bins are hard."""


def make_workspace(preprocessing: Preprocessing, hog: HogSettings) -> Workspace:
    """Buffers for one recogniser (about 470 KB).

    >>> make_workspace(Preprocessing(), HogSettings()).features.shape
    (512,)
    """
    side, area = preprocessing.side, WORKING_SIDE**2
    return Workspace(
        grey=aligned_zeros(area + WORD, np.uint8),
        paper=aligned_zeros((2, area), np.uint8),
        ink=aligned_zeros(area + WORD, np.uint8),
        bitmaps=aligned_zeros((5, MOST_WORDS), np.int64),
        counts=aligned_zeros(256, np.int32),
        found=aligned_zeros(8, np.int64),
        masses=aligned_zeros(WORKING_SIDE, np.uint16),
        taps=aligned_zeros((2, MOST_TAPS, side), np.float32),
        spans=aligned_zeros((2, 3, side), np.int64),
        aims=aligned_zeros((4, side), np.float64),
        levels=aligned_zeros((WORKING_SIDE, WORKING_SIDE), np.float32),
        rows=aligned_zeros((side, WORKING_SIDE), np.float32),
        columns=aligned_zeros((WORKING_SIDE, (side + LANES - 1) // LANES * LANES), np.float32),
        square=aligned_zeros((side, side), np.float32),
        smooth=aligned_zeros((2, side, side), np.float32),
        octants=OctantBuffers(
            levels=aligned_zeros(SIDE * (SIDE + 2), np.int16),
            halfway=aligned_zeros(SIDE * (SIDE + 2), np.int16),
            right=aligned_zeros(SIDE * SIDE + 2 * MARGIN, np.int16),
            down=aligned_zeros(SIDE * SIDE + 2 * MARGIN, np.int16),
            lines=aligned_zeros(DIRECTIONS * PLANE, np.uint16),
            sums=aligned_zeros((DIRECTIONS, STRIP), np.int32),
            shares=aligned_zeros((DIRECTIONS, STRIP), np.float32),
        ),
        features=aligned_zeros(hog.feature_count(side), np.float32),
        directions=bin_directions(hog),
    )


def bin_directions(hog: HogSettings) -> NDArray[np.float32]:
    """Unit vectors (x, y) at which the bins stand, one more than there are bins, shape (bins + 1, 2).

    Rounded to float32, so that a last bit of a machine's sine cannot reach a feature.
    """
    turn = 2 * np.pi if hog.signed else np.pi
    angles = np.arange(hog.bins + 1) * (turn / hog.bins)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
