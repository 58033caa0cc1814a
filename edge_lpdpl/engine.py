"""What computes a decision: the compiled kernels, or NumPy where numba is absent. Both keep their own buffers.

An engine is for one thread: make one a thread. The compiled engine holds no lock and releases the GIL while it runs.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.classify_weights import Responses, Weights, make_responses
from edge_lpdpl.errors import BackendError
from edge_lpdpl.model import Model
from edge_lpdpl.workspace import INK_AUTO, Workspace, make_workspace

STAGES = ("binarise", "normalise", "hog", "classify")

EXAMPLE_PICTURE = np.zeros((8, 8), np.uint8)
"""What a picture is like, for the compiler."""


class Engine(Protocol):
    """One way to compute; results are left in the buffers until the next call."""

    name: str
    buffers: Workspace
    responses: Responses

    def recognise(self, grey: NDArray[np.uint8], polarity: int) -> int:
        """Grey picture to decision; returns the number of ink pixels, 0 where there is nothing."""

    def classify(self, features: NDArray[np.float32]) -> None:
        """Features (features,) float32 to scores and decision."""

    def stages(self, grey: NDArray[np.uint8], polarity: int) -> dict[str, Callable[[], object]]:
        """Each step of `STAGES` as a call of its own, on what the step before left in the buffers."""


def model_weights(model: Model) -> Weights:
    """The arrays of a model as the kernels take them."""
    nowhere, nothing = np.zeros((0, 0), np.float32), np.zeros(0, np.float32)
    for empty in (nowhere, nothing):
        empty.setflags(write=False)  # of the same type as the arrays of a model, or the kernels are compiled anew
    return Weights(
        nowhere if model.projection is None else model.projection,
        nothing if model.projection_offset is None else model.projection_offset,
        model.vectors,
        model.squares,
        model.linears,
        model.confidence_margins,
        model.confidence_values,
    )


class CompiledEngine:
    """The kernels, compiled by numba; the first one in a process loads or compiles them."""

    name = "numba"

    def __init__(self, model: Model) -> None:
        from edge_lpdpl import pipeline
        from edge_lpdpl.compiled import bind

        self.buffers = make_workspace(model.preprocessing, model.hog)
        self.weights = model_weights(model)
        self.responses = make_responses(self.weights, model.constant)
        self.arguments = (model.preprocessing, model.hog, self.buffers, self.weights, self.responses)
        self._recognise = bind(pipeline.recognise, EXAMPLE_PICTURE, INK_AUTO, *self.arguments)

    def recognise(self, grey: NDArray[np.uint8], polarity: int) -> int:
        pixels: int = self._recognise(grey, polarity, *self.arguments)
        return pixels

    @cached_property
    def _classify(self) -> Callable[..., None]:
        from edge_lpdpl import pipeline
        from edge_lpdpl.compiled import bind

        return bind(pipeline.classify, self.buffers.features, self.weights, self.responses)

    def classify(self, features: NDArray[np.float32]) -> None:
        self._classify(features, self.weights, self.responses)

    def stages(self, grey: NDArray[np.uint8], polarity: int) -> dict[str, Callable[[], object]]:
        from edge_lpdpl import pipeline
        from edge_lpdpl.compiled import bind

        preprocessing, hog = self.arguments[:2]
        binarise = bind(pipeline.binarise, EXAMPLE_PICTURE, INK_AUTO, preprocessing, self.buffers)
        normalise = bind(pipeline.normalise, preprocessing, self.buffers)
        histogram = bind(pipeline.histogram_of_gradients, hog, self.buffers)
        return {
            "binarise": lambda: binarise(grey, polarity, preprocessing, self.buffers),
            "normalise": lambda: normalise(preprocessing, self.buffers),
            "hog": lambda: histogram(hog, self.buffers),
            "classify": lambda: self.classify(self.buffers.features),
        }


def bind_core(engine: CompiledEngine) -> Callable[[], object]:
    """HOG and classification in one call, on the square that is in the buffers: what to compare with a network."""
    from edge_lpdpl import pipeline
    from edge_lpdpl.compiled import bind

    arguments = engine.arguments[1:]
    core = bind(pipeline.read_square, *arguments)
    return lambda: core(*arguments)


def make_engine(model: Model, backend: str = "auto") -> Engine:
    """The engine called `backend`: `numba`, `numpy`, or `auto`, which is numba where it is installed.

    Raises:
        BackendError: there is no such backend, or numba is not installed.
    """
    if backend not in ("auto", "numba", "numpy"):
        raise BackendError(f"there is no backend {backend!r}: use auto, numba or numpy")
    if backend != "numpy":
        try:
            return CompiledEngine(model)
        except ImportError as error:
            if backend == "numba":
                raise BackendError(f"numba cannot be imported ({error}): install it or use the numpy backend") from None
    from edge_lpdpl.numpy_engine import NumpyEngine

    return NumpyEngine(model)
