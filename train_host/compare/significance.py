"""Significance of differences: McNemar's exact test, and bootstrap intervals over writers."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, bootstrap

from train_host.method.statistics import Array

Correct = NDArray[np.bool_]
"""(N,) whether each picture was read correctly."""
RESAMPLES = 2000
"""Bootstrap resamples of an interval."""


def mcnemar(ours: Correct, theirs: Correct) -> float:
    """p value of McNemar's exact two-sided test (McNemar 1947) that two methods are equally accurate.

    `ours` and `theirs` (N,) are the decisions of both methods on the same pictures.

    >>> round(mcnemar(np.array([True] * 10), np.array([False] * 6 + [True] * 4)), 4)
    0.0312
    """
    won, lost = int(np.sum(ours & ~theirs)), int(np.sum(theirs & ~ours))
    return float(binomtest(won, won + lost).pvalue) if won + lost else 1.0


def bootstrap_interval(
    values: Array | Correct, groups: NDArray[np.int64] | None, least: float = 0.0
) -> tuple[float, float]:
    """95 % bootstrap interval of the mean of values (N,). Resamples are by group: pictures of one writer are alike.

    Where all values are equal, all resamples are equal too. Then the interval comes from the exact interval of Clopper
    and Pearson (1934) for the share of pictures with another value, none of which was seen; these are assumed to have
    the farthest possible values.

    Args:
        groups: (N,) writers. None resamples single pictures, and so does a single writer, as no others are known.
        least: smallest possible value; the largest is 1.

    >>> low, high = bootstrap_interval(np.ones(100), None)
    >>> round(low, 4), high
    (0.9638, 1.0)
    """
    values = np.asarray(values, float)
    member = np.arange(len(values)) if groups is None else np.unique(groups, return_inverse=True)[1]
    if member.max() == 0:
        member = np.arange(len(values))
    sums, counts = np.bincount(member, values), np.bincount(member)
    if np.ptp(values) == 0:
        unseen = binomtest(0, len(values)).proportion_ci().high
        return float(values[0] - unseen * (values[0] - least)), float(values[0] + unseen * (1 - values[0]))
    how = {"paired": True, "method": "percentile", "n_resamples": RESAMPLES, "batch": 100}
    low, high = bootstrap((sums, counts), _share, random_state=0, **how).confidence_interval
    return float(low), float(high)


def _share(sums: Array, counts: Array, axis: int = -1) -> Array:
    return sums.sum(axis) / counts.sum(axis)


def difference_interval(ours: Correct, theirs: Correct, groups: NDArray[np.int64] | None) -> tuple[float, float]:
    """95 % bootstrap interval of the difference in accuracy, ours minus theirs, on the same pictures (N,).

    Both methods are resampled together, as in `bootstrap_interval`.

    >>> low, high = difference_interval(np.array([True] * 100), np.array([True] * 100), None)
    >>> round(low, 4), round(high, 4)
    (-0.0362, 0.0362)
    """
    return bootstrap_interval(ours.astype(float) - theirs.astype(float), groups, least=-1.0)


def accuracy_rejecting(correct: Correct, margins: Array, share: float) -> float:
    """Accuracy on the accepted pictures when this share of all, those with the smallest margins (N,), is rejected.

    >>> accuracy_rejecting(np.array([False, True, True, True]), np.array([0.1, 0.9, 0.8, 0.7]), 0.25)
    1.0
    """
    kept = np.argsort(margins, kind="stable")[round(share * len(margins)) :]
    return float(np.mean(correct[kept]))
