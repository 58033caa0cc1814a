"""What a hand adds to the class scores: each class gains by the taught sample of it that is nearest to the picture.

Products are rounded before they are added, and the exponential is a polynomial and squarings, so NumPy and every
machine get the same bits.
"""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.memory import LANES
from edge_lpdpl.jit.registers import add_lines
from edge_lpdpl.numeral.kernels.classify import decide, novelty
from edge_lpdpl.numeral.taught import FARTHEST, REACH, SIXTH, SQUARINGS, STEP, STRENGTH
from edge_lpdpl.numeral.weights import BEST, DISTANCE, TAUGHT

ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)


@kernel
def nearness(inputs, taught):
    """exp(-d² / REACH) into `taught.near` for every column, d the distance of the inputs from that sample."""
    near, dimensions = taught.near, len(taught.taught_samples)
    for first in range(0, len(near), LANES):
        add_lines(near, taught.taught_samples, inputs, 0, dimensions, first)
    own = ZERO
    for index in range(dimensions):
        own += inputs[index] * inputs[index]
    for column in range(len(near)):
        square = max(ZERO, (own + taught.taught_lengths[column]) - TWO * near[column])
        step = min(square / REACH, FARTHEST) * STEP
        near[column] = ONE + step * (step * (HALF - step * SIXTH) - ONE)
    for _ in range(SQUARINGS):
        for column in range(len(near)):
            near[column] *= near[column]


@kernel
def consider_hand(weights, taught, buffers):
    """Add what the hand says to the scores in `buffers` (Responses), and decide again."""
    nearness(buffers.inputs, taught)
    pulls, before = taught.pulls, buffers.decision[BEST]
    for label in range(len(pulls)):
        pulls[label] = 0
    for sample in range(len(taught.taught_labels)):
        label = taught.taught_labels[sample]
        pulls[label] = max(pulls[label], taught.near[sample])
    for label in range(len(pulls)):
        buffers.scores[label] -= STRENGTH * pulls[label]
    decide(buffers, weights.margins, weights.confidences)
    changed = buffers.decision[BEST] != before
    buffers.decision[TAUGHT] = changed
    if changed and len(weights.novelty_means) > 0:
        buffers.decision[DISTANCE] = novelty(int(buffers.decision[BEST]), weights, buffers)
