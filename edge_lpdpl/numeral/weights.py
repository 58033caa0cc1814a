"""What the classifier evaluates, and the buffers it writes: shared by the compiled kernels and NumPy."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.memory import aligned_zeros, are_halves, bits_of_halves
from edge_lpdpl.model.model import Model

Rows = NDArray[Any]
"""float32, or uint16: the bits of the halves that hold the same numbers."""


class Weights(NamedTuple):
    """What the device evaluates; see `edge_lpdpl.model` for the meaning of each array. All are C-contiguous."""

    projection: Rows
    """(features, dimensions), or (0, 0): the features are classified as they are."""
    offset: NDArray[np.float32]
    """(dimensions,) added to the projection."""
    vectors: Rows
    """(inputs, rank, classes) factors of the quadratic forms."""
    squares: NDArray[np.float32]
    """(rank, classes) weights of the squared responses."""
    linears: NDArray[np.float32]
    """(rank, classes) weights of the responses."""
    margins: NDArray[np.float32]
    """(knots,) margins at which the confidence is tabulated, increasing."""
    confidences: NDArray[np.float32]
    """(knots,) confidence at those margins."""
    novelty_means: NDArray[np.float32]
    """(classes, dimensions), or (0, 0): no check for what is no numeral."""
    novelty_weights: NDArray[np.float32]
    """(classes, dimensions) weights of the squared differences from the mean."""
    novelty_factors: NDArray[np.float32]
    """(classes, dimensions, factors)."""


def model_weights(model: Model) -> Weights:
    """The arrays of a model as the kernels take them."""
    nothing, nowhere, none = (np.zeros((0,) * axes, np.float32) for axes in (1, 2, 3))
    for empty in (nothing, nowhere, none):
        empty.setflags(write=False)  # of the same type as the arrays of a model, or the kernels are compiled anew
    return Weights(
        nowhere if model.projection is None else model.projection,
        nothing if model.projection_offset is None else model.projection_offset,
        model.vectors,
        model.squares,
        model.linears,
        model.confidence_margins,
        model.confidence_values,
        *(model.novelty or (nowhere, nowhere, none)),
    )


def as_halves(weights: Weights) -> Weights:
    """The same numbers in half the bytes, where halves hold all of the projection and the vectors; else `weights`."""
    if not are_halves(weights.projection, weights.vectors):
        return weights
    return weights._replace(projection=bits_of_halves(weights.projection), vectors=bits_of_halves(weights.vectors))


class Responses(NamedTuple):
    """Buffers of the classifier, made once."""

    inputs: NDArray[np.float32]
    """(inputs,) what is classified; the last one is the constant, where there is one."""
    places: NDArray[np.int64]
    """(features or inputs, whichever are more, and one,) which of them are not zero."""
    responses: NDArray[np.float32]
    """(rank * classes,) response of every factor."""
    scores: NDArray[np.float32]
    """(classes,) the smallest wins."""
    decision: NDArray[np.float64]
    """(5,) best class, second class, margin, confidence, and the novelty, 0 where it is not checked."""
    away: NDArray[np.float32]
    """(dimensions,) difference from the mean of the best class."""
    along: NDArray[np.float32]
    """(factors,) its products with that class's factors."""


def make_responses(weights: Weights, constant: float) -> Responses:
    """Buffers that fit `weights`; `constant` is the input that stands beside the projected features."""
    count, rank, classes = weights.vectors.shape
    inputs = aligned_zeros(count, np.float32)
    if weights.projection.size and count > weights.projection.shape[1]:
        inputs[-1] = constant
    return Responses(
        inputs=inputs,
        places=aligned_zeros(max(count, len(weights.projection)) + 1, np.int64),
        responses=aligned_zeros(rank * classes, np.float32),
        scores=aligned_zeros(classes, np.float32),
        decision=aligned_zeros(5, np.float64),
        away=aligned_zeros(weights.novelty_means.shape[1], np.float32),
        along=aligned_zeros(weights.novelty_factors.shape[2], np.float32),
    )
