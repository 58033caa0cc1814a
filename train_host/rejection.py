"""Which readings are rejected: how far from its class a picture may be, and how much less where the reading is unsure.

Neither number tells enough alone: a numeral by a strange pen is far from its class and yet read with a great margin,
and a letter is often near one class and nearly as near another. The logarithm of the odds that a reading is right is
taken for a weighted sum of both; where it is large enough, which is where the distance is no more than a limit that
grows with the margin, the reading is accepted.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from train_host.class_statistics import Array

MISREAD = 0.5
"""Weight of all numerals that are read wrong together, where that of all strangers is 1, and of all read right."""
LEAST_SHARE = 0.01
"""Of the largest limit, for a reading without a margin: a device divides by it."""


class Decided(NamedTuple):
    """Decisions on pictures."""

    margins: Array
    """(V,) runner-up score less best score."""
    distances: Array
    """(V,) from the class that each picture was read as."""
    correct: NDArray[np.bool_]
    """(V,) whether it is one of that class; nowhere on what is no numeral."""


def together(parts: list[Decided]) -> Decided:
    """All decisions of several lists in one."""
    margins, distances, correct = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Decided(margins, distances, correct)


class Rule(NamedTuple):
    """The limit of the distance as a function of the margin."""

    reach: float
    """Where the margin is `full` or more."""
    unsure_share: float
    """Of the reach, where there is no margin; in between the limit rises on a straight line."""
    full: float
    """Margin from which on a reading is as sure as can be."""

    def rejects(self, decided: Decided) -> NDArray[np.bool_]:
        """Which decisions (V,) are rejected.

        >>> margins, distances = np.array([0.0, 0.0, 2.0, 9.0]), np.array([0.9, 1.1, 3.9, 4.1])
        >>> Rule(4.0, 0.25, 2.0).rejects(Decided(margins, distances, np.ones(4, bool))).tolist()
        [False, True, False, True]
        """
        beyond: NDArray[np.bool_] = decided.distances > self.reach * self.shares(decided.margins)
        return beyond

    def shares(self, margins: Array) -> Array:
        """Limits (V,) of readings with these margins (V,), as shares of the reach."""
        return self.unsure_share + (1 - self.unsure_share) * _sureness(margins, self.full)


def learn_rule(views: Decided, strangers: Decided | None, full: float, wanted: float) -> Rule:
    """The rule that rejects a wanted share of the right decisions among `views`, and of all else as much as it can.

    Args:
        views: decisions on numerals, some of them right.
        strangers: decisions on what is no numeral, where there is any.
        full: see `Rule`, above 0.
    """
    worth = _worth_of_margin(views, strangers, full)
    margins, distances = views.margins[views.correct], views.distances[views.correct]
    unsure = float(np.quantile(distances - worth * _sureness(margins, full), 1 - wanted))
    rule = Rule(1.0, max(unsure / (unsure + worth), LEAST_SHARE) if unsure > 0 else LEAST_SHARE, full)
    return rule._replace(reach=float(np.quantile(distances / rule.shares(margins), 1 - wanted)))


def _worth_of_margin(views: Decided, strangers: Decided | None, full: float) -> float:
    """Distance that a full margin makes up for; 0 where nothing tells."""
    decided = views if strangers is None else together([views, strangers])
    right = decided.correct
    if right.all():
        return 0.0
    numerals = np.arange(len(right)) < len(views.margins)
    weights = np.zeros(len(right))
    for group, weight in ((right, 1.0), (numerals & ~right, MISREAD), (~numerals, 1.0)):
        weights[group] = weight * len(right) / max(group.sum(), 1)
    evidence = np.column_stack([decided.distances, _sureness(decided.margins, full)])
    fit = LogisticRegression(C=1e3).fit(evidence, right, sample_weight=weights)
    by_distance, by_margin = fit.coef_[0]
    return max(0.0, float(by_margin / -by_distance)) if by_distance < 0 else 0.0


def _sureness(margins: Array, full: float) -> Array:
    """Margins as shares of the full one, at most 1."""
    sureness: Array = np.minimum(margins / full, 1)
    return sureness
