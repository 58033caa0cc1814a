"""Sufficient statistics of a class for LpDPL: the number of samples, their sum and their scatter.

Every update of the paper uses the samples only through these, because the codes are an affine function of the sample
(see `train_host.method.lpdpl`). So the memory and time of an iteration do not depend on the number of samples.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class ClassStatistics(NamedTuple):
    """Sufficient statistics of the samples of one class, the columns of X (n, K); all float64."""

    count: float  # type: ignore[assignment]  # a tuple has a method of this name; the paper counts samples
    """K, the number of samples."""
    total: Array
    """(n,) X 1, the sum of the columns."""
    scatter: Array
    """(n, n) X Xᵀ."""

    def __add__(self, other: "ClassStatistics") -> "ClassStatistics":  # type: ignore[override]
        return ClassStatistics(self.count + other.count, self.total + other.total, self.scatter + other.scatter)


def gather_statistics(samples: ArrayLike, targets: ArrayLike, class_count: int) -> list[ClassStatistics]:
    """Statistics of every class, in the order of the classes.

    Args:
        samples: (N, n) real numbers, one sample a row.
        targets: (N,) whole numbers, 0 to class_count - 1.

    Raises:
        ValueError: the shapes do not match, a target is out of range, or a number is not finite.

    >>> gather_statistics([[1.0, 2.0], [3.0, 4.0]], [0, 0], 1)[0].total
    array([4., 6.])
    """
    rows, classes = np.asarray(samples, np.float64), np.asarray(targets)
    if rows.ndim != 2 or classes.shape != (len(rows),):
        raise ValueError(f"samples {rows.shape} and targets {classes.shape} do not belong together")
    if len(rows) == 0 or not np.isin(classes, np.arange(class_count)).all():
        raise ValueError(f"targets are not whole numbers from 0 to {class_count - 1}")
    if not np.isfinite(rows).all():
        raise ValueError("samples hold numbers that are not finite")
    return [_of(rows[classes == label]) for label in range(class_count)]


def _of(rows: Array) -> ClassStatistics:
    return ClassStatistics(float(len(rows)), rows.sum(axis=0), rows.T @ rows)
