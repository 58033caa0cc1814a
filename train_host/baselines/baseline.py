"""The interface of every method of the comparison: `fit` and `scores` take samples as rows."""

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from train_host.method.statistics import Array

Targets = NDArray[np.intp]


class Baseline(ABC):
    """An estimator: a dataclass whose fields are its settings. Samples are rows (N, n); classes are 0 to Q - 1."""

    @abstractmethod
    def fit(self, samples: Array, targets: Targets) -> Self:
        """Learn from samples (N, n), float64, and their classes (N,). Returns the estimator."""

    @abstractmethod
    def scores(self, samples: Array) -> Array:
        """Scores (N, Q), float64, of samples (N, n): the class with the smallest score is the decision."""

    @property
    @abstractmethod
    def numbers(self) -> int:
        """Count of learned numbers that a decision needs. Each takes four bytes in float32."""

    def predict(self, samples: Array) -> Targets:
        """Classes (N,) of samples (N, n)."""
        decisions: Targets = self.scores(samples).argmin(axis=1)
        return decisions

    @property
    def note(self) -> str:
        """A remark on this training, shown beside the method in a table; may be empty."""
        return ""

    @property
    def settings(self) -> dict[str, Any]:
        """Settings for a report, ready for JSON."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # every method is a dataclass

    @property
    def pinned(self) -> dict[str, Any]:
        """Settings that another process also needs to fit the same model, because it may see other files."""
        return {}


def unit_rows(samples: Array) -> Array:
    """Rows (N, n) scaled to length 1. A row of zeros stays zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    lengths = np.linalg.norm(samples, axis=1, keepdims=True)
    scaled: Array = np.divide(samples, lengths, out=np.zeros_like(samples), where=lengths > 0)
    return scaled


def class_count(targets: Targets) -> int:
    """Count of classes Q, for targets (N,) from 0 to Q - 1."""
    return int(targets.max()) + 1
