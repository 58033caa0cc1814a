"""Searchers of frames: the compiled kernels, or NumPy where numba is not installed. Both find the same."""

import ctypes
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.backend import choose
from edge_lpdpl.jit.loader import load_kernels
from edge_lpdpl.jit.record import address_of, make_record, request_writer
from edge_lpdpl.jit.store import Entries
from edge_lpdpl.page.buffers import LIFTED_HEIGHT, UNREAD_COUNT, make_buffers
from edge_lpdpl.page.record import RECORD, Request, Scope
from edge_lpdpl.page.settings import Limits

ENTRIES = Entries("edge_lpdpl.page.kernels.entries", ("search_page", "lift_numeral"))
"""The kernels that a searcher calls. Each takes the address of a record (`edge_lpdpl.page.record`)."""


class Searcher(Protocol):
    """Searches frames and lifts numerals, in one thread."""

    def search(self, grey: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Table (n, COLUMNS) of the numerals in a frame, in pixels of the reduced frame."""

    def unread(self) -> NDArray[np.int64]:
        """Table of the ink in that frame that is no numeral (n, UNREAD_COLUMNS), in pixels of the reduced frame."""

    def lift(self, numeral: int) -> NDArray[np.uint8]:
        """The ink (height, width) of one row of that table, light on black. The next call overwrites it."""


class CompiledSearcher:
    """Searches with the kernels. The first one in a process loads them, or compiles them where the cache has none."""

    def __init__(self, scope: Scope, limits: Limits) -> None:
        kernels = load_kernels(ENTRIES)
        self._search, self._lift = kernels["search_page"], kernels["lift_numeral"]
        self.buffers = make_buffers(limits)
        self._record = make_record(RECORD, scope, limits, self.buffers)
        self._write = request_writer(self._record, Request)
        self._address = ctypes.c_void_p(self._record.ctypes.data)
        self._grey, self._frame = np.zeros(0, np.uint8), 0

    def search(self, grey: NDArray[np.uint8]) -> NDArray[np.int64]:
        self._grey, self._frame = grey, address_of(grey)  # kept for `lift`
        self._write(self._frame, 0)
        return self.buffers.table[: self._search(self._address)]

    def unread(self) -> NDArray[np.int64]:
        return self.buffers.unread[: self.buffers.found[UNREAD_COUNT]]

    def lift(self, numeral: int) -> NDArray[np.uint8]:
        self._write(self._frame, numeral)
        self._lift(self._address)
        height, width = self.buffers.found[LIFTED_HEIGHT:].tolist()
        return self.buffers.lifted[: height * width].reshape(height, width)


def make_searcher(scope: Scope, limits: Limits, backend: str) -> Searcher:
    """The searcher called `backend`: `numba`, `numpy`, or `auto`, which is numba where it is installed.

    Raises:
        BackendError: there is no such backend, or numba is not installed.
    """

    def plain() -> Searcher:
        from edge_lpdpl.page.plain.searcher import NumpySearcher

        return NumpySearcher(scope, limits)

    return choose(backend, lambda: CompiledSearcher(scope, limits), plain)
