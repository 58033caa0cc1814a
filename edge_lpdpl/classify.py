"""Features to class scores: eq. 12 of the paper, folded to one factored quadratic form a class.

All sums run down the columns of the weights: one feature times a row of weights is added to a row of sums. Zero features
are skipped, the inner loops vectorise without reordering anything, and the bits are the same on every machine.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.compiled import kernel


class Weights(NamedTuple):
    """What the device evaluates; see `edge_lpdpl.model` for the meaning of each array. All float32, C-contiguous."""

    projection: NDArray[np.float32]
    """(features, dimensions), or (0, 0): the features are classified as they are."""
    offset: NDArray[np.float32]
    """(dimensions,) added to the projection."""
    vectors: NDArray[np.float32]
    """(inputs, rank, classes) factors of the quadratic forms."""
    squares: NDArray[np.float32]
    """(rank, classes) weights of the squared responses."""
    linears: NDArray[np.float32]
    """(rank, classes) weights of the responses."""
    margins: NDArray[np.float32]
    """(knots,) margins at which the confidence is tabulated, increasing."""
    confidences: NDArray[np.float32]
    """(knots,) confidence at those margins."""


class Responses(NamedTuple):
    """Buffers of the classifier, made once."""

    inputs: NDArray[np.float32]
    """(inputs,) what is classified; the last one is the constant, where there is one."""
    responses: NDArray[np.float32]
    """(rank * classes,) response of every factor."""
    scores: NDArray[np.float32]
    """(classes,) the smallest wins."""
    decision: NDArray[np.float64]
    """(4,) best class, second class, margin, confidence."""


def make_responses(weights: Weights, constant: float) -> Responses:
    """Buffers that fit `weights`; `constant` is the input that stands beside the projected features."""
    count, rank, classes = weights.vectors.shape
    inputs = np.zeros(count, np.float32)
    if weights.projection.size and count > weights.projection.shape[1]:
        inputs[-1] = constant
    return Responses(
        inputs, np.zeros(rank * classes, np.float32), np.zeros(classes, np.float32), np.zeros(4, np.float64)
    )


@kernel
def project(features, projection, offset, inputs):
    """inputs[:dimensions] = offset + features @ projection, adding up rows where the feature is not zero."""
    sums = inputs[: len(offset)]
    for column in range(len(sums)):
        sums[column] = offset[column]
    for index in range(len(features)):
        feature = features[index]
        if feature != 0:
            row = projection[index]
            for column in range(len(sums)):
                sums[column] += feature * row[column]


@kernel
def score_classes(inputs, weights, responses, scores):
    """scores[c] = 1 + sum over r of squares[r, c] y[r, c]**2 + linears[r, c] y[r, c], with y = inputs @ vectors."""
    count, rank, classes = weights.vectors.shape
    flat = weights.vectors.reshape((count, rank * classes))
    for column in range(len(responses)):
        responses[column] = 0
    for index in range(count):
        value = inputs[index]
        if value != 0:
            row = flat[index]
            for column in range(len(responses)):
                responses[column] += value * row[column]
    for label in range(classes):
        scores[label] = 1
    for factor in range(rank):
        response = responses[factor * classes : (factor + 1) * classes]
        square, linear = weights.squares[factor], weights.linears[factor]
        for label in range(classes):
            scores[label] += (square[label] * response[label] + linear[label]) * response[label]


@kernel
def decide(scores, margins, confidences, decision):
    """Best and second class (the first one wins a tie), the margin between them, and the confidence it stands for."""
    best, second = 0, 1
    if scores[1] < scores[0]:
        best, second = 1, 0
    for label in range(2, len(scores)):
        if scores[label] < scores[best]:
            best, second = label, best
        elif scores[label] < scores[second]:
            second = label
    margin = scores[second] - scores[best]
    last = len(margins) - 1
    if margin <= margins[0]:
        confidence = confidences[0]
    elif margin >= margins[last]:
        confidence = confidences[last]
    else:
        knot = 1
        while margins[knot] < margin:
            knot += 1
        share = (margin - margins[knot - 1]) / (margins[knot] - margins[knot - 1])
        confidence = confidences[knot - 1] + share * (confidences[knot] - confidences[knot - 1])
    decision[0], decision[1], decision[2], decision[3] = best, second, margin, confidence


@kernel
def classify(features, weights, responses):
    """Scores and decision of one feature vector (features,) float32, into `responses`."""
    if weights.projection.shape[0] > 0:
        project(features, weights.projection, weights.offset, responses.inputs)
    else:
        for index in range(len(features)):
            responses.inputs[index] = features[index]
    score_classes(responses.inputs, weights, responses.responses, responses.scores)
    decide(responses.scores, weights.margins, weights.confidences, responses.decision)
