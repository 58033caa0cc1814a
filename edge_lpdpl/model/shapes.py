"""The arrays of a model: their names, shapes and bounds. The tables are the specification."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ModelError
from edge_lpdpl.model.settings import checked_number

SHAPES = {
    "projection": ("features", "dimensions"),
    "projection_offset": ("dimensions",),
    "vectors": ("inputs", "rank", "forms"),
    "squares": ("rank", "forms"),
    "linears": ("rank", "forms"),
    "confidence_margins": ("points",),
    "confidence_values": ("points",),
    "selftest_scores": ("samples", "forms"),
    "selftest_features": ("samples", "features"),
    "selftest_pictures": ("samples", "height", "width"),
    "selftest_distances": ("samples",),
    "synthesis": ("forms", "inputs", "atoms"),
    "analysis": ("forms", "atoms", "inputs"),
    "classifier": ("forms", "forms", "atoms"),
    "novelty_means": ("classes", "dimensions"),
    "novelty_weights": ("classes", "dimensions"),
    "novelty_factors": ("classes", "dimensions", "factors"),
}

# A form is a quadratic form that gives a score: one a class, and from schema 5 on one more for what is no numeral.

PICTURES = "selftest_pictures"
"""The one array of uint8; all others are float32."""

LIMITS = {
    "features": (1, 8192),
    **dict.fromkeys(("dimensions", "inputs", "rank", "atoms"), (1, 4096)),
    **dict.fromkeys(("classes", "points"), (2, 64)),
    "forms": (2, 65),
    "samples": (1, 32),
    **dict.fromkeys(("height", "width"), (8, 64)),
    "factors": (1, 64),
}

PROJECTION = ("projection", "projection_offset")

DICTIONARIES = ("synthesis", "analysis", "classifier")

NOVELTY = ("novelty_means", "novelty_weights", "novelty_factors")

OF_FEATURES, OF_PICTURES = ("selftest_features",), (PICTURES, "selftest_distances")
"""The self-test before schema 4, and from then on."""

OPTIONAL = (PROJECTION, DICTIONARIES, NOVELTY, OF_FEATURES, OF_PICTURES)
"""Groups of which there are all or none."""

REQUIRED = tuple(name for name in SHAPES if all(name not in group for group in OPTIONAL))

LARGEST = float(np.finfo(np.float32).max)

BOUNDS = {
    "selftest_features": 512.0,
    **dict.fromkeys(("projection", "vectors"), 64.0),
    **dict.fromkeys(("projection_offset", "squares", "linears", *NOVELTY), 1e6),
}
"""Largest absolute value of each array that is multiplied; LARGEST for the others. A feature is at most 512: gradients
of a square of 0 to 1 are at most the root of 2 long, and the largest cell takes those of 16 x 16 pixels. With the
largest sizes in LIMITS, no sum on the way to a score or a distance exceeds a quarter of what float32 holds, so none
overflows, whatever the picture. The largest number in the shipped models is 10.4."""


def check_names(names: Iterable[str], of_pictures: bool) -> None:
    """All arrays that must be there, none besides, and of the optional groups all or none.

    Args:
        of_pictures: whether the self-test is one of pictures.

    Raises:
        ModelError: names the arrays.

    >>> check_names([*REQUIRED, *OF_PICTURES, "projection"], of_pictures=True)
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ModelError: missing arrays: projection_offset
    """
    present = set(names)
    selftest, other = (OF_PICTURES, OF_FEATURES) if of_pictures else (OF_FEATURES, OF_PICTURES)
    if unexpected := sorted(present - (SHAPES.keys() - set(other))):
        raise ModelError(f"unexpected arrays: {', '.join(repr(name[:40]) for name in unexpected[:5])}")
    wanted = {*REQUIRED, *selftest}.union(*(group for group in OPTIONAL if present & set(group)))
    if missing := sorted(wanted - present):
        raise ModelError(f"missing arrays: {', '.join(missing)}")


def check_arrays(tensors: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]) -> None:
    """Shapes against the sizes and each other, numbers within their bounds, the confidence curve rising.

    Args:
        tensors: arrays under the names of `SHAPES`.
        sizes: length of every axis that the metadata determine; the others (points, samples ...) have to agree.

    Raises:
        ModelError: names the array and its axis.
    """
    check_names(tensors, PICTURES in tensors)
    if sizes["rank"] > sizes["inputs"]:
        raise ModelError(f"the rank {sizes['rank']} is above the {sizes['inputs']} numbers that are classified")
    agreed = dict(sizes)
    for name, array in sorted(tensors.items(), key=lambda item: list(SHAPES).index(item[0])):
        axes, shape = SHAPES[name], array.shape
        if len(shape) != len(axes):
            raise ModelError(f"{name} has {len(shape)} axes, not {' x '.join(axes)}")
        for axis, size in zip(axes, shape, strict=True):
            if agreed.setdefault(axis, size) != size:
                raise ModelError(f"{name}: {axis} = {size}, not {agreed[axis]}")
    for axis, size in agreed.items():
        checked_number(axis, size, int, *LIMITS[axis])
    for name, array in tensors.items():
        bound = BOUNDS.get(name, LARGEST)
        if not (array.min() >= -bound and array.max() <= bound):
            raise ModelError(f"{name} holds numbers that are not finite or beyond {bound:g}")
    margins, values = tensors["confidence_margins"], tensors["confidence_values"]
    if margins[0] < 0 or not (np.diff(margins) > 0).all():
        raise ModelError("confidence_margins do not increase from 0 or above")
    if values[0] < 0 or values[-1] > 1 or not (np.diff(values) >= 0).all():
        raise ModelError("confidence_values fall, or leave 0..1")
    if "novelty_weights" in tensors and (tensors["novelty_weights"] < 0).any():
        raise ModelError("novelty_weights holds numbers below 0")
