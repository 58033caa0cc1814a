"""All that LpDPL needs to know of the samples of a class: how many, their sum, their scatter.

Every update of the paper uses the samples only through these, because the codes are an affine function of the sample
(see `train_host.lpdpl`). So training takes the same memory and time however many samples there are.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class ClassStatistics(NamedTuple):
    """Sufficient statistics of one class's samples, the columns of X (n, K)."""

    count: float  # type: ignore[assignment]  # a tuple has a method of this name; the paper counts samples
    """K."""
    total: Array
    """(n,) X 1, the sum of the columns."""
    scatter: Array
    """(n, n) X Xᵀ."""

    def __add__(self, other: "ClassStatistics") -> "ClassStatistics":  # type: ignore[override]
        return ClassStatistics(self.count + other.count, self.total + other.total, self.scatter + other.scatter)


def gather_statistics(samples: ArrayLike, targets: ArrayLike, class_count: int) -> list[ClassStatistics]:
    """Statistics of every class.

    Args:
        samples: (N, n) real numbers, one sample a row.
        targets: (N,) whole numbers, 0 to class_count - 1.

    Raises:
        ValueError: shapes or targets are off, or a number is not finite.

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
