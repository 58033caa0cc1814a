"""The record of one locator: what its kernels take. `edge_lpdpl.jit.record` says how records work."""

from typing import NamedTuple

from edge_lpdpl.jit.record import layout_of
from edge_lpdpl.page.buffers import Buffers
from edge_lpdpl.page.settings import Limits


class Request(NamedTuple):
    """What to search or to lift next; written before each call."""

    frame: int
    """Address of (frame_height, frame_width) uint8, C-contiguous."""
    numeral: int
    """Row of the table to lift."""


class Scope(NamedTuple):
    """Where a locator searches its frames, all of one size, and for which ink."""

    frame_height: int
    frame_width: int
    top: int
    """Of the region, in pixels of the frame."""
    left: int
    polarity: int
    """INK_LIGHT, INK_DARK or INK_AUTO."""


RECORD = layout_of(Request, Scope, Limits, Buffers)
