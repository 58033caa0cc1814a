"""What the evidence of a lattice is worth: `edge_lpdpl.number.evidence` in one pass, without the evidence itself."""

from math import exp, log, sqrt

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.number.evidence import LEAST_SHAPE, MOST_DISTANCE, MOST_LEVEL, SHARPNESS, SLIGHT
from edge_lpdpl.number.record import CROSSED, CUTS, DISTANCE, FIRST, GAP, LAST, NOVELTY, ROW, STRAY
from edge_lpdpl.number.weights import CUT_OFF, MOST_NOVELTY
from edge_lpdpl.page import parts_table as part


@kernel
def weigh_characters(candidates, size, weights, shapes, buffers):
    """Write what each candidate is worth as each class, point and sign into `characters`, and the `spans`."""
    place_in_line(candidates, size, buffers)
    for candidate in range(candidates):
        given, scores = buffers.given[candidate], buffers.scores[candidate]
        buffers.spans[candidate, 0], buffers.spans[candidate, 1] = given[FIRST], given[LAST]
        divided = weight_of_division(given, size, weights)
        alone = divided + weight_of_all_classes(given, weights)
        least = np.float64(scores[0])
        for score in scores:
            least = min(least, np.float64(score))
        near = 0.0
        for score in scores:
            near += exp(-SHARPNESS * (np.float64(score) - least))
        alone -= weights.clarity * log(near)
        for label in range(len(scores)):
            worth = alone - weights.score * (np.float64(scores[label]) - least)
            likely = likelihood(buffers.places[candidate], label, shapes)
            buffers.characters[candidate, label] = worth + weights.shape * likely
        for mark in range(len(scores), len(shapes.means)):
            likely = likelihood(buffers.places[candidate], mark, shapes)
            buffers.characters[candidate, mark] = divided + weights.mark + weights.mark_shape * likely


@kernel
def weigh_noise(pieces, size, weights, buffers):
    """Write what it is worth to leave each piece out into `noise`."""
    for piece in range(pieces):
        worth = weights.piece - weights.size * (buffers.extents[piece, 0] / size)
        buffers.noise[piece] = worth + CUT_OFF * buffers.extents[piece, 1]


@kernel
def weigh_neighbours(candidates, size, weights, buffers):
    """Write what each pair of neighbours is worth into `neighbours`; returns how many there are."""
    pair = 0
    for candidate in range(candidates):
        for other in range(candidate):
            if buffers.given[other, LAST] == buffers.given[candidate, FIRST]:
                buffers.neighbours[pair] = weight_of_pair(other, candidate, size, weights, buffers)
                pair += 1
    return pair


@kernel
def weight_of_division(given, size, weights):
    """The evidence of a candidate's gap and cuts."""
    before, after = given[CROSSED], given[CROSSED + 1]
    worth = -weights.gap * given[GAP] / size - weights.cuts_inside * given[CUTS]
    return worth - weights.cut * (int(before > 0) + int(after > 0)) - weights.crossed * (before + after) / 255 / size


@kernel
def weight_of_all_classes(given, weights):
    """The evidence for a candidate that is the same for every class of the recogniser."""
    novelty, distance = given[NOVELTY], given[DISTANCE]
    beyond = novelty - 1
    beyond = 0 if beyond < 0 else MOST_NOVELTY**2 if beyond > MOST_NOVELTY**2 else beyond
    worth = weights.character - weights.likeness * (MOST_NOVELTY if novelty > MOST_NOVELTY else novelty)
    worth -= weights.known * sqrt(beyond)
    worth -= weights.nearness * (MOST_DISTANCE if distance > MOST_DISTANCE else distance)
    return worth - weights.stray * given[STRAY]


@kernel
def place_in_line(candidates, size, buffers):
    """Write logarithms of width and height, and the height of the middle off the line, into `places`."""
    total = across = down = 0.0
    for candidate in range(candidates):
        given = buffers.given[candidate]
        weight = weight_in_line(given)
        total += weight
        across += weight * (given[ROW + part.LEFT] + given[ROW + part.RIGHT]) / 2
        down += weight * (given[ROW + part.TOP] + given[ROW + part.BOTTOM]) / 2
    centre, middle = across / total, down / total
    spread, slope = total * size**2, 0.0
    for candidate in range(candidates):
        given = buffers.given[candidate]
        weight = weight_in_line(given)
        x = (given[ROW + part.LEFT] + given[ROW + part.RIGHT]) / 2 - centre
        spread += weight * x**2
        slope += weight * x * ((given[ROW + part.TOP] + given[ROW + part.BOTTOM]) / 2 - middle)
    slope /= spread
    for candidate in range(candidates):
        given, place = buffers.given[candidate], buffers.places[candidate]
        x = (given[ROW + part.LEFT] + given[ROW + part.RIGHT]) / 2 - centre
        y = (given[ROW + part.TOP] + given[ROW + part.BOTTOM]) / 2 - middle
        place[0] = log((given[ROW + part.RIGHT] - given[ROW + part.LEFT] + 1) / size)
        place[1] = log((given[ROW + part.BOTTOM] - given[ROW + part.TOP] + 1) / size)
        place[2] = (y - slope * x) / size


@kernel
def weight_in_line(given):
    """By how much a candidate tells where the line is: a single piece by its side (`lines.character_side`)."""
    if given[LAST] != given[FIRST] + 1:
        return SLIGHT
    width, height = given[ROW + part.RIGHT] - given[ROW + part.LEFT], given[ROW + part.BOTTOM] - given[ROW + part.TOP]
    length = given[ROW + part.RUNS] + given[ROW + part.AREA] - given[ROW + part.SHARED]
    return SLIGHT + (height if 2 * (length - height) > 3 * width else max(width, height))


@kernel
def likelihood(place, label, shapes):
    """Logarithm of how usual size and place are for a class."""
    mean, precision = shapes.means[label], shapes.precisions[label]
    x, y, z = place[0] - mean[0], place[1] - mean[1], place[2] - mean[2]
    xx, xy, xz, yy, yz, zz = precision[0], precision[1], precision[2], precision[3], precision[4], precision[5]
    square = xx * x * x + yy * y * y + zz * z * z + 2 * (xy * x * y + xz * x * z + yz * y * z)
    likely = shapes.log_precisions[label] - square / 2
    return LEAST_SHAPE if likely < LEAST_SHAPE else likely


@kernel
def longer_side(given):
    """The longer side of a candidate."""
    return max(given[ROW + part.RIGHT] - given[ROW + part.LEFT], given[ROW + part.BOTTOM] - given[ROW + part.TOP])


@kernel
def weight_of_pair(before, after, size, weights, buffers):
    """What two neighbours are worth."""
    one, other = buffers.given[before], buffers.given[after]
    gap = (other[ROW + part.LEFT] - one[ROW + part.RIGHT]) / size
    off = buffers.places[after, 2] - buffers.places[before, 2]
    smaller = min(longer_side(one), longer_side(other)) / size
    free, level = max(gap, 0.0), min(off * off, MOST_LEVEL) * min(smaller, 1.0)
    return -weights.apart * free - weights.overlap * max(-gap, 0.0) - weights.far * free * free - weights.level * level
