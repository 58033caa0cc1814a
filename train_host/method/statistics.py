"""Sufficient statistics of a class for LpDPL: the number of samples, their sum and their scatter.

Every update of the paper uses the samples only through these, because the codes are an affine function of the sample
(see `train_host.method.lpdpl`). So the memory and time of an iteration do not depend on the number of samples.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Array = NDArray[np.float64]
CHUNK = 512
"""Rows whose products are summed in float32."""


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


def gather_statistics(
    samples: ArrayLike,
    targets: ArrayLike,
    class_count: int,
    weights: NDArray[np.floating] | None = None,
    dtype: DTypeLike = np.float64,
) -> list[ClassStatistics]:
    """Statistics of every class, in the order of the classes.

    Args:
        samples: (N, n) real numbers, one sample a row.
        targets: (N,) whole numbers, 0 to class_count - 1.
        weights: (N,) how often each sample counts; None counts each once.
        dtype: precision of the products, float64 or float32. Their sums are float64.

    Raises:
        ValueError: the shapes do not match, a target is out of range, or a number is not finite.

    >>> gather_statistics([[1.0, 2.0], [3.0, 4.0]], [0, 0], 1)[0].total
    array([4., 6.])
    """
    rows, classes = np.asarray(samples, dtype), np.asarray(targets)
    if rows.ndim != 2 or classes.shape != (len(rows),):
        raise ValueError(f"samples {rows.shape} and targets {classes.shape} do not belong together")
    if len(rows) == 0 or not np.isin(classes, np.arange(class_count)).all():
        raise ValueError(f"targets are not whole numbers from 0 to {class_count - 1}")
    if not np.isfinite(rows).all():
        raise ValueError("samples hold numbers that are not finite")
    members = [np.flatnonzero(classes == label) for label in range(class_count)]
    return [_of(rows[chosen], None if weights is None else weights[chosen]) for chosen in members]


def _of(rows: NDArray[np.floating], weights: NDArray[np.floating] | None) -> ClassStatistics:
    if rows.dtype == np.float32:
        return _in_chunks(rows, weights)
    weighted = rows if weights is None else rows * weights[:, None]
    count = float(len(rows) if weights is None else weights.sum())
    return ClassStatistics(count, weighted.sum(axis=0), rows.T @ weighted)


def _in_chunks(rows: NDArray[np.float32], weights: NDArray[np.floating] | None) -> ClassStatistics:
    """Products in float32 of few rows at a time, so that rounding does not grow with the number of samples."""
    size = rows.shape[1]
    count, total, scatter = 0.0, np.zeros(size), np.zeros((size, size))
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        weighted = part if weights is None else part * weights[start : start + CHUNK, None].astype(np.float32)
        count += float(len(part) if weights is None else weights[start : start + CHUNK].sum())
        total += weighted.sum(axis=0, dtype=np.float64)
        scatter += part.T @ weighted
    return ClassStatistics(count, total, (scatter + scatter.T) / 2)
