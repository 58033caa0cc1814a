"""What computes a decision: the compiled kernels, or NumPy where numba is absent. Both keep their own buffers.

An engine is for one thread: make one a thread. The compiled engine holds no lock and releases the GIL while it runs.
"""

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import INK_AUTO, UINT8, checked_picture
from edge_lpdpl.jit.backend import choose
from edge_lpdpl.jit.loader import load_kernels
from edge_lpdpl.jit.record import address_of, request_writer
from edge_lpdpl.jit.store import Entries
from edge_lpdpl.model.model import Model
from edge_lpdpl.numeral.buffers import Workspace, make_workspace
from edge_lpdpl.numeral.state import Arguments, Request, make_state
from edge_lpdpl.numeral.weights import Responses, Weights, as_halves, make_responses, model_weights

ENTRIES = Entries(
    "edge_lpdpl.numeral.kernels.entries",
    ("recognise", "find_ink", "fit_square", "describe_square", "classify_features", "read_square"),
)
"""The kernels that an engine calls; each takes the address of a record of `edge_lpdpl.numeral.state`."""

STAGES = ("binarise", "normalise", "hog", "classify")


class Engine(Protocol):
    """One way to compute; results are left in the buffers until the next call."""

    name: str
    buffers: Workspace
    weights: Weights
    responses: Responses

    def recognise(self, grey: NDArray[np.uint8], polarity: int) -> int:
        """Grey picture to decision; returns the number of ink pixels, 0 where there is nothing.

        Raises:
            ImageError: the array is no picture.
        """

    def classify(self, features: NDArray[np.float32]) -> None:
        """Features (features,) float32 to scores and decision."""

    def stages(self, grey: NDArray[np.uint8], polarity: int) -> dict[str, Callable[[], object]]:
        """Each step of `STAGES` as a call of its own, on what the step before left in the buffers.

        Raises:
            ImageError: the array is no picture.
        """


class CompiledEngine:
    """The compiled kernels; the first engine in a process loads them, or compiles them where that was never done."""

    name = "numba"

    def __init__(self, model: Model) -> None:
        self._kernels = load_kernels(ENTRIES)
        self.buffers = make_workspace(model.preprocessing, model.hog)
        self.weights = as_halves(model_weights(model))
        self.responses = make_responses(self.weights, model.constant)
        self.arguments = Arguments(model.preprocessing, model.hog, self.buffers, self.weights, self.responses)
        self._state = make_state(self.arguments)
        self._address = ctypes.c_void_p(self._state.ctypes.data)
        self._recognise, self._find_ink = self._kernels["recognise"], self._kernels["find_ink"]
        self._write = request_writer(self._state, Request)
        self._grey = address_of(self.buffers.grey)
        self._longest_side = model.preprocessing.longest_side
        self._shape: tuple[int, ...] = ()
        self._polarity = INK_AUTO
        self._room = self.buffers.grey
        """Where a picture of that shape is copied to; there is none of one that is read where it lies."""

    def recognise(self, grey: NDArray[np.uint8], polarity: int) -> int:
        # What is like the picture before needs no more than this, at a third of the price of all checks.
        if (
            grey.__class__ is np.ndarray
            and grey.dtype is UINT8
            and grey.shape == self._shape
            and polarity == self._polarity
        ):
            self._room[...] = grey
        else:
            grey = checked_picture(grey)  # may be a copy, which nobody else keeps until it is read
            self.ask(grey, polarity)
        return self._recognise(self._address)

    def find_ink(self, grey: NDArray[np.uint8], polarity: int) -> int:
        """The first stage: a C-contiguous picture to ink, and the number of its pixels."""
        self.ask(grey, polarity)
        return self._find_ink(self._address)

    def classify(self, features: NDArray[np.float32]) -> None:
        self.buffers.features[:] = features
        self._kernels["classify_features"](self._address)

    def stages(self, grey: NDArray[np.uint8], polarity: int) -> dict[str, Callable[[], object]]:
        rest = zip(STAGES[1:], ("fit_square", "describe_square", "classify_features"), strict=True)
        ink = partial(self.find_ink, checked_picture(grey), polarity)
        return {STAGES[0]: ink} | {stage: self.kernel(name) for stage, name in rest}

    def kernel(self, name: str) -> Callable[[], int]:
        """One of `ENTRIES` on the buffers as they are."""
        return partial(self._kernels[name], self._address)

    def ask(self, grey: NDArray[np.uint8], polarity: int) -> None:
        """Write down what is to be read, C-contiguous. What needs no shrinking is copied: the kernels may then work in
        place. The rest is read where it lies, so whoever asks keeps it until then."""
        height, width = grey.shape
        if max(height, width) > self._longest_side:
            self._shape = ()
            self._write(address_of(grey), height, width, polarity)
            return
        if grey.shape != self._shape or polarity != self._polarity:
            self._room = self.buffers.grey[: height * width].reshape(height, width)
            self._shape, self._polarity = grey.shape, polarity
            self._write(self._grey, height, width, polarity)
        self._room[...] = grey


def make_engine(model: Model, backend: str = "auto") -> Engine:
    """The engine called `backend`: `numba`, `numpy`, or `auto`, which is numba where it is installed.

    Raises:
        BackendError: there is no such backend, or numba is not installed.
    """

    def plain() -> Engine:
        from edge_lpdpl.numeral.plain.engine import NumpyEngine

        return NumpyEngine(model)

    return choose(backend, lambda: CompiledEngine(model), plain)
