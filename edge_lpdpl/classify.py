"""Features to class scores: eq. 12 of the paper, folded to one factored quadratic form a class.

All sums run down the columns of the weights: one feature times a row of weights is added to a row of sums. Zero
features are skipped, the inner loops vectorise without reordering anything, and every machine gets the same bits.
"""

from edge_lpdpl.compiled import kernel


@kernel
def add_weighted_rows(values, rows, places, sums):
    """sums[c] += values[0] * rows[0, c] + values[1] * rows[1, c] + ..., in this order, zero values left out.

    The places of the values that are not zero are listed first, without a branch (which half of a histogram would make
    unpredictable), and four rows are added in one sweep over the sums.

    Args:
        values: (V,) float32. rows: (V, C) float32. sums: (C,) float32, changed.
        places: (at least V + 1,) int64 scratch.
    """
    count = 0
    for index in range(len(values)):
        places[count] = index
        count += values[index] != 0
    fours = count - count % 4
    for start in range(0, fours, 4):
        a, b, c, d = places[start], places[start + 1], places[start + 2], places[start + 3]
        value_a, value_b, value_c, value_d = values[a], values[b], values[c], values[d]
        row_a, row_b, row_c, row_d = rows[a], rows[b], rows[c], rows[d]
        for column in range(len(sums)):
            total = sums[column] + value_a * row_a[column]
            total = total + value_b * row_b[column]
            total = total + value_c * row_c[column]
            sums[column] = total + value_d * row_d[column]
    for entry in range(fours, count):
        index = places[entry]
        value = values[index]
        for column in range(len(sums)):
            sums[column] += value * rows[index, column]


@kernel
def score_classes(weights, buffers):
    """scores[c] = 1 + sum over r of squares[r, c] y[r, c]**2 + linears[r, c] y[r, c], with y = inputs @ vectors."""
    count, rank, classes = weights.vectors.shape
    responses, scores = buffers.responses, buffers.scores
    for column in range(rank * classes):
        responses[column] = 0
    add_weighted_rows(buffers.inputs, weights.vectors.reshape((count, rank * classes)), buffers.places, responses)
    for label in range(classes):
        scores[label] = 1
    for factor in range(rank):
        for label in range(classes):
            response = responses[factor * classes + label]
            scores[label] += (weights.squares[factor, label] * response + weights.linears[factor, label]) * response


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
