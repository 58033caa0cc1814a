"""Features to class scores: eq. 12 of the paper, folded to one factored quadratic form a class.

All sums run down the columns of the weights: one feature times a row of weights is added to a row of sums. Zero
features are skipped, the inner loops vectorise without reordering anything, and every machine gets the same bits.
"""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import flat
from edge_lpdpl.jit.registers import add_rows
from edge_lpdpl.numeral.weights import BEST, CONFIDENCE, DISTANCE, LEAD, MARGIN, SECOND


@kernel
def add_weighted_rows(values, rows, places, sums):
    """sums[c] += values[0] * rows[0, c] + values[1] * rows[1, c] + ..., in this order, each step rounded once.

    Zero values are skipped, which saves fetching their rows. The places of the others are listed first without a
    branch: half of a histogram is zero, so a branch would be unpredictable.

    Args:
        values: (V,) float32. rows: (V, ...) float32, or bits of float16, of C numbers each.
        sums: (C,) float32, changed. places: (at least V + 1,) int64 scratch.
    """
    count = 0
    for index in range(len(values)):
        places[count] = index
        count += values[index] != 0
    add_rows(sums, rows, values, places, count)


@kernel
def score_classes(weights, buffers):
    """scores[c] = 1 + sum over r of squares[r, c] y[r, c]**2 + linears[r, c] y[r, c], with y = inputs @ vectors.

    Where there are more forms than classes, the last ones are those of `others`.
    """
    _, rank, forms = weights.vectors.shape
    responses, scores, others = buffers.responses, buffers.scores, buffers.others
    for column in range(rank * forms):
        responses[column] = 0
    add_weighted_rows(buffers.inputs, weights.vectors, buffers.places, responses)
    classes = len(scores)
    for label in range(classes):
        scores[label] = 1
    for form in range(len(others)):
        others[form] = 1
    squares, linears = flat(weights.squares), flat(weights.linears)
    for place in range(rank * forms):
        responses[place] = (squares[place] * responses[place] + linears[place]) * responses[place]
    for factor in range(rank):
        part = responses[factor * forms : (factor + 1) * forms]
        for label in range(classes):
            scores[label] += part[label]
        for form in range(len(others)):
            others[form] += part[classes + form]


@kernel
def decide(buffers, margins, confidences):
    """Best and second class (the first one wins a tie), the margin between them, the confidence at that margin, and the
    lead over the non-numerals."""
    scores, decision = buffers.scores, buffers.decision
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
    decision[BEST], decision[SECOND], decision[MARGIN], decision[CONFIDENCE] = best, second, margin, confidence
    decision[LEAD] = 0
    for form in range(len(buffers.others)):
        decision[LEAD] = buffers.others[form] - scores[best]


@kernel
def novelty(label, weights, buffers):
    """Distance of the inputs from class `label`; above 1 they are no numeral of that class.

    sum over i of w[i] a[i]**2 + sum over k of (sum over i of f[i, k] a[i])**2, with a = inputs - mean. Only this class
    is computed, so that the weights of the others stay out of the cache.
    """
    away, along = buffers.away, buffers.along
    means, scales = weights.novelty_means[label], weights.novelty_weights[label]
    for index in range(len(away)):
        away[index] = buffers.inputs[index] - means[index]
    for factor in range(len(along)):
        along[factor] = 0
    add_weighted_rows(away, weights.novelty_factors[label], buffers.places, along)
    for index in range(len(away)):
        away[index] *= away[index] * scales[index]
    total = np.float32(0)
    for index in range(len(away)):
        total += away[index]
    for factor in range(len(along)):
        total += along[factor] * along[factor]
    return total


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
    decide(buffers, weights.margins, weights.confidences)
    buffers.decision[DISTANCE] = 0
    if len(weights.novelty_means) > 0:
        buffers.decision[DISTANCE] = novelty(int(buffers.decision[BEST]), weights, buffers)
