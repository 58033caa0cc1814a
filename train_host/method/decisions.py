"""From scores to decisions: the class with the smallest score, the runner-up, and how far apart they are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from train_host.method.statistics import Array

NOTHING_SEEN = -1
"""Decision on a picture without visible ink."""


class Decisions(NamedTuple):
    """Decisions on N samples."""

    best: NDArray[np.intp]
    """(N,) class with the smallest score."""
    second: NDArray[np.intp]
    """(N,) class with the second smallest score."""
    margins: Array
    """(N,) score of the second minus that of the best, 0 or more."""


def decide(scores: Array) -> Decisions:
    """Decisions from scores (N, Q) of two classes or more. Of equal scores, the first class is the best.

    >>> decide(np.array([[3.0, 1.0, 2.5]]))
    Decisions(best=array([1]), second=array([2]), margins=array([1.5]))
    """
    rows = np.arange(len(scores))
    best = scores.argmin(axis=1)
    others = scores.copy()
    others[rows, best] = np.inf
    second = others.argmin(axis=1)
    return Decisions(best, second, scores[rows, second] - scores[rows, best])
