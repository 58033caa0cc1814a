"""SRC: a sample is a sparse mixture of training samples; the class whose samples reconstruct it best is the decision.

J. Wright, A. Y. Yang, A. Ganesh, S. S. Sastry, Y. Ma: "Robust Face Recognition via Sparse Representation", 2009.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from train_host.baselines.baseline import Baseline, Targets, unit_rows
from train_host.baselines.sparse_coding import lasso
from train_host.method.estimator import seed_of
from train_host.method.statistics import Array

BATCH = 256
"""Samples coded at a time, which limits the memory."""


@dataclass(eq=False, repr=False)
class SRC(Baseline):
    """Sparse representation-based classification.

    The score of a class is the reconstruction error with the samples of that class alone (Algorithm 1 of the paper).

    >>> samples = np.eye(4).repeat(3, axis=0) + 0.1 * np.random.default_rng(0).standard_normal((12, 4))
    >>> SRC().fit(samples, np.arange(4).repeat(3)).predict(samples).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    """

    penalty: float = 0.01
    """Weight of the l1 norm of the codes."""
    most_each: int | None = None
    """Training samples of a class in the dictionary, drawn with the seed; None takes all, as in the paper."""
    random_state: Any = 0

    def _learn(self, samples: Array, targets: Targets) -> None:
        random = np.random.default_rng(seed_of(self.random_state))
        members = [random.permutation(np.flatnonzero(targets == label)) for label in range(len(self.classes_))]
        chosen = np.concatenate([of_class[: self.most_each] for of_class in members])
        self.dictionary_: Array = unit_rows(samples[chosen]).T
        self.owner_ = targets[chosen]

    def _scores(self, samples: Array) -> Array:
        rows = unit_rows(samples)
        batches = (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))
        return np.concatenate([self._residuals(batch) for batch in batches])

    def _residuals(self, rows: Array) -> Array:
        codes = lasso(self.dictionary_, rows, self.penalty)
        residuals = np.empty((len(rows), len(self.classes_)))
        for label in range(residuals.shape[1]):
            own = self.owner_ == label
            residuals[:, label] = np.linalg.norm(rows - codes[:, own] @ self.dictionary_[:, own].T, axis=1)
        return residuals

    @property
    def numbers(self) -> int:
        return int(self.dictionary_.size)
