"""Whether a difference is more than chance: McNemar's exact test, and bootstrap intervals over writers."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from train_host.class_statistics import Array

Correct = NDArray[np.bool_]
"""(N,) whether each picture was read right."""
RESAMPLES = 2000


def mcnemar(ours: Correct, theirs: Correct) -> float:
    """Probability that two methods of equal accuracy differ on at least so many pictures (McNemar 1947, exact).

    >>> round(mcnemar(np.array([True] * 10), np.array([False] * 6 + [True] * 4)), 4)
    0.0312
    """
    won, lost = int(np.sum(ours & ~theirs)), int(np.sum(theirs & ~ours))
    return float(binomtest(won, won + lost).pvalue) if won + lost else 1.0


def bootstrap_interval(values: Array | Correct, groups: NDArray[np.int64] | None, seed: int = 0) -> tuple[float, float]:
    """95 % interval of the mean of values (N,), resampled by group, as the pictures of one writer are alike.

    Args:
        groups: (N,) writers; None resamples single pictures, and so does one writer: others than he are not known.

    >>> bootstrap_interval(np.ones(5), None)
    (1.0, 1.0)
    """
    member = np.arange(len(values)) if groups is None else np.unique(groups, return_inverse=True)[1]
    if member.max() == 0:
        member = np.arange(len(values))
    sums, counts = np.bincount(member, np.asarray(values, float)), np.bincount(member)
    drawn = np.random.default_rng(seed).multinomial(len(sums), np.full(len(sums), 1 / len(sums)), RESAMPLES)
    low, high = np.percentile((drawn @ sums) / (drawn @ counts), (2.5, 97.5))
    return float(low), float(high)


def difference_interval(
    ours: Correct, theirs: Correct, groups: NDArray[np.int64] | None, seed: int = 0
) -> tuple[float, float]:
    """95 % interval of how much more of the same pictures we read right; both are resampled together.

    >>> difference_interval(np.array([True] * 4), np.array([False] * 4), None)
    (1.0, 1.0)
    """
    return bootstrap_interval(ours.astype(float) - theirs.astype(float), groups, seed)


def accuracy_rejecting(correct: Correct, margins: Array, share: float) -> float:
    """Accuracy on what is left when the share of pictures with the smallest margins is rejected.

    >>> accuracy_rejecting(np.array([False, True, True, True]), np.array([0.1, 0.9, 0.8, 0.7]), 0.25)
    1.0
    """
    kept = np.argsort(margins, kind="stable")[round(share * len(margins)) :]
    return float(np.mean(correct[kept]))
