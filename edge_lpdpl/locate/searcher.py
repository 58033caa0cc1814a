"""What searches a frame: the compiled kernels, or NumPy where numba is absent. They find the same."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.backend import choose
from edge_lpdpl.locate.buffers import make_buffers, stride_of
from edge_lpdpl.locate.limits import Limits
from edge_lpdpl.workspace import INK_AUTO

EXAMPLE_PICTURE = np.zeros((8, 8), np.uint8)
"""What a frame is like, for the compiler."""


class Searcher(Protocol):
    """One way to search; for one thread."""

    def search(self, grey: NDArray[np.uint8], top: int, left: int, polarity: int) -> NDArray[np.int64]:
        """Table of the numerals (n, COLUMNS) in a frame, from (top, left) on, in pixels of the reduced frame."""

    def lift(self, grey: NDArray[np.uint8], top: int, left: int, numeral: int) -> NDArray[np.uint8]:
        """The ink of one row of the last table (height, width), light on black; overwritten by the next."""


class CompiledSearcher:
    """The kernels; the first one in a process loads or compiles them."""

    def __init__(self, limits: Limits) -> None:
        from edge_lpdpl.compiled import bind
        from edge_lpdpl.locate import kernels

        self.buffers = make_buffers(limits)
        self._arguments = (limits, stride_of(limits.width), self.buffers)
        self._search = bind(kernels.search, EXAMPLE_PICTURE, 0, 0, INK_AUTO, *self._arguments)
        self._lift = bind(kernels.lift, EXAMPLE_PICTURE, 0, 0, 0, *self._arguments)

    def search(self, grey: NDArray[np.uint8], top: int, left: int, polarity: int) -> NDArray[np.int64]:
        count = self._search(grey, top, left, polarity, *self._arguments)
        return self.buffers.table[:count]

    def lift(self, grey: NDArray[np.uint8], top: int, left: int, numeral: int) -> NDArray[np.uint8]:
        height, width = self._lift(grey, top, left, numeral, *self._arguments)
        return self.buffers.lifted[: height * width].reshape(height, width)


def make_searcher(limits: Limits, backend: str) -> Searcher:
    """The searcher called `backend`: `numba`, `numpy`, or `auto`, which is numba where it is installed.

    Raises:
        BackendError: there is no such backend, or numba is not installed.
    """

    def plain() -> Searcher:
        from edge_lpdpl.locate.numpy_searcher import NumpySearcher

        return NumpySearcher(limits)

    return choose(backend, lambda: CompiledSearcher(limits), plain)
