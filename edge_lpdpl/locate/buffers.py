"""The buffers of one locator, made once: after this a frame allocates nothing but its list of boxes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.locate.limits import Limits
from edge_lpdpl.locate.parts_table import COLUMNS, FINE_SIDE, MOST_PARTS, REACH

COUNT, LIGHT, RUN_COUNT, PART_COUNT = range(4)
"""Places in `Buffers.found`: numerals, whether the ink is light, runs, parts of any size."""


class Buffers(NamedTuple):
    """Maps are flat and have rows of `stride` bytes, the last of which are always 0, so that rows do not touch."""

    ink: NDArray[np.uint8]
    """(height * stride,) the reduced frame, light ink on dark."""
    paper: NDArray[np.uint8]
    """(height * stride,) the same without ink."""
    spare: NDArray[np.uint8]
    """(height * stride,) scratch."""
    share: NDArray[np.uint8]
    """(height * stride,) how much of the paper's light the ink takes, 0 where there is no ink."""
    mask: NDArray[np.uint8]
    """(height * stride,) scratch for lifting."""
    sums: NDArray[np.uint32]
    """(width * factor,) column sums of a row of blocks."""
    scale: NDArray[np.uint32]
    """(256,) 256 * 255 over the light that paper of each level sends back."""
    counts: NDArray[np.int64]
    """(256,) histogram."""
    starts: NDArray[np.int32]
    """(most runs,) first places of the runs of ink in the map."""
    ends: NDArray[np.int32]
    """(most runs,) one past their last places."""
    parts: NDArray[np.int32]
    """(most runs,) the part of each run; while parts are being joined, another run of the same part."""
    measures: NDArray[np.int64]
    """(3, most runs) scratch: what is known of all parts before the small ones are left out."""
    table: NDArray[np.int64]
    """(MOST_PARTS, COLUMNS) parts, then groups of strokes, then numerals."""
    owners: NDArray[np.int32]
    """(MOST_PARTS,) scratch: the row into which each row is merged."""
    row_of: NDArray[np.int32]
    """(most runs,) the row of the table that each part belongs to, -1 for none."""
    lifted: NDArray[np.uint8]
    """One numeral, cleaned."""
    found: NDArray[np.int64]
    """(4,) see COUNT."""


def stride_of(width: int) -> int:
    """Bytes of a row: whole words, with at least one byte to spare.

    >>> stride_of(320), stride_of(7)
    (328, 8)
    """
    return (width + 8) // 8 * 8


def make_buffers(limits: Limits) -> Buffers:
    """Buffers for frames of one size (about 1 MB for 640 x 480)."""
    size = limits.height * stride_of(limits.width)
    runs = limits.height * (limits.width // 2 + 1)
    fine = (FINE_SIDE + 4 * REACH + 2) * limits.factor
    return Buffers(
        ink=np.zeros(size, np.uint8),
        paper=np.zeros(size, np.uint8),
        spare=np.zeros(size, np.uint8),
        share=np.zeros(size, np.uint8),
        mask=np.zeros(size, np.uint8),
        sums=np.zeros(limits.width * limits.factor, np.uint32),
        scale=light_scale(),
        counts=np.zeros(256, np.int64),
        starts=np.zeros(runs, np.int32),
        ends=np.zeros(runs, np.int32),
        parts=np.zeros(runs, np.int32),
        measures=np.zeros((3, runs), np.int64),
        table=np.zeros((MOST_PARTS, COLUMNS), np.int64),
        owners=np.zeros(MOST_PARTS, np.int32),
        row_of=np.zeros(runs, np.int32),
        lifted=np.zeros(max(size, fine * fine), np.uint8),
        found=np.zeros(4, np.int64),
    )


def light_scale() -> NDArray[np.uint32]:
    """(256,): what a step of one grey level is worth on paper of each level, where 255 * 256 is all of its light."""
    return (65280 // np.maximum(255 - np.arange(256), 1)).astype(np.uint32)
