"""A hand worked out for one model: what the kernels of `numeral.kernels.hand` and their twin evaluate.

The score of a class falls by STRENGTH exp(-d² / REACH), where d is the distance of the picture from the nearest sample
of that class in the subspace of the model. Only the nearest sample counts: where all counted, a class that was taught
often would win everywhere (docs/hand.md has the figures).
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import HandError
from edge_lpdpl.jit.memory import LANES, aligned_zeros
from edge_lpdpl.model.model import Model
from edge_lpdpl.numeral.hand import SIDE
from edge_lpdpl.numeral.weights import Reals

STRENGTH = np.float32(0.4)
"""What a class gains where a picture is the very sample; between two classes there usually are 0.3 to 0.5."""
REACH = np.float32(0.5)
"""Square of the distance at which this has fallen to 1/e. The subspace has features of mean square length one; another
person's numeral of the same class is about this far away, and so is the middle of the nearest other class."""
SQUARINGS = 6
STEP, SIXTH = np.float32(1 / 2**SQUARINGS), np.float32(1 / 6)
"""exp(-x) is (1 - s + s²/2 - s³/6) to the power 64, with s = x / 64: to 1e-5 of it where it counts."""
FARTHEST = np.float32(16)
"""Largest d² / REACH; what is farther counts as if it were there."""


class Taught(NamedTuple):
    """Samples as the kernels take them, and buffers. Columns that fill up LANES hold zeros."""

    taught_samples: Annotated[Reals, "hand_dimensions", "hand_columns"]
    """The inputs of the classifier without the constant, a column for each sample."""
    taught_lengths: Annotated[Reals, "hand_columns"]
    """Squared length of each column."""
    taught_labels: Annotated[NDArray[np.int64], "hand_count"]
    """Class of each sample."""
    near: Annotated[Reals, "hand_columns"]
    """Buffer: exp(-d² / REACH) of each column."""
    pulls: Annotated[Reals, "hand_classes"]
    """Buffer: the largest of these of each class."""


def _make(dimensions: int, count: int, classes: int) -> Taught:
    columns = -(-count // LANES) * LANES
    samples, lengths = aligned_zeros((dimensions, columns), np.float32), aligned_zeros(columns, np.float32)
    labels, near = aligned_zeros(count, np.int64), aligned_zeros(columns, np.float32)
    return Taught(samples, lengths, labels, near, aligned_zeros(classes, np.float32))


NOTHING_TAUGHT = _make(0, 0, 0)
"""An empty hand."""


def check_teachable(model: Model) -> None:
    """Check that a hand works with a model.

    Raises:
        HandError: it has no subspace, so distances have no known scale, or its squares are not those of samples.
    """
    if model.projection is None or model.preprocessing.side != SIDE:
        raise HandError(f"{model.name}: has the profile {model.profile}; only models of the profile edge can be taught")


def work_out(inputs: Sequence[Reals], labels: Sequence[int], classes: int) -> Taught:
    """Samples as the kernels take them.

    Args:
        inputs: (dimensions,) for each sample, what the model's classifier reads of it.
        labels: class of each sample, one or more.
        classes: of the model.
    """
    taught = _make(len(inputs[0]), len(labels), classes)
    for column, sample in enumerate(inputs):
        taught.taught_samples[:, column] = sample
        taught.taught_lengths[column] = squared_length(sample)
    taught.taught_labels[:] = labels
    return taught


def squared_length(numbers: Reals) -> np.float32:
    """The sum of squares, added up in order, as the kernels do.

    >>> float(squared_length(np.float32([3, 4])))
    25.0
    """
    length: np.float32 = np.add.accumulate(numbers * numbers)[-1]
    return length
