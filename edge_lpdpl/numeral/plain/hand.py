"""What a hand adds to the class scores, in NumPy: the twin of `numeral.kernels.hand`, to the last bit."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.numeral.plain.classify import decide, novelty
from edge_lpdpl.numeral.taught import FARTHEST, REACH, SIXTH, SQUARINGS, STEP, STRENGTH, Taught, squared_length
from edge_lpdpl.numeral.weights import BEST, DISTANCE, TAUGHT, Responses, Weights

HALF, ONE, TWO = np.float32(0.5), np.float32(1), np.float32(2)


def nearness(inputs: NDArray[np.float32], taught: Taught) -> None:
    """exp(-d² / REACH) into `taught.near` for every column, d the distance of the inputs from that sample."""
    inputs = inputs[: len(taught.taught_samples)]
    products = (inputs[:, None] * taught.taught_samples).sum(axis=0)  # one row after the other
    square = np.maximum(0, (squared_length(inputs) + taught.taught_lengths) - TWO * products)
    step = np.minimum(square / REACH, FARTHEST) * STEP
    near = ONE + step * (step * (HALF - step * SIXTH) - ONE)
    for _ in range(SQUARINGS):
        near *= near
    taught.near[:] = near


def consider_hand(weights: Weights, taught: Taught, responses: Responses) -> None:
    """Add what the hand says to the scores, and decide again."""
    nearness(responses.inputs, taught)
    before = responses.decision[BEST]
    taught.pulls[:] = 0
    np.maximum.at(taught.pulls, taught.taught_labels, taught.near[: len(taught.taught_labels)])
    responses.scores[:] -= STRENGTH * taught.pulls
    decide(weights, responses)
    responses.decision[TAUGHT] = responses.decision[BEST] != before
    if responses.decision[TAUGHT] and len(weights.novelty_means):
        responses.decision[DISTANCE] = novelty(int(responses.decision[BEST]), responses.inputs, weights)
