"""Equation 12 of the paper as it is written: the obvious implementation of the decision in NumPy.

class(x) = argmin_i ||x - D_i P_i x||^2 + ||h_i - W_i P_i x||^2

Nothing is folded. The classes are batched, so that BLAS does all the work and there is no Python loop. At m = 340, the
time is spent on memory, because P and D (36 MB) are read for every image.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Dictionaries:
    """A trained model in the form of the paper, float32: Q classes, m atoms per class, n features."""

    D: np.ndarray  # (Q, n, m) synthesis
    P: np.ndarray  # (Q, m, n) analysis
    W: np.ndarray  # (Q, Q, m) classifier
    H: np.ndarray  # (Q, Q) row i is h_i, one-hot

    @classmethod
    def random(cls, *, m: int, n: int = 900, Q: int = 15, seed: int = 0) -> "Dictionaries":
        """Random dictionaries with columns and rows of length 1. The time does not depend on the values."""
        rng = np.random.default_rng(seed)

        def unit(shape: tuple[int, ...], axis: int) -> np.ndarray:
            values = rng.standard_normal(shape, dtype=np.float32)
            values /= np.linalg.norm(values, axis=axis, keepdims=True)
            return values

        return cls(D=unit((Q, n, m), 1), P=unit((Q, m, n), 2), W=unit((Q, Q, m), 1), H=np.eye(Q, dtype=np.float32))

    def scores(self, x: np.ndarray) -> np.ndarray:
        """The values (Q,) that equation 12 compares for features x (n,), float32. The smallest is the decision."""
        Q, m, n = self.P.shape
        codes = (self.P.reshape(Q * m, n) @ x).reshape(Q, m, 1)
        unexplained = x - (self.D @ codes)[..., 0]
        mislabelled = self.H - (self.W @ codes)[..., 0]
        scores: np.ndarray = np.einsum("ij,ij->i", unexplained, unexplained)
        scores += np.einsum("ij,ij->i", mislabelled, mislabelled)
        return scores

    def classify(self, x: np.ndarray) -> int:
        """The class of one feature vector x (n,), float32.

        >>> Dictionaries.random(m=3, n=20, Q=4).classify(np.zeros(20, np.float32))
        0
        """
        return int(self.scores(x).argmin())
