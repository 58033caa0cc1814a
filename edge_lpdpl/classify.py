"""Features to class scores: eq. 12 of the paper, folded to one factored quadratic form a class.

All sums run down the columns of the weights: one feature times a row of weights is added to a row of sums. Zero
features are skipped, the inner loops vectorise without reordering anything, and every machine gets the same bits.
"""

from edge_lpdpl.compiled import kernel
from edge_lpdpl.intrinsics import flat
from edge_lpdpl.registers import add_rows


@kernel
def add_weighted_rows(values, rows, places, sums):
    """sums[c] += values[0] * rows[0, c] + values[1] * rows[1, c] + ..., in this order, zero values left out.

    The places of the values that are not zero are listed first, without a branch, which half of a histogram would make
    unpredictable.

    Args:
        values: (V,) float32. rows: (V, ...) float32 of C numbers each. sums: (C,) float32, changed.
        places: (at least V + 1,) int64 scratch.
    """
    count = 0
    for index in range(len(values)):
        places[count] = index
        count += values[index] != 0
    add_rows(sums, rows, values, places, count)


@kernel
def score_classes(weights, buffers):
    """scores[c] = 1 + sum over r of squares[r, c] y[r, c]**2 + linears[r, c] y[r, c], with y = inputs @ vectors."""
    _, rank, classes = weights.vectors.shape
    responses, scores = buffers.responses, buffers.scores
    for column in range(rank * classes):
        responses[column] = 0
    add_weighted_rows(buffers.inputs, weights.vectors, buffers.places, responses)
    for label in range(classes):
        scores[label] = 1
    squares, linears = flat(weights.squares), flat(weights.linears)
    for place in range(rank * classes):
        responses[place] = (squares[place] * responses[place] + linears[place]) * responses[place]
    for factor in range(rank):
        part = responses[factor * classes : (factor + 1) * classes]
        for label in range(classes):
            scores[label] += part[label]


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
def classify(features, weights, buffers):
    """Scores and decision of one feature vector (features,) float32, into `buffers` (Responses)."""
    if weights.projection.shape[0] > 0:
        dimensions = len(weights.offset)
        for column in range(dimensions):
            buffers.inputs[column] = weights.offset[column]
        add_weighted_rows(features, weights.projection, buffers.places, buffers.inputs[:dimensions])
    else:
        for index in range(len(features)):
            buffers.inputs[index] = features[index]
    score_classes(weights, buffers)
    decide(buffers.scores, weights.margins, weights.confidences, buffers.decision)
