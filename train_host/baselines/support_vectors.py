"""Support vector machines, the linear and the Gaussian one: what a user would try first. scikit-learn's solvers."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.svm import SVC, LinearSVC

from train_host.baselines.baseline import Baseline, Targets
from train_host.class_statistics import Array


@dataclass
class LinearSVM(Baseline):
    """One class against the rest.

    >>> samples, targets = np.eye(3).repeat(4, axis=0), np.arange(3).repeat(4)
    >>> bool((LinearSVM().fit(samples, targets).predict(samples) == targets).all())
    True
    """

    penalty: float = 1.0
    """C."""
    seed: int = 0

    def fit(self, samples: Array, targets: Targets) -> Self:
        self.machine_ = LinearSVC(C=self.penalty, dual=False, random_state=self.seed).fit(samples, targets)
        return self

    def scores(self, samples: Array) -> Array:
        return _distances(self.machine_.decision_function(samples))

    @property
    def numbers(self) -> int:
        return int(self.machine_.coef_.size + self.machine_.intercept_.size)


@dataclass
class GaussianSVM(Baseline):
    """Every class against every other, with the Gaussian (RBF) kernel.

    >>> samples, targets = np.eye(3).repeat(4, axis=0), np.arange(3).repeat(4)
    >>> bool((GaussianSVM().fit(samples, targets).predict(samples) == targets).all())
    True
    """

    penalty: float = 10.0
    """C."""
    width: str = "scale"
    """The kernel's gamma; `scale` is 1 / (features times their variance)."""

    def fit(self, samples: Array, targets: Targets) -> Self:
        self.machine_ = SVC(C=self.penalty, gamma=self.width, cache_size=500).fit(samples, targets)
        return self

    def scores(self, samples: Array) -> Array:
        return _distances(self.machine_.decision_function(samples))

    @property
    def numbers(self) -> int:
        return int(self.machine_.support_vectors_.size + self.machine_.dual_coef_.size)


def _distances(decisions: Array) -> Array:
    """Scores (N, Q) of scikit-learn's decisions, which are (N,) for two classes."""
    if decisions.ndim == 1:
        decisions = np.stack([-decisions, decisions], axis=1)
    return -decisions
