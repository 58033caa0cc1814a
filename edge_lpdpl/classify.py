"""Features to class scores: eq. 12 of the paper, folded to one factored quadratic form a class.

All sums run down the columns of the weights: one feature times a row of weights is added to a row of sums. Zero features
are skipped, the inner loops vectorise without reordering anything, and the bits are the same on every machine.
"""

from edge_lpdpl.compiled import kernel


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
