"""Searchers of frames: the compiled kernels, or NumPy where numba is not installed. Both find the same."""

import ctypes
import struct
from collections.abc import Sequence
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.backend import choose
from edge_lpdpl.jit.loader import load_kernels
from edge_lpdpl.jit.record import address_of, make_record, request_writer
from edge_lpdpl.jit.store import Entries
from edge_lpdpl.page.buffers import DIVIDER_COUNT, LIFTED_HEIGHT, UNREAD_COUNT, WALLS_TRIED, make_buffers
from edge_lpdpl.page.record import RECORD, Lifted, Member, Request, Scope
from edge_lpdpl.page.settings import Limits

ENTRIES = Entries("edge_lpdpl.page.kernels.entries", ("search_page", "cut_part", "lift_group", "wall_in_gap"))
"""The kernels that a searcher calls. Each takes the address of a record (`edge_lpdpl.page.record`)."""


class Searcher(Protocol):
    """Searches frames and lifts numerals, in one thread."""

    def search(self, grey: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Table (n, COLUMNS) of the parts that may be writing, in pixels of the reduced frame."""

    def unread(self) -> NDArray[np.int64]:
        """Table of the ink in that frame that is no writing (n, UNREAD_COLUMNS), in pixels of the reduced frame."""

    def dividers(self) -> NDArray[np.int64]:
        """What divides the cells of tables in that frame (n, DIVIDER_COLUMNS), in pixels of the reduced frame."""

    def cut(self, row: int, slot: int) -> list[list[int]]:
        """Cut a row of that table: COST and COLUMN of its seams, which are numbered from `slot` on."""

    def lift(self, members: Sequence[Member], uncovered: bool = False) -> Lifted | None:
        """Lift a group; None where it has no ink. `uncovered`: with what printed rules may hide of its strokes."""

    def wall(self, gap: Sequence[int], lean: int, behind: bool) -> int:
        """The column in which a wall stands in the middle of a gap between two numerals, -1 without one.

        Args:
            gap: LEFT, TOP, RIGHT and BOTTOM, in pixels of the reduced frame: TOP and BOTTOM are those of the numerals.
            lean: of a wall that is perpendicular to the line of the numerals, in STEPS-ths.
            behind: whether the numerals may hide it, so that only what is above and below them tells.
        """


class CompiledSearcher:
    """Searches with the kernels. The first one in a process loads them, or compiles them where the cache has none."""

    def __init__(self, scope: Scope, limits: Limits) -> None:
        kernels = load_kernels(ENTRIES)
        self._search, self._cut, self._lift, self._wall = (kernels[name] for name in ENTRIES.names)
        self.buffers = make_buffers(limits)
        self._record = make_record(RECORD, scope, limits, self.buffers)
        self._write = request_writer(self._record, Request)
        self._write_gap = partial(struct.Struct("4q").pack_into, self.buffers.gap.data, 0)
        self._address = ctypes.c_void_p(self._record.ctypes.data)
        self._grey, self._frame = np.zeros(0, np.uint8), 0

    def search(self, grey: NDArray[np.uint8]) -> NDArray[np.int64]:
        self._grey, self._frame = grey, address_of(grey)  # kept for `lift`
        self._write(self._frame, 0, 0)
        return self.buffers.table[: self._search(self._address)]

    def unread(self) -> NDArray[np.int64]:
        return self.buffers.unread[: self.buffers.found[UNREAD_COUNT]]

    def dividers(self) -> NDArray[np.int64]:
        return self.buffers.dividers[: self.buffers.found[DIVIDER_COUNT]]

    def cut(self, row: int, slot: int) -> list[list[int]]:
        self._write(self._frame, row, slot)
        count = self._cut(self._address)
        found: list[list[int]] = self.buffers.crossings[slot : slot + count].tolist()
        return found

    def lift(self, members: Sequence[Member], uncovered: bool = False) -> Lifted | None:
        buffers, count = self.buffers, len(members)
        buffers.members[:count] = members
        self._write(self._frame, int(uncovered), count)
        if not self._lift(self._address):
            return None
        height, width, reason, doubt = buffers.found[LIFTED_HEIGHT:WALLS_TRIED].tolist()
        picture = buffers.lifted[: height * width].reshape(height, width)
        return Lifted(picture, buffers.group.tolist(), reason, doubt)

    def wall(self, gap: Sequence[int], lean: int, behind: bool) -> int:
        self._write_gap(*gap)
        self._write(self._frame, int(behind), lean)
        return int(self._wall(self._address))


def make_searcher(scope: Scope, limits: Limits, backend: str) -> Searcher:
    """The searcher called `backend`: `numba`, `numpy`, or `auto`, which is numba where it is installed.

    Raises:
        BackendError: there is no such backend, or numba is not installed.
    """

    def plain() -> Searcher:
        from edge_lpdpl.page.plain.searcher import NumpySearcher

        return NumpySearcher(scope, limits)

    return choose(backend, lambda: CompiledSearcher(scope, limits), plain)
