"""All that one recogniser works with, in one record: settings, sizes, and where each of its arrays lies.

Unpacking an array that Python hands over costs a kernel as much as 50 pixels of a picture, and a recogniser has 35 of
them. They never move; so where they lie is written down once, and a kernel is handed the address of the record alone.
`edge_lpdpl.numeral.kernels.views` reads it. The record keeps no array alive: who makes one keeps its `Arguments`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.record import fill
from edge_lpdpl.model.settings import HogSettings, Preprocessing
from edge_lpdpl.numeral.buffers import OctantBuffers, Workspace
from edge_lpdpl.numeral.weights import Responses, Weights


class Request(NamedTuple):
    """What is to be read next; written anew before a call where it changes."""

    picture: int
    """Address of (height, width) uint8, C-contiguous."""
    height: int
    width: int
    polarity: int
    """INK_LIGHT, INK_DARK or INK_AUTO."""


class Sizes(NamedTuple):
    """Lengths that the settings do not tell."""

    feature_count: int
    input_count: int
    projected: int
    """Rows of the projection: the features, or 0 where there is none."""
    dimensions: int
    """Columns of the projection, or 0."""
    rank: int
    classes: int
    knots: int
    novelty_classes: int
    """Classes with a check for what is no numeral: all, or 0."""
    novelty_dimensions: int
    novelty_factor_count: int
    direction_count: int
    in_halves: bool
    """Projection and vectors are the bits of halves."""


class Arguments(NamedTuple):
    """What the kernels take beside a picture."""

    preprocessing: Preprocessing
    hog: HogSettings
    buffers: Workspace
    weights: Weights
    responses: Responses


def _numbers(kind: type) -> Iterator[tuple[str, type]]:
    types: dict[Any, type] = {int: np.int64, float: np.float64, bool: np.bool_}
    hints = get_type_hints(kind)
    yield from ((name, types[hints[name]]) for name in kind._fields)  # type: ignore[attr-defined]


STATE = np.dtype(
    [field for kind in (Request, Sizes, Preprocessing, HogSettings) for field in _numbers(kind)]
    + [(name, np.int64) for name in Workspace._fields if name != "octants"]
    + [(f"octants_{name}", np.int64) for name in OctantBuffers._fields]
    + [(name, np.int64) for name in Weights._fields + Responses._fields],
    align=True,
)
"""Numbers under the names that they have in their tuples, then the addresses of the arrays under theirs."""


def make_state(arguments: Arguments) -> NDArray[np.void]:
    """The record of a recogniser, (1,) STATE; its shapes are those that `make_workspace` and a checked model give.

    Raises:
        ValueError: an array has gaps between its rows.

    >>> STATE.names[:4]
    ('picture', 'height', 'width', 'polarity')
    """
    preprocessing, hog, buffers, weights, responses = arguments
    inputs, rank, classes = weights.vectors.shape
    projected, dimensions = weights.projection.shape
    sizes = Sizes(
        feature_count=len(buffers.features),
        input_count=inputs,
        projected=projected,
        dimensions=dimensions,
        rank=rank,
        classes=classes,
        knots=len(weights.margins),
        novelty_classes=weights.novelty_factors.shape[0],
        novelty_dimensions=weights.novelty_factors.shape[1],
        novelty_factor_count=weights.novelty_factors.shape[2],
        direction_count=len(buffers.directions),
        in_halves=weights.vectors.dtype == np.uint16,
    )
    arrays = buffers._asdict() | weights._asdict() | responses._asdict()
    arrays |= {f"octants_{name}": array for name, array in arrays.pop("octants")._asdict().items()}
    return fill(STATE, sizes._asdict() | preprocessing._asdict() | hog._asdict(), arrays)
