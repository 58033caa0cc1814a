"""The engine for machines without a compiler, 32-bit or with a strict sandbox: the same decisions by array operations.

It needs NumPy alone. The ink, the square and the features of the edge profile are those of the kernels; scores differ
from theirs in the last bits, because sums are taken in another order, but that order is the same on every machine.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.classify_weights import Responses, Weights, make_responses
from edge_lpdpl.engine import model_weights
from edge_lpdpl.grey import checked_picture
from edge_lpdpl.model import Model
from edge_lpdpl.numpy_features import histogram_of_gradients, normalise
from edge_lpdpl.numpy_ink import binarise
from edge_lpdpl.workspace import make_workspace


class NumpyEngine:
    """Implements `edge_lpdpl.engine.Engine`."""

    name = "numpy"

    def __init__(self, model: Model) -> None:
        self.preprocessing, self.hog = model.preprocessing, model.hog
        self.buffers = make_workspace(model.preprocessing, model.hog)
        self.weights = model_weights(model)
        self.responses = make_responses(self.weights, model.constant)

    def recognise(self, grey: NDArray[np.uint8], polarity: int) -> int:
        pixels = binarise(checked_picture(grey), polarity, self.preprocessing, self.buffers)
        if pixels > 0:
            normalise(self.preprocessing, self.buffers)
            histogram_of_gradients(self.hog, self.buffers)
            classify(self.buffers.features, self.weights, self.responses)
        return pixels

    def classify(self, features: NDArray[np.float32]) -> None:
        classify(features, self.weights, self.responses)

    def stages(self, grey: NDArray[np.uint8], polarity: int) -> dict[str, Callable[[], object]]:
        picture = checked_picture(grey)
        return {
            "binarise": lambda: binarise(picture, polarity, self.preprocessing, self.buffers),
            "normalise": lambda: normalise(self.preprocessing, self.buffers),
            "hog": lambda: histogram_of_gradients(self.hog, self.buffers),
            "classify": lambda: self.classify(self.buffers.features),
        }


def classify(features: NDArray[np.float32], weights: Weights, responses: Responses) -> None:
    """Scores and decision of one feature vector (features,), into `responses`."""
    inputs, scores = responses.inputs, responses.scores
    if weights.projection.size:
        inputs[: weights.offset.size] = add_weighted_rows(features, weights.projection) + weights.offset
    else:
        inputs[:] = features
    responses.responses[:] = add_weighted_rows(inputs, weights.vectors.reshape(inputs.size, -1))
    factors = responses.responses.reshape(weights.squares.shape)
    scores[:] = 1 + ((weights.squares * factors + weights.linears) * factors).sum(axis=0)
    best, second = np.argsort(scores, kind="stable")[:2]  # stable: the first one wins a tie
    margin = scores[second] - scores[best]
    responses.decision[:4] = best, second, margin, np.interp(margin, weights.margins, weights.confidences)
    responses.decision[4] = novelty(best, inputs, weights) if len(weights.novelty_means) else 0


def novelty(label: int, inputs: NDArray[np.float32], weights: Weights) -> np.float32:
    """How far the inputs are from what class `label` looks like."""
    means = weights.novelty_means[label]
    away = inputs[: means.size] - means
    along = add_weighted_rows(away, weights.novelty_factors[label])
    total: np.float32 = np.sum(away * away * weights.novelty_weights[label]) + np.sum(along * along)
    return total


def add_weighted_rows(values: NDArray[np.float32], rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """values @ rows, one row after the other: a matrix product adds up in an order that depends on the machine."""
    used = np.flatnonzero(values)
    total: NDArray[np.float32] = (values[used, None] * rows[used]).sum(axis=0)
    return total
