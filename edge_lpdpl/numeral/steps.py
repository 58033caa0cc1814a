"""What the stages of one decision left in the buffers, copied out, for people who want to see why."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.numeral.buffers import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from edge_lpdpl.numeral.recogniser import Recogniser


class Steps(NamedTuple):
    """The steps of the last picture of a recogniser."""

    ink: NDArray[np.uint8]
    """(height, width) as reduced for work."""
    box: tuple[int, int, int, int]
    """Left, top, right and bottom of the ink."""
    square: NDArray[np.float32]
    """(side, side), 0 to 1."""
    histogram: NDArray[np.float32]
    """(cells, cells, bins)."""
    directions: NDArray[np.float32]
    """(bins, 2) x and y."""


def copy_steps(recogniser: Recogniser) -> Steps:
    """Copies of the buffers after `recognise` found a numeral.

    >>> from edge_lpdpl import Recogniser, shipped_model
    >>> recogniser = Recogniser.load(shipped_model("chinese15"))
    >>> picture = np.zeros((64, 64), np.uint8)
    >>> picture[30:32, 10:50] = 200
    >>> recogniser.recognise(picture).label, copy_steps(recogniser).histogram.shape
    ('一', (8, 8, 8))
    """
    buffers, hog = recogniser.engine.buffers, recogniser.model.hog
    found = buffers.found
    height, width = int(found[HEIGHT]), int(found[WIDTH])
    cells = recogniser.model.preprocessing.side // hog.cell
    directions = buffers.directions[:-1]
    if not hog.soft_bins:  # hard bins begin at their direction, so they point half a bin further
        directions = np.float32(0.5) * (directions + buffers.directions[1:])
    return Steps(
        ink=buffers.ink[: height * width].reshape(height, width).copy(),
        box=(int(found[LEFT]), int(found[TOP]), int(found[RIGHT]), int(found[BOTTOM])),
        square=buffers.square.copy(),
        histogram=buffers.features.reshape(cells, cells, hog.bins).copy(),
        directions=directions,
    )
