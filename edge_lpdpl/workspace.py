"""The buffers of one recogniser, made once: after this a decision allocates nothing."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.settings import HogSettings, Preprocessing

WORKING_SIDE = 160
"""Pictures with a longer side than this are reduced first, by whole-number block means."""

MAP_STRIDE = 256
MAP_SIZE = MAP_STRIDE * (WORKING_SIDE + 2)
"""Of the map in which ink grows: a power of two, so that a place tells its row and column without a division."""

HEIGHT, WIDTH, TOP, BOTTOM, LEFT, RIGHT, PIXELS, LEVEL = range(8)
"""Places in `Workspace.found`. BOTTOM and RIGHT are one past the ink."""

INK_LIGHT, INK_DARK, INK_AUTO = 0, 1, 2
"""Polarities; with INK_AUTO the border of the picture tells."""

MOST_INK = 0.7
"""A picture with a larger share of ink is a covered lens or a blot, not writing."""

PHOTOGRAPH_LEVEL = 8
"""Where even the darkest quarter of the paper (ink light) is brighter than this, the picture is a photograph."""

PIXEL_SPREAD = 1 / 12
"""Variance of one pixel about its own centre: keeps a stroke that is one pixel wide from having no width."""


SIDE, CELL, DIRECTIONS = 32, 4, 8
CELLS, ROW = SIDE // CELL, SIDE * DIRECTIONS
"""Sizes for which `edge_lpdpl.octants` is written."""


class OctantBuffers(NamedTuple):
    """Scratch of `edge_lpdpl.octants`, all float32 and flat; see there."""

    blurred: NDArray[np.float32]
    right: NDArray[np.float32]
    down: NDArray[np.float32]
    planes: NDArray[np.float32]
    rows: NDArray[np.float32]
    columns: NDArray[np.float32]
    cells: NDArray[np.float32]


class Workspace(NamedTuple):
    """Buffers for pictures of at most WORKING_SIDE x WORKING_SIDE pixels, flat because pictures differ in shape."""

    grey: NDArray[np.uint8]
    """(WORKING_SIDE**2,) the picture, light ink on dark."""
    paper: NDArray[np.uint8]
    """(2, WORKING_SIDE**2) scratch for the estimate of uneven paper."""
    ink: NDArray[np.uint8]
    """(WORKING_SIDE**2,) grey where there is ink, 0 elsewhere."""
    candidate: NDArray[np.uint8]
    """(MAP_SIZE,) map of the pixels that may be ink."""
    stack: NDArray[np.int32]
    """(MAP_SIZE,) pixels of the ink, as places in the map."""
    counts: NDArray[np.int64]
    """(256,) histogram of grey levels."""
    found: NDArray[np.int64]
    """(8,) what was found: height, width, top, bottom, left, right, ink pixels, full-ink level."""
    taps: NDArray[np.float32]
    """(2, side, WORKING_SIDE) resampling weights, down and across."""
    spans: NDArray[np.int64]
    """(2, side, 2) first and past-last source pixel that has a weight."""
    rows: NDArray[np.float32]
    """(side, WORKING_SIDE) the picture resampled downwards only."""
    columns: NDArray[np.float32]
    """(WORKING_SIDE, side) the same, transposed, so that both passes run along memory."""
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
    """Buffers for one recogniser (about 300 KB).

    >>> make_workspace(Preprocessing(), HogSettings()).features.shape
    (512,)
    """
    side, area = preprocessing.side, WORKING_SIDE**2
    return Workspace(
        grey=np.zeros(area, np.uint8),
        paper=np.zeros((2, area), np.uint8),
        ink=np.zeros(area, np.uint8),
        candidate=np.zeros(MAP_SIZE, np.uint8),
        stack=np.zeros(MAP_SIZE, np.int32),
        counts=np.zeros(256, np.int64),
        found=np.zeros(8, np.int64),
        taps=np.zeros((2, side, WORKING_SIDE), np.float32),
        spans=np.zeros((2, side, 2), np.int64),
        rows=np.zeros((side, WORKING_SIDE), np.float32),
        columns=np.zeros((WORKING_SIDE, side), np.float32),
        square=np.zeros((side, side), np.float32),
        smooth=np.zeros((2, side, side), np.float32),
        octants=OctantBuffers(
            blurred=np.zeros(SIDE * SIDE, np.float32),
            right=np.zeros(SIDE * SIDE, np.float32),
            down=np.zeros(SIDE * SIDE, np.float32),
            planes=np.zeros((SIDE + CELL) * ROW, np.float32),
            rows=np.zeros(CELLS * ROW, np.float32),
            columns=np.zeros((SIDE + CELL) * CELLS * DIRECTIONS, np.float32),
            cells=np.zeros(CELLS * CELLS * DIRECTIONS, np.float32),
        ),
        features=np.zeros(hog.feature_count(side), np.float32),
        directions=bin_directions(hog),
    )


def bin_directions(hog: HogSettings) -> NDArray[np.float32]:
    """Unit vectors (x, y) at which the bins stand, one more than there are bins, shape (bins + 1, 2).

    Rounded to float32, so that a last bit of a machine's sine cannot reach a feature.
    """
    turn = 2 * np.pi if hog.signed else np.pi
    angles = np.arange(hog.bins + 1) * (turn / hog.bins)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
