"""The buffers of one locator, made once: afterwards the kernels allocate nothing for a frame."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.page.parts_table import (
    AT_ONCE,
    BLOCK,
    COLUMNS,
    LIFTED_SIDE,
    MOST_PARTS,
    MOST_SHRUNK,
    REACH,
    UNREAD_COLUMNS,
)
from edge_lpdpl.page.settings import Limits

LIGHT, PART_COUNT, UNREAD_COUNT, LIFTED_HEIGHT, LIFTED_WIDTH = range(5)
"""Places in `Buffers.found`: whether the ink is light, parts of any size, rows of
`Buffers.unread`, and how large the lifted numeral is."""


class Buffers(NamedTuple):
    """Maps are flat and have rows of `stride` bytes; those of `share` end in zeros, so that rows do not touch."""

    ink: NDArray[np.uint8]
    """(height * stride,) the reduced frame, light ink on dark."""
    blocks: NDArray[np.uint8]
    """(blocks down * their stride,) the same without ink, in blocks."""
    spare: NDArray[np.uint8]
    """(AT_ONCE,) scratch of `edge_lpdpl.numeral.kernels.paper`."""
    lines: NDArray[np.uint8]
    """(3, stride) scratch: properties of the pixels of a row."""
    share: NDArray[np.uint8]
    """((height + 2) * stride,) how much of the paper's light the ink takes, 0 where there is no ink: an empty row, then
    the rows that have ink."""
    starts: NDArray[np.int64]
    """(height,) where each row begins in `share`; 0 for rows without ink."""
    own: NDArray[np.uint8]
    """(lifting_area,) scratch for lifting: a numeral's ink."""
    mask: NDArray[np.uint8]
    """(lifting_area,) scratch for lifting: which pixels are lifted."""
    sums: NDArray[np.uint32]
    """(width * factor + MOST_SHRUNK,) column sums of a row of blocks."""
    scale: NDArray[np.uint32]
    """(256,) 256 * 255 over the light that paper of each grey level sends back."""
    counts: NDArray[np.int64]
    """(256,) histogram."""
    borders: NDArray[np.int32]
    """(2 * most runs,) where every run of ink begins and ends in its row; see `edge_lpdpl.page.kernels.runs`."""
    firsts: NDArray[np.int32]
    """(height + 1,) the first run of every row."""
    parts: NDArray[np.int32]
    """(most runs,) the part of each run."""
    measures: NDArray[np.int32]
    """(3, most runs) scratch: measures of all parts, before the small ones are left out."""
    table: NDArray[np.int64]
    """(MOST_PARTS, COLUMNS) parts, then groups of strokes, then numerals."""
    unread: NDArray[np.int64]
    """(2 * MOST_PARTS, UNREAD_COLUMNS) ink that was left out, and why: at the border, then of the table."""
    owners: NDArray[np.int32]
    """(MOST_PARTS,) scratch: the row into which each row is merged; minus the reason of one that is left out."""
    row_of: NDArray[np.int32]
    """(most runs,) the row of the table that each part belongs to, negative for none."""
    lifted: NDArray[np.uint8]
    """(LIFTED_SIDE**2,) one numeral, cleaned, row by row without gaps."""
    found: NDArray[np.int64]
    """(5,) see LIGHT."""


def make_buffers(limits: Limits) -> Buffers:
    """Buffers for frames of one size (about 1 MB for 640 x 480)."""
    size, runs = limits.height * limits.stride, most_runs(limits)
    blocks = -(-limits.height // BLOCK) * limits.block_stride
    return Buffers(
        ink=np.zeros(size, np.uint8),
        blocks=np.zeros(blocks, np.uint8),
        spare=np.zeros(AT_ONCE, np.uint8),
        lines=np.zeros((3, limits.stride), np.uint8),
        share=np.zeros(size + 2 * limits.stride, np.uint8),
        starts=np.zeros(limits.height, np.int64),
        own=np.zeros(lifting_area(limits), np.uint8),
        mask=np.zeros(lifting_area(limits), np.uint8),
        sums=np.zeros(limits.width * limits.factor + MOST_SHRUNK, np.uint32),
        scale=light_scale(),
        counts=np.zeros(256, np.int64),
        borders=np.zeros(2 * runs, np.int32),
        firsts=np.zeros(limits.height + 1, np.int32),
        parts=np.zeros(runs, np.int32),
        measures=np.zeros((3, runs), np.int32),
        table=np.zeros((MOST_PARTS, COLUMNS), np.int64),
        unread=np.zeros((2 * MOST_PARTS, UNREAD_COLUMNS), np.int64),
        owners=np.zeros(MOST_PARTS, np.int32),
        row_of=np.zeros(runs, np.int32),
        lifted=np.zeros(LIFTED_SIDE**2, np.uint8),
        found=np.zeros(5, np.int64),
    )


def most_runs(limits: Limits) -> int:
    """Runs of ink that there can be: every other pixel of every row."""
    return limits.height * (limits.width // 2 + 1)


def lifting_area(limits: Limits) -> int:
    """Pixels of the frame with REACH more on every side."""
    return (limits.height + 2 * REACH) * (limits.width + 2 * REACH)


def light_scale() -> NDArray[np.uint32]:
    """(256,): what a step of one grey level is worth on paper of each level, where 255 * 256 is all of its light."""
    return (65280 // np.maximum(255 - np.arange(256), 1)).astype(np.uint32)
