"""Engines, which compute decisions: compiled kernels, or NumPy where numba is not installed.

An engine has buffers of its own and is for one thread. The compiled engine takes no lock and releases the GIL.
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
from edge_lpdpl.jit.record import address_of, make_record, request_writer
from edge_lpdpl.jit.store import Entries
from edge_lpdpl.model.model import Model
from edge_lpdpl.numeral.buffers import Workspace, make_workspace
from edge_lpdpl.numeral.record import RECORD, Request
from edge_lpdpl.numeral.taught import NOTHING_TAUGHT, Taught
from edge_lpdpl.numeral.weights import TAUGHT, Responses, Weights, as_float16, make_responses, model_weights

ENTRIES = Entries(
    "edge_lpdpl.numeral.kernels.entries",
    ("recognise", "find_ink", "fit_square", "describe_square", "classify_features", "read_square"),
)
"""The kernels that an engine calls; each takes the address of a record of `edge_lpdpl.numeral.record`."""

STAGES = ("binarise", "normalise", "hog", "classify")


class Engine(Protocol):
    """One way to compute. Results stay in the buffers until the next call."""

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

    def read_square(self, square: NDArray[np.float32]) -> None:
        """A normalised square (side, side) float32, 0 to 1, to scores and decision."""

    def wear(self, taught: Taught) -> None:
        """Let a hand speak in every decision from now on; its arrays fit the model."""

    def stages(self, grey: NDArray[np.uint8], polarity: int) -> dict[str, Callable[[], object]]:
        """Each step of `STAGES` as a call of its own. It works on what the step before left in the buffers.

        Raises:
            ImageError: the array is no picture.
        """


class CompiledEngine:
    """The compiled kernels. The first engine in a process loads them, or compiles them if that was never done."""

    name = "numba"

    def __init__(self, model: Model) -> None:
        self._kernels = load_kernels(ENTRIES)
        self.buffers = make_workspace(model.preprocessing, model.hog)
        self.weights = as_float16(model_weights(model))
        self.responses = make_responses(self.weights, model.constant)
        arrays = self.buffers, self.weights, self.responses
        self._parts = model.preprocessing, model.hog, *arrays
        self._taught = NOTHING_TAUGHT
        self._record = make_record(RECORD, *self._parts, self._taught)
        self._address = ctypes.c_void_p(self._record.ctypes.data)
        self._recognise, self._find_ink = self._kernels["recognise"], self._kernels["find_ink"]
        self._write = request_writer(self._record, Request)
        self._grey = address_of(self.buffers.grey)
        self._longest_side = model.preprocessing.longest_side
        self._shape: tuple[int, ...] = ()
        self._polarity = INK_AUTO
        self._copy = self.buffers.grey
        """Where a picture of that shape is copied."""

    def recognise(self, grey: NDArray[np.uint8], polarity: int) -> int:
        # A picture with the shape and polarity of the last one skips the full checks, which cost three times as much.
        same = grey.__class__ is np.ndarray and grey.dtype is UINT8 and grey.shape == self._shape
        if same and polarity == self._polarity:
            self._copy[...] = grey
        else:
            grey = checked_picture(grey)  # may be a copy: kept alive here until it is read
            self.ask(grey, polarity)
        return self._recognise(self._address)

    def find_ink(self, grey: NDArray[np.uint8], polarity: int) -> int:
        """The first stage: a C-contiguous picture to ink, and the number of its pixels."""
        self.ask(grey, polarity)
        return self._find_ink(self._address)

    def classify(self, features: NDArray[np.float32]) -> None:
        self.buffers.features[:] = features
        self._kernels["classify_features"](self._address)

    def read_square(self, square: NDArray[np.float32]) -> None:
        self.buffers.square[:] = square
        self._kernels["read_square"](self._address)

    def wear(self, taught: Taught) -> None:
        self._taught = taught  # a record keeps no array alive
        self._record[...] = make_record(RECORD, *self._parts, taught)
        self._shape = ()  # the request is gone
        self.responses.decision[TAUGHT] = 0

    def stages(self, grey: NDArray[np.uint8], polarity: int) -> dict[str, Callable[[], object]]:
        rest = zip(STAGES[1:], ("fit_square", "describe_square", "classify_features"), strict=True)
        ink = partial(self.find_ink, checked_picture(grey), polarity)
        return {STAGES[0]: ink} | {stage: self.kernel(name) for stage, name in rest}

    def kernel(self, name: str) -> Callable[[], int]:
        """One of `ENTRIES` on the buffers as they are."""
        return partial(self._kernels[name], self._address)

    def ask(self, grey: NDArray[np.uint8], polarity: int) -> None:
        """Write the request for a C-contiguous picture. One that needs no shrinking is copied, so that the kernels can
        change it. Any other is read where it lies, so the caller keeps it alive until then."""
        height, width = grey.shape
        if max(height, width) > self._longest_side:
            self._shape = ()
            self._write(address_of(grey), height, width, polarity)
            return
        if grey.shape != self._shape or polarity != self._polarity:
            self._copy = self.buffers.grey[: height * width].reshape(height, width)
            self._shape, self._polarity = grey.shape, polarity
            self._write(self._grey, height, width, polarity)
        self._copy[...] = grey


def make_engine(model: Model, backend: str = "auto") -> Engine:
    """The engine called `backend`: `numba`, `numpy`, or `auto`, which is numba where it is installed.

    Raises:
        BackendError: there is no such backend, numba cannot be imported, or NumPy cannot compute this model.
    """

    def plain() -> Engine:
        from edge_lpdpl.numeral.plain.engine import NumpyEngine

        return NumpyEngine(model)

    return choose(backend, lambda: CompiledEngine(model), plain)
