"""The record of a locator: settings, sizes, and addresses of its buffers; `edge_lpdpl.page.kernels.views` reads it.

`edge_lpdpl.numeral.state` says why. A record keeps no array alive; its owner keeps the `Buffers`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.record import fill
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


STATE = np.dtype([(name, np.int64) for name in Request._fields + Scope._fields + Limits._fields + Buffers._fields])
"""The numbers under the names of their fields, then the addresses of the arrays under theirs."""


def make_state(scope: Scope, limits: Limits, buffers: Buffers) -> NDArray[np.void]:
    """The record of a locator, (1,) STATE, with an empty request."""
    return fill(STATE, scope._asdict() | limits._asdict(), buffers._asdict())
