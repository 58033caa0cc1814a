"""DLSI: one sparse dictionary per class, with a penalty on the coherence between dictionaries of different classes.

I. Ramirez, P. Sprechmann, G. Sapiro: "Classification and Clustering via Dictionary Learning with Structured Incoherence
and Shared Features", CVPR 2010.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigvalsh

from train_host.baselines.baseline import Baseline, Targets, unit_rows
from train_host.baselines.sparse_coding import lasso
from train_host.method.estimator import seed_of
from train_host.method.lpdpl import CodeProducts
from train_host.method.statistics import Array

STEPS = 30
"""Gradient steps of one update of a dictionary."""


@dataclass(eq=False, repr=False)
class DLSI(Baseline):
    """Minimises, over all classes i and pairs of classes i, j:

        sum_i ||X_i - D_i A_i||² + penalty |A_i|_1  +  eta sum_i<j ||D_iᵀ D_j||²

    The decision is the class whose first two terms are smallest for the sample. Atoms that classes share are kept.

    >>> samples = np.eye(4).repeat(5, axis=0) + 0.1 * np.random.default_rng(0).standard_normal((20, 4))
    >>> bool((DLSI(atoms=2).fit(samples, np.arange(4).repeat(5)).predict(samples) == np.arange(4).repeat(5)).all())
    True
    """

    atoms: int = 60
    penalty: float = 0.02
    eta: float = 1e-3
    """Weight of the coherence between two classes, per training sample of a class."""
    max_iter: int = 50
    random_state: Any = 0

    def _learn(self, samples: Array, targets: Targets) -> None:
        rows = unit_rows(samples)
        parts = [rows[targets == label] for label in range(len(self.classes_))]
        random = np.random.default_rng(seed_of(self.random_state))
        dictionaries = [part[random.permutation(len(part))[: self.atoms]].T for part in parts]
        eta = self.eta * len(samples) / len(parts)
        codes_of: list[Array | None] = [None] * len(parts)
        self.objective_history_: list[float] = []
        for _ in range(self.max_iter):
            misfit = 0.0
            for label, part in enumerate(parts):
                dictionary = dictionaries[label]
                codes = codes_of[label] = self._codes(dictionary, part, codes_of[label])
                products = CodeProducts(codes.T @ codes, part.T @ codes, codes.sum(axis=0))
                others = np.sum([each @ each.T for each in dictionaries], axis=0) - dictionary @ dictionary.T
                dictionaries[label] = update_apart(dictionary, products, others, eta)
                misfit += float(self._misfit(dictionaries[label], part, codes).sum())
            self.objective_history_.append(misfit + eta * pairwise_coherence(dictionaries))
        self.dictionaries_ = dictionaries
        self.n_iter_ = self.max_iter

    def _scores(self, samples: Array) -> Array:
        rows = unit_rows(samples)
        return np.stack([self._misfit(D, rows, self._codes(D, rows)) for D in self.dictionaries_], axis=1)

    def _codes(self, dictionary: Array, rows: Array, start: Array | None = None) -> Array:
        return lasso(dictionary, rows, self.penalty / 2, start=start)

    def _misfit(self, dictionary: Array, rows: Array, codes: Array) -> Array:
        error: Array = np.sum((rows - codes @ dictionary.T) ** 2, axis=1)
        error += self.penalty * np.abs(codes).sum(axis=1)
        return error

    @property
    def numbers(self) -> int:
        return sum(dictionary.size for dictionary in self.dictionaries_)


def pairwise_coherence(dictionaries: list[Array]) -> float:
    """Sum of ||D_iᵀ D_j||² over all pairs of classes, for one dictionary (n, m) of each class.

    >>> pairwise_coherence([np.eye(2), np.eye(2)[:, :1]])
    1.0
    """
    outers = [D @ D.T for D in dictionaries]
    together = np.sum(outers, axis=0)
    return float((np.sum(together**2) - sum(np.sum(outer**2) for outer in outers)) / 2)


def update_apart(synthesis: Array, products: CodeProducts, others: Array, eta: float) -> Array:
    """Lower ||X - D A||² + eta tr(Dᵀ others D) by projected gradient steps; columns stay in the unit ball.

    Args:
        synthesis: D (n, m) to start from.
        products: A Aᵀ (m, m) and X Aᵀ (n, m).
        others: (n, n), the sum of D_j D_jᵀ over the other classes.
        eta: weight of the penalty.

    Returns:
        The new D (n, m).
    """
    gram, cross, _ = products
    steepest = float(eigvalsh(gram)[-1] + eta * eigvalsh(others)[-1])
    if steepest <= 0:
        return synthesis
    for _ in range(STEPS):
        slope = synthesis @ gram - cross + eta * (others @ synthesis)
        moved = synthesis - slope / steepest
        synthesis = moved / np.maximum(1.0, np.linalg.norm(moved, axis=0))
    return synthesis
