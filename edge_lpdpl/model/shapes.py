"""The arrays of a model: which there are, and how their shapes hang together. The tables are the specification."""

from collections.abc import Iterable, Mapping

import numpy as np

from edge_lpdpl.errors import ModelError
from edge_lpdpl.model.container import Array

SHAPES = {
    "projection": ("features", "dimensions"),
    "projection_offset": ("dimensions",),
    "vectors": ("inputs", "rank", "classes"),
    "squares": ("rank", "classes"),
    "linears": ("rank", "classes"),
    "confidence_margins": ("points",),
    "confidence_values": ("points",),
    "selftest_features": ("samples", "features"),
    "selftest_scores": ("samples", "classes"),
    "synthesis": ("classes", "inputs", "atoms"),
    "analysis": ("classes", "atoms", "inputs"),
    "classifier": ("classes", "classes", "atoms"),
    "novelty_means": ("classes", "dimensions"),
    "novelty_weights": ("classes", "dimensions"),
    "novelty_factors": ("classes", "dimensions", "factors"),
}

LIMITS = {
    "features": (1, 8192),
    "dimensions": (1, 4096),
    "inputs": (1, 4096),
    "rank": (1, 4096),
    "classes": (2, 64),
    "points": (2, 64),
    "samples": (1, 32),
    "atoms": (1, 4096),
    "factors": (1, 64),
}

PROJECTION = ("projection", "projection_offset")

DICTIONARIES = ("synthesis", "analysis", "classifier")

NOVELTY = ("novelty_means", "novelty_weights", "novelty_factors")

OPTIONAL = (PROJECTION, DICTIONARIES, NOVELTY)
"""Groups of which there are all or none."""

REQUIRED = tuple(name for name in SHAPES if all(name not in group for group in OPTIONAL))


def check_names(names: Iterable[str]) -> None:
    """All arrays that must be there, none besides, and of the optional groups all or none.

    Raises:
        ModelError: names the arrays.

    >>> check_names([*REQUIRED, "projection"])
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ModelError: missing arrays: projection_offset
    """
    present = set(names)
    if unexpected := sorted(present - SHAPES.keys()):
        raise ModelError(f"unexpected arrays: {', '.join(repr(name[:40]) for name in unexpected[:5])}")
    wanted = set(REQUIRED).union(*(group for group in OPTIONAL if present & set(group)))
    if missing := sorted(wanted - present):
        raise ModelError(f"missing arrays: {', '.join(missing)}")


def check_arrays(tensors: Mapping[str, Array], sizes: Mapping[str, int]) -> None:
    """Shapes against the sizes and each other, numbers finite, the confidence curve rising.

    Args:
        tensors: float32 arrays under the names of `SHAPES`.
        sizes: length of every axis that the metadata fix; what they leave open (points, samples) has to agree.

    Raises:
        ModelError: names the array and its axis.
    """
    check_names(tensors)
    if sizes["rank"] > sizes["inputs"]:
        raise ModelError(f"the rank {sizes['rank']} is above the {sizes['inputs']} numbers that are classified")
    agreed = dict(sizes)
    for name in SHAPES:
        if name in tensors:
            _check_shape(name, tensors[name].shape, agreed)
    for axis, size in agreed.items():
        low, high = LIMITS[axis]
        if not low <= size <= high:
            raise ModelError(f"{size} {axis} are outside {low}..{high}")
    for name in sorted(tensors):
        if not np.isfinite(tensors[name]).all():
            raise ModelError(f"{name} holds numbers that are not finite")
    _check_curve(tensors["confidence_margins"], tensors["confidence_values"])
    if "novelty_weights" in tensors and (tensors["novelty_weights"] < 0).any():
        raise ModelError("novelty_weights holds numbers below 0")


def _check_shape(name: str, shape: tuple[int, ...], agreed: dict[str, int]) -> None:
    axes = SHAPES[name]
    if len(shape) != len(axes):
        raise ModelError(f"{name} has {len(shape)} axes, not {' x '.join(axes)}")
    for axis, size in zip(axes, shape, strict=True):
        if agreed.setdefault(axis, size) != size:
            raise ModelError(f"{name}: {axis} = {size}, not {agreed[axis]}")


def _check_curve(margins: Array, values: Array) -> None:
    if margins[0] < 0 or not (np.diff(margins) > 0).all():
        raise ModelError("confidence_margins do not increase from 0 or above")
    if values[0] < 0 or values[-1] > 1 or not (np.diff(values) >= 0).all():
        raise ModelError("confidence_values fall, or leave 0..1")


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
