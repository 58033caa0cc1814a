"""scikit-learn's classifiers that a user would try first: nearest neighbours and support vector machines."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC

from train_host.baselines.baseline import Baseline, Targets
from train_host.method.estimator import seed_of
from train_host.method.statistics import Array
from train_host.method.subspace import Subspace


@dataclass(eq=False, repr=False)
class Neighbours(Baseline):
    """The k nearest training samples vote, weighted by the inverse of their distance.

    >>> samples, targets = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    >>> Neighbours().fit(samples, targets).predict(samples).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    constant: float = 0.0
    k: int = 3

    def _learn(self, samples: Array, targets: Targets) -> None:
        neighbours = KNeighborsClassifier(min(self.k, len(samples)), weights="distance", algorithm="brute")
        self.neighbours_ = neighbours.fit(samples.astype(np.float32), targets)
        self.size_ = samples.size

    def _scores(self, samples: Array) -> Array:
        shares: Array = self.neighbours_.predict_proba(samples.astype(np.float32))
        return -shares

    @property
    def numbers(self) -> int:
        return self.size_


@dataclass(eq=False, repr=False)
class LinearSVM(Baseline):
    """A linear support vector machine, each class against the rest.

    >>> samples, targets = np.eye(3).repeat(4, axis=0), np.arange(3).repeat(4)
    >>> bool((LinearSVM().fit(samples, targets).predict(samples) == targets).all())
    True
    """

    constant: float = 0.0
    penalty: float = 1.0
    """C: weight of the errors."""
    random_state: Any = 0

    def _learn(self, samples: Array, targets: Targets) -> None:
        self.machine_ = LinearSVC(C=self.penalty, dual=False, random_state=seed_of(self.random_state)).fit(
            samples, targets
        )

    def _scores(self, samples: Array) -> Array:
        return _distances(self.machine_.decision_function(samples))

    def as_matrix(self, subspace: Subspace) -> tuple[Array, Array]:
        """Matrix (n, Q) and offset (Q,) of features (N, n) @ matrix + offset, whose largest entry is the decision.

        The projection into the subspace is multiplied into the matrix. There are three classes or more.
        """
        projection, shift, constant = subspace
        weights: Array = self.machine_.coef_[:, : projection.shape[1]]
        offset = weights @ shift + self.machine_.intercept_
        if constant:
            offset = offset + constant * self.machine_.coef_[:, projection.shape[1]]
        return projection @ weights.T, offset

    @property
    def numbers(self) -> int:
        return int(self.machine_.coef_.size + self.machine_.intercept_.size)


@dataclass(eq=False, repr=False)
class GaussianSVM(Baseline):
    """A support vector machine with the Gaussian (RBF) kernel, each class against each other class.

    >>> samples, targets = np.eye(3).repeat(4, axis=0), np.arange(3).repeat(4)
    >>> bool((GaussianSVM().fit(samples, targets).predict(samples) == targets).all())
    True
    """

    constant: float = 0.0
    penalty: float = 10.0
    """C: weight of the errors."""
    width: str = "scale"
    """gamma of the kernel; `scale` is 1 / (n times the variance of the features)."""

    def _learn(self, samples: Array, targets: Targets) -> None:
        self.machine_ = SVC(C=self.penalty, gamma=self.width, cache_size=500).fit(samples, targets)

    def _scores(self, samples: Array) -> Array:
        return _distances(self.machine_.decision_function(samples))

    @property
    def numbers(self) -> int:
        return int(self.machine_.support_vectors_.size + self.machine_.dual_coef_.size)


def _distances(decisions: Array) -> Array:
    """Scores (N, Q) from scikit-learn's decision values, which are (N, Q), or (N,) for two classes."""
    if decisions.ndim == 1:
        decisions = np.stack([-decisions, decisions], axis=1)
    return -decisions
