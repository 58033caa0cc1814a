"""The buffers of one recogniser, made once, so that a decision allocates nothing. See `jit.record` for the shapes."""

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.memory import LANES, WORD
from edge_lpdpl.jit.record import make_arrays
from edge_lpdpl.model.settings import HogSettings, Preprocessing

PICTURE_SIDE = 160
"""The longest side of a picture that the buffers have room for: the most that `Preprocessing.longest_side` may be."""

MOST_WORDS = PICTURE_SIDE * -(-PICTURE_SIDE // WORD)
"""Words of a bitmap."""

MOST_TAPS = 656
"""Most source pixels across that a pixel of the square depends on: twice 8 standard deviations of at most half a
PICTURE_SIDE (and a little), in a square of 8 pixels with margins of 3, by the bounds of `edge_lpdpl.model.settings`;
and some to spare."""

HEIGHT, WIDTH, TOP, BOTTOM, LEFT, RIGHT, PIXELS, LEVEL = range(8)
"""Places in `Workspace.found`. BOTTOM and RIGHT are one past the ink."""

SIDE, CELL, DIRECTIONS = 32, 4, 8

CELLS = SIDE // CELL
"""Sizes that `edge_lpdpl.numeral.kernels.octants` requires. It makes the histogram of the edge profile."""

LEVELS = 2047
"""Levels to which it rounds the square: the most for which the weighted sum of eight pixels (1 + 3 + 5 + 7, twice) fits
in sixteen bits."""

AXIS, DIAGONAL = np.float32(1 / (64 * LEVELS)), np.float32(math.sqrt(2) / (64 * LEVELS))
"""Scale from its integer sums to gradient units: cell weights are eighths, down and across; diagonals have the factor
root two."""

MARGIN, LINE = CELL // 2 * SIDE, SIDE + CELL
"""Its pictures have half a cell of zeros on each side: numbers before the first row, and numbers of a line."""

PLANE, STRIP = (CELLS + 2) * LINE, CELLS * (CELLS + 1)
"""Numbers of its lines, with one row of cells above the square and one below; cells of the lines of the square as if
they were one line, with a cell between each two."""

Bytes = NDArray[np.uint8]
Words = NDArray[np.int64]
Reals = NDArray[np.float32]


class Workspace(NamedTuple):
    """Buffers for pictures of at most PICTURE_SIDE x PICTURE_SIDE pixels, flat because pictures differ in shape."""

    grey: Annotated[Bytes, PICTURE_SIDE**2 + WORD]
    """The picture, light ink on dark."""
    paper: Annotated[Bytes, 2, PICTURE_SIDE**2]
    """Scratch for the estimate of uneven paper."""
    ink: Annotated[Bytes, PICTURE_SIDE**2 + WORD]
    """Grey where there is ink, 0 elsewhere."""
    bitmaps: Annotated[Words, 5, MOST_WORDS]
    """Where there may be ink, its seeds, one part of it, what is kept, and what the border cuts off; see
    `edge_lpdpl.numeral.kernels.bitmap`."""
    counts: Annotated[NDArray[np.int32], 256]
    """Histogram of grey levels."""
    found: Annotated[Words, 8]
    """The size of the picture and its ink; see HEIGHT."""
    masses: Annotated[NDArray[np.uint16], PICTURE_SIDE]
    """Ink of every column."""
    taps: Annotated[Reals, 2, MOST_TAPS, "side"]
    """Resampling weights, down and across."""
    spans: Annotated[Words, 2, 3, "side"]
    """First and past-last source pixel that has a weight, and the tap of the first."""
    aims: Annotated[NDArray[np.float64], 4, "side"]
    """Scratch: the source position of each pixel of the square."""
    levels: Annotated[Reals, PICTURE_SIDE, PICTURE_SIDE]
    """The ink's box, up to the full-ink level."""
    rows: Annotated[Reals, "side", PICTURE_SIDE]
    """The picture resampled downwards only."""
    columns: Annotated[Reals, PICTURE_SIDE, "column_length"]
    """The same, transposed, so that both passes run along memory. A column has `side` pixels, in whole LANES."""
    square: Annotated[Reals, "side", "side"]
    """The centred ink, 0 to 1."""
    smooth: Annotated[Reals, 2, "side", "side"]
    """The square after blurring, and scratch."""
    octant_levels: Annotated[NDArray[np.int16], SIDE * (SIDE + 2)]
    """From here to `octant_sums`: scratch of `edge_lpdpl.numeral.kernels.octants`."""
    octant_halfway: Annotated[NDArray[np.int16], SIDE * (SIDE + 2)]
    octant_right: Annotated[NDArray[np.int16], SIDE * SIDE + 2 * MARGIN]
    octant_down: Annotated[NDArray[np.int16], SIDE * SIDE + 2 * MARGIN]
    octant_lines: Annotated[NDArray[np.uint16], DIRECTIONS * PLANE]
    octant_sums: Annotated[NDArray[np.int32], DIRECTIONS, STRIP]
    features: Annotated[Reals, "feature_count"]
    """The histogram of oriented gradients."""
    directions: Annotated[Reals, "direction_count", 2]
    """Unit vectors of the bin directions, or of the bin borders where bins are hard; one more than there are bins."""


def make_workspace(preprocessing: Preprocessing, hog: HogSettings) -> Workspace:
    """Buffers for one recogniser (about 470 KB).

    >>> make_workspace(Preprocessing(), HogSettings()).features.shape
    (512,)
    """
    side, directions = preprocessing.side, bin_directions(hog)
    lengths = {"feature_count": hog.feature_count(side), "direction_count": len(directions)}
    lengths |= {"side": side, "column_length": -(-side // LANES) * LANES}
    return make_arrays(Workspace, lengths)._replace(directions=directions)


def fits_octants(hog: HogSettings, side: int) -> bool:
    """Whether `edge_lpdpl.numeral.kernels.octants` computes the histogram with these settings."""
    soft = hog.soft_bins and hog.soft_cells
    return side == SIDE and hog.cell == CELL and hog.bins == DIRECTIONS and hog.signed and soft


def bin_directions(hog: HogSettings) -> NDArray[np.float32]:
    """Unit vectors (x, y) of the bins, one more than there are bins, shape (bins + 1, 2).

    Rounded to float32, so that a last bit of a machine's sine cannot reach a feature.
    """
    turn = 2 * np.pi if hog.signed else np.pi
    angles = np.arange(hog.bins + 1) * (turn / hog.bins)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
