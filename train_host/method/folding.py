"""Fold trained dictionaries into what the device evaluates: one factored quadratic form per class, equal to eq. 12.

With R = D P and C = W P, eq. 12 minus xᵀx is xᵀ S x + bᵀ x + 1, where S = -(R + Rᵀ) + RᵀR + CᵀC and b = -2 Cᵀ h. Both
lie in the span of P's rows and D's columns, so S has rank r = min(2m, n) at most. With an orthonormal basis U of its
eigenvectors there, S = U diag(s) Uᵀ and b = U l, and the score is 1 + sum over j of s_j y_j² + l_j y_j with y = Uᵀ x.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from train_host.method.lpdpl import DictionaryPair
from train_host.method.statistics import Array


class FoldedForm(NamedTuple):
    """The quadratic forms of all Q classes, float64."""

    vectors: Array
    """(n, r, Q) eigenvectors, those of the largest eigenvalues (by magnitude) first."""
    squares: Array
    """(r, Q) eigenvalues."""
    linears: Array
    """(r, Q) coordinates of b."""

    def scores(self, samples: Array) -> Array:
        """Eq. 12 minus xᵀx: scores (N, Q) of samples (N, n), in float64."""
        responses = np.tensordot(samples, self.vectors, axes=1)
        return 1 + np.sum((self.squares * responses + self.linears) * responses, axis=1)


def fold_class(pair: DictionaryPair, label: int) -> tuple[Array, Array, Array]:
    """Eigenvectors (n, r), eigenvalues (r,) and linear weights (r,) of the quadratic form of class `label`."""
    synthesis, analysis, classifier = pair
    atoms = len(analysis)
    both = np.vstack([analysis, synthesis.T])
    middle = np.zeros((2 * atoms, 2 * atoms))
    middle[:atoms, :atoms] = synthesis.T @ synthesis + classifier.T @ classifier
    middle[:atoms, atoms:] = middle[atoms:, :atoms] = -np.eye(atoms)
    basis, triangle = np.linalg.qr(both.T)
    values, turn = np.linalg.eigh(triangle @ middle @ triangle.T)
    order = np.abs(values).argsort()[::-1]
    linear = turn.T @ (triangle[:, :atoms] @ (-2 * classifier[label]))
    return basis @ turn[:, order], values[order], linear[order]


def fold(pairs: list[DictionaryPair]) -> FoldedForm:
    """Fold the dictionaries of all classes.

    >>> random = np.random.default_rng(0)
    >>> pairs = [DictionaryPair(*map(random.standard_normal, ((5, 2), (2, 5), (3, 2)))) for _ in range(3)]
    >>> samples = random.standard_normal((4, 5))
    >>> from train_host.method.lpdpl import straight_scores
    >>> straight = straight_scores(pairs, samples) - np.sum(samples**2, axis=1, keepdims=True)
    >>> bool(np.allclose(fold(pairs).scores(samples), straight))
    True
    """
    folded = [fold_class(pair, label) for label, pair in enumerate(pairs)]
    return FoldedForm(*(np.stack(arrays, axis=-1) for arrays in zip(*folded, strict=True)))


def agreement(scores: NDArray[np.floating], others: NDArray[np.floating]) -> float:
    """Share of the samples on which two score tables (N, Q) take the same decision, that of the smallest score."""
    return float(np.mean(scores.argmin(axis=1) == others.argmin(axis=1)))
