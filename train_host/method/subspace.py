"""The subspace that all classes share. LpDPL is trained inside it, so that the folded form is exact and small."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Array = NDArray[np.float64]

CHUNK = 4096
"""Rows that are converted to float64 at a time."""


class Subspace(NamedTuple):
    """z = features @ projection + offset, followed by a constant: the classifier reads [z, constant]."""

    projection: Array
    """(features, dimensions)."""
    offset: Array
    """(dimensions,)."""
    constant: float
    """Number that is appended to z; 0 appends nothing."""

    @property
    def stored_numbers(self) -> int:
        """Count of numbers that projecting needs: none for the whole space."""
        is_whole = len(self.projection) == self.projection.shape[1]
        return 0 if is_whole else self.projection.size + self.offset.size

    def __call__(self, features: NDArray[np.floating]) -> Array:
        """Features (N, features) inside the subspace: (N, dimensions + 1), or (N, dimensions) without a constant."""
        dimensions = self.projection.shape[1]
        inside = np.full((len(features), dimensions + (self.constant != 0)), self.constant)
        for chunk in _chunks(len(features)):
            inside[chunk, :dimensions] = features[chunk].astype(np.float64) @ self.projection + self.offset
        return inside


def principal_subspace(features: NDArray[np.floating], dimensions: int, constant: float) -> Subspace:
    """The directions of largest variance of features (N, n), divided by the root mean square length of the features.

    The constant makes up for the mean, which is subtracted.

    >>> random = np.random.default_rng(0)
    >>> principal_subspace(random.standard_normal((50, 6)), 3, 1.0)(np.zeros((2, 6))).shape
    (2, 4)
    """
    mean = features.mean(axis=0, dtype=np.float64)
    scatter = np.zeros((len(mean), len(mean)))
    for chunk in _chunks(len(features)):
        centred = features[chunk].astype(np.float64) - mean
        scatter += centred.T @ centred
    return _along_axes(len(features), mean, scatter, dimensions, constant)


def subspace_of_moments(count: float, total: Array, scatter: Array, dimensions: int, constant: float) -> Subspace:
    """The same as `principal_subspace`, from the number of the features, their sum (n,) and their scatter (n, n).

    The scatter is about the origin, not about the mean.

    >>> features = np.random.default_rng(0).standard_normal((50, 6))
    >>> moments = len(features), features.sum(axis=0), features.T @ features
    >>> same = subspace_of_moments(*moments, 3, 1.0), principal_subspace(features, 3, 1.0)
    >>> bool(np.allclose(same[0].projection, same[1].projection))
    True
    """
    mean = total / count
    return _along_axes(count, mean, scatter - count * np.outer(mean, mean), dimensions, constant)


def _along_axes(count: float, mean: Array, scatter: Array, dimensions: int, constant: float) -> Subspace:
    length = np.sqrt(np.trace(scatter) / count + mean @ mean) or 1.0
    _, directions = eigh(scatter, subset_by_index=[max(len(mean) - dimensions, 0), len(mean) - 1])
    projection = directions[:, ::-1]
    # The sign of an eigenvector is arbitrary; fix it, so that the same data gives the same model.
    strongest = np.abs(projection).argmax(axis=0)
    projection = projection * np.sign(projection[strongest, np.arange(projection.shape[1])]) / length
    return Subspace(projection, -mean @ projection, constant)


def _chunks(count: int) -> Iterator[slice]:
    """Slices of rows, so that only a few float32 rows at a time are copied to float64."""
    return (slice(start, start + CHUNK) for start in range(0, count, CHUNK))


def whole_space(features: NDArray[np.floating]) -> Subspace:
    """No subspace: the features (N, n) themselves, for the profile `paper`."""
    size = features.shape[1]
    return Subspace(np.eye(size), np.zeros(size), 0.0)
