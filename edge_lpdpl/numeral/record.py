"""The record of one recogniser: what its kernels take. `edge_lpdpl.jit.record` says how records work."""

from typing import NamedTuple

from edge_lpdpl.jit.record import layout_of
from edge_lpdpl.model.settings import HogSettings, Preprocessing
from edge_lpdpl.numeral.buffers import Workspace
from edge_lpdpl.numeral.taught import Taught
from edge_lpdpl.numeral.weights import Responses, Weights


class Request(NamedTuple):
    """The picture to read next; written anew before a call where it changes."""

    picture: int
    """Address of (height, width) uint8, C-contiguous."""
    height: int
    width: int
    polarity: int
    """INK_LIGHT, INK_DARK or INK_AUTO."""


RECORD = layout_of(Request, Preprocessing, HogSettings, Workspace, Weights, Responses, Taught)
