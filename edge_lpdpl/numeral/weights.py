"""What the classifier evaluates, and the buffers it writes: shared by the compiled kernels and NumPy.

`edge_lpdpl.jit.record` explains the shapes.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.memory import fit_float16, float16_bits
from edge_lpdpl.jit.record import make_arrays
from edge_lpdpl.model.model import Model

BEST, SECOND, MARGIN, CONFIDENCE, DISTANCE, TAUGHT, LEAD = range(7)
"""Places in `Responses.decision`: best class, second class, the margin between them, the confidence, the distance from
the best class, 0 where it is not checked, 1 where a hand changed the best class, and the lead of the best class over
the non-numerals, 0 where they have no score."""

Reals = NDArray[np.float32]
Rows = NDArray[Any]
"""float32, or uint16: the bits of the same numbers in float16."""


class Weights(NamedTuple):
    """What the device evaluates; see `edge_lpdpl.model` for the meaning of each array. All are C-contiguous."""

    projection: Annotated[Rows, "projected", "dimensions"]
    """All features to `dimensions` inputs, or (0, 0): the features are classified as they are."""
    offset: Annotated[Reals, "dimensions"]
    """Added to the projection."""
    vectors: Annotated[Rows, "input_count", "rank", "forms"]
    """Factors of the quadratic forms."""
    squares: Annotated[Reals, "rank", "forms"]
    """Weights of the squared responses."""
    linears: Annotated[Reals, "rank", "forms"]
    """Weights of the responses."""
    margins: Annotated[Reals, "knots"]
    """Margins at which the confidence is tabulated, increasing."""
    confidences: Annotated[Reals, "knots"]
    """Confidence at those margins."""
    novelty_means: Annotated[Reals, "novelty_classes", "novelty_dimensions"]
    """Mean of each class, or (0, 0): no check for non-numerals."""
    novelty_weights: Annotated[Reals, "novelty_classes", "novelty_dimensions"]
    """Weights of the squared differences from the mean."""
    novelty_factors: Annotated[Reals, "novelty_classes", "novelty_dimensions", "novelty_factor_count"]
    non_numerals: int = 0
    """How many of the forms, the last ones, are no classes: 1 where non-numerals have a score, else 0."""
    in_float16: bool = False
    """Whether projection and vectors are the bits of float16."""


def model_weights(model: Model) -> Weights:
    """The arrays of a model as the kernels take them."""
    nothing, nowhere, none = (np.zeros((0,) * axes, np.float32) for axes in (1, 2, 3))
    means, weights, factors = model.novelty or (nowhere, nowhere, none)
    return Weights(
        nowhere if model.projection is None else model.projection,
        nothing if model.projection_offset is None else model.projection_offset,
        model.vectors,
        model.squares,
        model.linears,
        model.confidence_margins,
        model.confidence_values,
        means,
        weights,
        factors,
        int(model.scores_non_numerals),
    )


def as_float16(weights: Weights) -> Weights:
    """The same numbers in half the bytes where float16 holds the projection and the vectors, else `weights`."""
    if not fit_float16(weights.projection, weights.vectors):
        return weights
    projection, vectors = float16_bits(weights.projection), float16_bits(weights.vectors)
    return weights._replace(projection=projection, vectors=vectors, in_float16=True)


class Responses(NamedTuple):
    """Buffers of the classifier, made once."""

    inputs: Annotated[Reals, "input_count"]
    """What is classified; the last one is the constant, where there is one."""
    places: Annotated[NDArray[np.int64], "place_count"]
    """Which of the features or inputs, whichever are more, are not zero; and one place to spare."""
    responses: Annotated[Reals, "response_count"]
    """Response of every factor of every form."""
    scores: Annotated[Reals, "classes"]
    """The smallest wins."""
    others: Annotated[Reals, "non_numeral_count"]
    """The score of non-numerals, where they have one."""
    decision: Annotated[NDArray[np.float64], 7]
    """See BEST."""
    away: Annotated[Reals, "novelty_dimensions"]
    """Difference from the mean of the best class."""
    along: Annotated[Reals, "novelty_factor_count"]
    """Its products with that class's factors."""

    @property
    def all_scores(self) -> Reals:
        """(forms,) scores of the classes, then that of the non-numerals, where they have one."""
        return np.concatenate([self.scores, self.others])


def make_responses(weights: Weights, constant: float) -> Responses:
    """Buffers that fit `weights`; `constant` is the input that stands beside the projected features."""
    count, rank, forms = weights.vectors.shape
    _, dimensions, factors = weights.novelty_factors.shape
    lengths = {"input_count": count, "classes": forms - weights.non_numerals, "novelty_dimensions": dimensions}
    lengths |= {"non_numeral_count": weights.non_numerals}
    lengths |= {"place_count": max(count, len(weights.projection)) + 1, "response_count": rank * forms}
    responses = make_arrays(Responses, lengths | {"novelty_factor_count": factors})
    if weights.projection.size and count > weights.projection.shape[1]:
        responses.inputs[-1] = constant
    return responses
