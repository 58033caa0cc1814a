"""How large the numbers of a decision can get: in float32 they must not overflow, whatever the picture.

A score that is not a number is neither below a threshold nor above one, so no check behind it would reject it. Bounds
are taken from the largest number of each array, which is crude, and costs no more than a look at each number; but the
scores of shipped models stay below 1e15, and float32 reaches 3e38.
"""

from collections.abc import Mapping

import numpy as np

from edge_lpdpl.errors import ModelError
from edge_lpdpl.model.container import Array

LARGEST_FEATURE = 512.0
"""More than a histogram can hold: the gradients of a square of 0 to 1 are at most the root of 2 long, and a cell of the
largest size takes those of 16 x 16 pixels."""

LARGEST = float(np.finfo(np.float32).max) / 4
"""For every sum; the margin is a difference of two, and rounding has some room."""


def check_magnitudes(tensors: Mapping[str, Array], constant: float) -> None:
    """No picture may take a score, a margin or a novelty out of what float32 holds.

    Args:
        tensors: arrays as `shapes.check_arrays` has found them good.
        constant: what is appended after the projection.

    Raises:
        ModelError: one of them could overflow, or the self-test holds what no histogram does.
    """
    if _largest(tensors["selftest_features"]) > LARGEST_FEATURE:
        raise ModelError(f"selftest_features holds numbers above {LARGEST_FEATURE:g}")
    for what, bound in bounds(tensors, constant).items():
        if bound > LARGEST:
            raise ModelError(f"its numbers are so large that a {what} could overflow (up to {bound:.0e})")


def bounds(tensors: Mapping[str, Array], constant: float) -> dict[str, float]:
    """What the largest `score` and, where there is one, the largest `novelty` cannot exceed, nor any sum before it.

    >>> ones = np.ones((2, 3, 2), np.float32)
    >>> bounds({"vectors": ones, "squares": ones[0], "linears": ones[0]}, 0)  # y = 2 * 512, 1 + 3 * (y + 1) * y
    {'score': 3148801.0}
    """
    projected = LARGEST_FEATURE
    if "projection" in tensors:
        projected *= len(tensors["projection"]) * _largest(tensors["projection"])
        projected += _largest(tensors["projection_offset"])
    inputs, rank, _ = tensors["vectors"].shape
    response = inputs * max(projected, constant) * _largest(tensors["vectors"])
    found = {"score": 1 + rank * (_largest(tensors["squares"]) * response + _largest(tensors["linears"])) * response}
    if "novelty_means" in tensors:
        _, dimensions, factors = tensors["novelty_factors"].shape
        away = projected + _largest(tensors["novelty_means"])
        along = dimensions * away * _largest(tensors["novelty_factors"])
        found["novelty"] = dimensions * _largest(tensors["novelty_weights"]) * away * away + factors * along * along
    return found


def _largest(array: Array) -> float:
    """The largest absolute value, without a copy of the array."""
    return max(float(array.max()), -float(array.min()))
