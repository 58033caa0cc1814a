"""What searches a frame: the compiled kernels, or NumPy where numba is absent. They find the same."""

import ctypes
import struct
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl import machine_code
from edge_lpdpl.backend import choose
from edge_lpdpl.locate.buffers import LIFTED_HEIGHT, make_buffers
from edge_lpdpl.locate.limits import Limits
from edge_lpdpl.locate.state import Request, make_state
from edge_lpdpl.workspace import INK_AUTO


class Searcher(Protocol):
    """One way to search; for one thread."""

    def search(self, grey: NDArray[np.uint8], top: int, left: int, polarity: int) -> NDArray[np.int64]:
        """Table of the numerals (n, COLUMNS) in a frame, from (top, left) on, in pixels of the reduced frame."""

    def lift(self, grey: NDArray[np.uint8], top: int, left: int, numeral: int) -> NDArray[np.uint8]:
        """The ink of one row of the last table (height, width), light on black; overwritten by the next."""


class CompiledSearcher:
    """The kernels; the first one in a process loads them, or compiles them where that was never done."""

    def __init__(self, limits: Limits) -> None:
        kernels = machine_code.load_kernels()
        self._search, self._lift = kernels["search_page"], kernels["lift_numeral"]
        self.buffers = make_buffers(limits)
        self._state = make_state(limits, self.buffers)
        self._write = partial(struct.Struct(f"{len(Request._fields)}q").pack_into, self._state.view(np.uint8).data, 0)
        self._address = ctypes.c_void_p(self._state.ctypes.data)

    def search(self, grey: NDArray[np.uint8], top: int, left: int, polarity: int) -> NDArray[np.int64]:
        self._ask(grey, top, left, polarity)
        return self.buffers.table[: self._search(self._address)]

    def lift(self, grey: NDArray[np.uint8], top: int, left: int, numeral: int) -> NDArray[np.uint8]:
        self._ask(grey, top, left, numeral=numeral)
        self._lift(self._address)
        height, width = self.buffers.found[LIFTED_HEIGHT:].tolist()
        return self.buffers.lifted[: height * width].reshape(height, width)

    def _ask(self, grey: NDArray[np.uint8], top: int, left: int, polarity: int = INK_AUTO, numeral: int = 0) -> None:
        height, width = grey.shape
        self._write(*Request(grey.ctypes.data, height, width, top, left, polarity, numeral))


def make_searcher(limits: Limits, backend: str) -> Searcher:
    """The searcher called `backend`: `numba`, `numpy`, or `auto`, which is numba where it is installed.

    Raises:
        BackendError: there is no such backend, or numba is not installed.
    """

    def plain() -> Searcher:
        from edge_lpdpl.locate.numpy_searcher import NumpySearcher

        return NumpySearcher(limits)

    return choose(backend, lambda: CompiledSearcher(limits), plain)
