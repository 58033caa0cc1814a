"""k nearest neighbours: scikit-learn's classifier."""

from dataclasses import dataclass

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from train_host.baselines.baseline import Baseline, Targets
from train_host.method.statistics import Array


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
