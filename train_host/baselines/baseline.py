"""What every method of the comparison has beside scikit-learn's interface: how large it is, and what it was."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from train_host.method.estimator import Estimator
from train_host.method.statistics import Array

Targets = NDArray[np.intp]


@dataclass(eq=False, repr=False)
class Baseline(Estimator):
    """An estimator that the tables compare."""

    @property
    @abstractmethod
    def numbers(self) -> int:
        """Count of learned numbers that a decision needs. Each takes four bytes in float32."""

    @property
    def note(self) -> str:
        """A remark on this training, shown beside the method in a table; may be empty."""
        return ""


def unit_rows(samples: Array) -> Array:
    """Rows (N, n) scaled to length 1. A row of zeros stays zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    lengths = np.linalg.norm(samples, axis=1, keepdims=True)
    return np.divide(samples, lengths, out=np.zeros_like(samples), where=lengths > 0)
