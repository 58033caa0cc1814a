"""Which readings are rejected: how far a picture may be from its class, less where the reading is unsure, and by how
much its class may be worse than the non-numerals.

Distance and margin are not enough each alone. A numeral by an unusual pen is far from its class and yet read with a
large margin. A letter is often near one class and nearly as near another. So the logarithm of the odds that a reading
is correct is modelled as a weighted sum of both. A reading is accepted where the odds are large enough, which is where
the distance is at most a limit that grows with the margin.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from train_host.method.statistics import Array

MISREAD = 0.5
"""Weight of all misread numerals together; all non-numerals together have the weight 1, as do all correct readings."""
LEAST_SHARE = 0.01
"""Smallest limit of a reading without a margin, as a share of the largest limit; the device divides by it."""


class Decided(NamedTuple):
    """Decisions on V pictures."""

    margins: Array
    """(V,) score of the runner-up minus the best score."""
    distances: Array
    """(V,) distance of each picture from the class that it is read as."""
    leads: Array
    """(V,) score of the non-numerals minus that of the class; 0 where they have no score."""
    correct: NDArray[np.bool_]
    """(V,) whether the picture is of that class; always False for a non-numeral."""


def together(parts: Sequence[Decided]) -> Decided:
    """Concatenate the decisions of several parts."""
    margins, distances, leads, correct = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Decided(margins, distances, leads, correct)


class Rule(NamedTuple):
    """The limit of the distance as a function of the margin, and that of the lead."""

    reach: float
    """The largest limit, where the margin is `full` or more."""
    unsure_share: float
    """The limit at margin 0, as a share of `reach`; in between the limit rises linearly."""
    full: float
    """Margin from which a reading counts as fully sure."""
    usual_lead: float = 0.0
    """That of the median of the right readings."""
    least_lead: float = 0.0
    """Below it a reading is rejected."""

    def rejects(self, decided: Decided) -> NDArray[np.bool_]:
        """Which decisions are rejected, bool (V,).

        >>> margins, distances = np.array([0.0, 0.0, 2.0, 9.0]), np.array([0.9, 1.1, 3.9, 4.1])
        >>> Rule(4.0, 0.25, 2.0).rejects(Decided(margins, distances, np.zeros(4), np.ones(4, bool))).tolist()
        [False, True, False, True]
        """
        return (decided.distances > self.reach * self.shares(decided.margins)) | (decided.leads < self.least_lead)

    def shares(self, margins: Array) -> Array:
        """Limits (V,) of readings with these margins (V,), as shares of `reach`."""
        return self.unsure_share + (1 - self.unsure_share) * _sureness(margins, self.full)


def learn_rule(views: Decided, strangers: Decided, full: float, by_distance: float, by_lead: float) -> Rule:
    """The rule whose limits reject given shares of the correct decisions among `views`, and as much as they can of all
    else.

    Args:
        views: decisions on numerals, some of them correct.
        strangers: decisions on non-numerals, if there are any.
        full: margin from which a reading counts as fully sure, above 0.
        by_distance, by_lead: share of the correct decisions that the limit of each rejects.
    """
    worth = _worth_of_margin(views, strangers, full)
    margins, distances = views.margins[views.correct], views.distances[views.correct]
    unsure = float(np.quantile(distances - worth * _sureness(margins, full), 1 - by_distance))
    rule = Rule(1.0, max(unsure / (unsure + worth), LEAST_SHARE) if unsure > 0 else LEAST_SHARE, full)
    usual, least = np.quantile(views.leads[views.correct], (0.5, by_lead)).tolist()
    reach = float(np.quantile(distances / rule.shares(margins), 1 - by_distance))
    return rule._replace(reach=reach, usual_lead=usual, least_lead=least)


def _worth_of_margin(views: Decided, strangers: Decided, full: float) -> float:
    """Distance that a full margin makes up for, by logistic regression; 0 where the decisions do not show one."""
    decided = together([views, strangers])
    right = decided.correct
    if right.all():
        return 0.0
    numerals = np.arange(len(right)) < len(views.margins)
    weights = np.zeros(len(right))
    for group, weight in ((right, 1.0), (numerals & ~right, MISREAD), (~numerals, 1.0)):
        weights[group] = weight * len(right) / max(int(group.sum()), 1)
    evidence = np.column_stack([decided.distances, _sureness(decided.margins, full)])
    fit = LogisticRegression(C=1e3).fit(evidence, right, sample_weight=weights)
    by_distance, by_margin = fit.coef_[0]
    return max(0.0, float(by_margin / -by_distance)) if by_distance < 0 else 0.0


def _sureness(margins: Array, full: float) -> Array:
    """Margins as shares of the full margin, at most 1."""
    return np.minimum(margins / full, 1)
