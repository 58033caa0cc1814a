"""What every method of the comparison is: fitted on rows, it scores rows. The smallest score is the class."""

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from train_host.class_statistics import Array

Targets = NDArray[np.intp]


class Baseline(ABC):
    """An estimator. Samples are rows (N, n), classes are 0 to Q - 1; its settings are the fields of a dataclass."""

    @abstractmethod
    def fit(self, samples: Array, targets: Targets) -> Self:
        """Learn from samples (N, n) and their classes (N,)."""

    @abstractmethod
    def scores(self, samples: Array) -> Array:
        """Distance of every sample from every class, (N, Q): the smallest is the class."""

    @property
    @abstractmethod
    def numbers(self) -> int:
        """Count of the learned numbers that a decision needs; in float32 each takes four bytes."""

    def predict(self, samples: Array) -> Targets:
        """Class of every sample, (N,)."""
        decisions: Targets = self.scores(samples).argmin(axis=1)
        return decisions

    @property
    def note(self) -> str:
        """What a reader of a table ought to know of this training."""
        return ""

    @property
    def settings(self) -> dict[str, Any]:
        """Settings for a report, ready for JSON."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # every method is a dataclass

    @property
    def pinned(self) -> dict[str, Any]:
        """Settings that another process needs beside those given, to fit the same: it may see other files."""
        return {}


def unit_rows(samples: Array) -> Array:
    """Rows scaled to length 1; a row of zeros stays.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    lengths = np.linalg.norm(samples, axis=1, keepdims=True)
    scaled: Array = np.divide(samples, lengths, out=np.zeros_like(samples), where=lengths > 0)
    return scaled


def class_count(targets: Targets) -> int:
    """Q, for targets 0 to Q - 1."""
    return int(targets.max()) + 1
