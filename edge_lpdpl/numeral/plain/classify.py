"""Scores, decision and novelty of one feature vector, in NumPy: the twin of `numeral.kernels.classify`."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.numeral.weights import DISTANCE, LEAD, Responses, Weights


def classify(features: NDArray[np.float32], weights: Weights, responses: Responses) -> None:
    """Scores and decision of one feature vector (features,), into `responses`."""
    inputs, scores = responses.inputs, responses.scores
    if weights.projection.size:
        inputs[: weights.offset.size] = add_weighted_rows(features, weights.projection) + weights.offset
    else:
        inputs[:] = features
    responses.responses[:] = add_weighted_rows(inputs, weights.vectors.reshape(inputs.size, -1))
    factors = responses.responses.reshape(weights.squares.shape)
    found = 1 + ((weights.squares * factors + weights.linears) * factors).sum(axis=0)
    scores[:], responses.others[:] = found[: scores.size], found[scores.size :]
    best = decide(weights, responses)
    responses.decision[DISTANCE] = novelty(best, inputs, weights) if len(weights.novelty_means) else 0


def decide(weights: Weights, responses: Responses) -> int:
    """Best and second class, the margin between them, the confidence at that margin, and the lead over the
    non-numerals; returns the best class."""
    scores = responses.scores
    best, second = np.argsort(scores, kind="stable")[:2]  # stable: the first one wins a tie
    margin = scores[second] - scores[best]
    responses.decision[:4] = best, second, margin, np.interp(margin, weights.margins, weights.confidences)
    responses.decision[LEAD] = sum(responses.others - scores[best])
    return int(best)


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
