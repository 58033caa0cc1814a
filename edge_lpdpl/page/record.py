"""The record of one locator, which its kernels take, and groups of parts. `edge_lpdpl.jit.record` explains records."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.record import layout_of
from edge_lpdpl.page.buffers import Buffers
from edge_lpdpl.page.settings import Limits


class Request(NamedTuple):
    """What to search or to lift next; written before each call."""

    frame: int
    """Address of (frame_height, frame_width) uint8, C-contiguous."""
    part: int
    """Row of the table to cut. For lifting: 1 to put back what rules may hide of the group, else 0. For a wall in a
    gap: 1 if numerals may hide it, else 0."""
    number: int
    """For lifting: how many members the group has. For cutting: the first free seam. For a wall: how far it leans."""


class Scope(NamedTuple):
    """Where a locator searches its frames, all of one size, and for which ink."""

    frame_height: int
    frame_width: int
    top: int
    """Of the region, in pixels of the frame."""
    left: int
    polarity: int
    """INK_LIGHT, INK_DARK or INK_AUTO."""


Member = tuple[int, int, int]
"""A piece of a part in a group: its row of the table, and the seams (MEMBER, FROM, TO) on its left and right."""


class Lifted(NamedTuple):
    """A group of parts, cleaned."""

    picture: NDArray[np.uint8]
    """(height, width), light ink on black. The next call overwrites it."""
    row: list[int]
    """Its measures, as those of a row of the table."""
    reason: int
    """Why it cannot be a numeral, 0 where it may be one."""
    doubt: int
    """That a printed rule leaves: REST or HIDDEN of `edge_lpdpl.page.rules_table`, 0 for none."""


RECORD = layout_of(Request, Scope, Limits, Buffers)
