"""The subspace all classes share: LpDPL is trained inside it, so the folded form is exact and small."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Subspace(NamedTuple):
    """z = features @ projection + offset, and a constant beside it: what is classified is [z, constant]."""

    projection: Array
    """(features, dimensions)."""
    offset: Array
    """(dimensions,)."""
    constant: float
    """0 is none."""

    def __call__(self, features: NDArray[np.floating]) -> Array:
        """(N, features) to (N, dimensions + 1), or (N, dimensions) without a constant."""
        inside = np.asarray(features, np.float64) @ self.projection + self.offset
        if self.constant == 0:
            return inside
        return np.hstack([inside, np.full((len(inside), 1), self.constant)])


def principal_subspace(features: NDArray[np.floating], dimensions: int, constant: float) -> Subspace:
    """The directions of largest variance of features (N, n), scaled so that a feature vector has length 1 on average.

    The constant stands in for the mean, which the centred features have lost.

    >>> random = np.random.default_rng(0)
    >>> principal_subspace(random.standard_normal((50, 6)), 3, 1.0)(np.zeros((2, 6))).shape
    (2, 4)
    """
    rows = np.asarray(features, np.float64)
    mean = rows.mean(axis=0)
    length = np.sqrt(np.mean(np.sum(rows * rows, axis=1))) or 1.0
    centred = rows - mean
    _, directions = np.linalg.eigh(centred.T @ centred)
    projection = directions[:, ::-1][:, :dimensions]
    # An eigenvector's sign is arbitrary; fix it, so that the same data gives the same model.
    strongest = np.abs(projection).argmax(axis=0)
    projection = projection * np.sign(projection[strongest, np.arange(projection.shape[1])]) / length
    return Subspace(projection, -mean @ projection, constant)


def whole_space(features: NDArray[np.floating]) -> Subspace:
    """No subspace: the features themselves, for the paper's profile."""
    size = features.shape[1]
    return Subspace(np.eye(size), np.zeros(size), 0.0)
