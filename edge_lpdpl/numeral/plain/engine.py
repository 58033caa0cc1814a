"""The engine for machines without a compiler, 32-bit or with a strict sandbox: the same decisions with NumPy alone.

It reads models of the profile edge. Ink, square and features are those of the kernels to the last bit. Scores differ in
the last bits, because sums are taken in another order, which is the same on every machine.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import checked_picture
from edge_lpdpl.model.model import Model
from edge_lpdpl.numeral.buffers import make_workspace
from edge_lpdpl.numeral.plain.classify import classify
from edge_lpdpl.numeral.plain.hand import consider_hand
from edge_lpdpl.numeral.plain.histogram import check_histogram, histogram_of_gradients
from edge_lpdpl.numeral.plain.ink import binarise
from edge_lpdpl.numeral.plain.square import normalise
from edge_lpdpl.numeral.taught import NOTHING_TAUGHT, Taught
from edge_lpdpl.numeral.weights import TAUGHT, make_responses, model_weights


class NumpyEngine:
    """Implements `edge_lpdpl.numeral.engine.Engine`."""

    name = "numpy"

    def __init__(self, model: Model) -> None:
        check_histogram(model)
        self.preprocessing, self.hog = model.preprocessing, model.hog
        self.buffers = make_workspace(model.preprocessing, model.hog)
        self.weights = model_weights(model)
        self.responses = make_responses(self.weights, model.constant)
        self._taught = NOTHING_TAUGHT

    def recognise(self, grey: NDArray[np.uint8], polarity: int) -> int:
        pixels = binarise(checked_picture(grey), polarity, self.preprocessing, self.buffers)
        if pixels > 0:
            normalise(self.preprocessing, self.buffers)
            histogram_of_gradients(self.hog, self.buffers)
            self.classify(self.buffers.features)
        return pixels

    def classify(self, features: NDArray[np.float32]) -> None:
        classify(features, self.weights, self.responses)
        if len(self._taught.taught_labels):
            consider_hand(self.weights, self._taught, self.responses)

    def read_square(self, square: NDArray[np.float32]) -> None:
        self.buffers.square[:] = square
        histogram_of_gradients(self.hog, self.buffers)
        self.classify(self.buffers.features)

    def wear(self, taught: Taught) -> None:
        self._taught = taught
        self.responses.decision[TAUGHT] = 0

    def stages(self, grey: NDArray[np.uint8], polarity: int) -> dict[str, Callable[[], object]]:
        picture = checked_picture(grey)
        return {
            "binarise": lambda: binarise(picture, polarity, self.preprocessing, self.buffers),
            "normalise": lambda: normalise(self.preprocessing, self.buffers),
            "hog": lambda: histogram_of_gradients(self.hog, self.buffers),
            "classify": lambda: self.classify(self.buffers.features),
        }
