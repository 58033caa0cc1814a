"""One training from features to a classifier: subspace, LpDPL, refinement. Evaluation and export both use it."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import TrainingError
from train_host.method.folding import fold
from train_host.method.lpdpl import DictionaryPair, learn_pairs, one_thread_a_class, straight_scores
from train_host.method.refine import refine
from train_host.method.statistics import Array, ClassStatistics, gather_statistics
from train_host.method.subspace import Subspace, principal_subspace, whole_space
from train_host.recipe import Recipe
from train_host.samples.features import Features
from train_host.samples.prepare import Samples

TURNING_SAMPLES = 4
"""Least number of training rows of numerals per feature, augmented copies included, for which the subspace is refined.
With fewer rows its directions would be fitted to these samples alone. This was measured by reading other Chinese
writers and later USPS pictures, neither from a test part: refining the subspace lost accuracy with 500 to 750 samples,
gained more often than it lost with 1,000 to 2,000, and gained with more."""


class Classifier(NamedTuple):
    """The result of a training: eq. 12 inside a subspace."""

    subspace: Subspace
    pairs: list[DictionaryPair]
    objective_history: list[float]
    note: str = ""
    """As of a `Baseline`."""
    non_numerals: int = 0
    """How many of the pairs, the last ones, are no classes: 1 where one describes what is no numeral."""

    @property
    def stored_numbers(self) -> int:
        """Count of numbers that a decision needs, with the dictionaries in folded form."""
        return self.subspace.stored_numbers + sum(array.size for array in fold(self.pairs))

    def scores(self, features: Features) -> Array:
        """Eq. 12 evaluated directly in float64: scores (N, Q) of features (N, n), for the Q classes."""
        return self.judge(self.subspace(features)).scores

    def judge(self, samples: Array) -> "Judgement":
        """Eq. 12 of samples inside the subspace (N, dimensions), for the classes and for the non-numerals."""
        scores = straight_scores(self.pairs, samples)
        classes = len(self.pairs) - self.non_numerals
        return Judgement(scores[:, :classes], scores[:, classes:])


class Judgement(NamedTuple):
    """Scores of N samples."""

    scores: Array
    """(N, Q)."""
    others: Array
    """(N, 1), or (N, 0) where non-numerals have no score."""

    @property
    def leads(self) -> Array:
        """(N,) by how much the best class is better than the non-numerals; 0 where they have no score."""
        return np.sum(self.others - self.scores.min(axis=1, keepdims=True), axis=1)


class Beside(NamedTuple):
    """What a training sees beside a data set, so that it also learns what is no numeral."""

    rows: Features
    """(R, n) features, each with visible ink."""
    targets: NDArray[np.intp]
    """(R,) classes; that of the non-numerals comes after those of the numerals."""


@one_thread_a_class()
def train(samples: Samples, chosen: NDArray[np.intp], recipe: Recipe, beside: Beside | None = None) -> Classifier:
    """Train on the chosen pictures (indices). The result has the same bits, whatever the number of jobs and cores.

    Args:
        beside: non-numerals, and what else is trained on. Without it, or if the recipe says that non-numerals are no
            class, they have no score.

    Raises:
        TrainingError: a class has no picture with visible ink.
    """
    rows, targets = training_rows(samples, chosen)
    may_turn = len(rows) >= TURNING_SAMPLES * rows.shape[1]
    if recipe.novelty is None or not recipe.novelty.is_class:
        beside = None
    if beside is not None:
        rows, targets = np.concatenate([rows, beside.rows]), np.concatenate([targets, beside.targets])
    subspace, count = first_subspace(rows, recipe), samples.class_count + (beside is not None)
    statistics = gather_statistics(subspace(rows), targets, count)
    pairs, history = learn_inside(statistics, recipe, samples.class_count)
    if recipe.refinement is not None:
        refinement = recipe.refinement
        # The whole space has no choice of directions to refine, and a model file stores no projection of it.
        if recipe.dimensions is None or not may_turn:
            refinement = replace(refinement, subspace_rate=0.0)
        subspace, pairs = refine(subspace, pairs, rows, targets, refinement, recipe.seed)
    return Classifier(subspace, pairs, history, non_numerals=int(beside is not None))


def learn_inside(
    statistics: list[ClassStatistics], recipe: Recipe, class_count: int
) -> tuple[list[DictionaryPair], list[float]]:
    """LpDPL on the statistics of every class inside the subspace, with the settings of the recipe for so many classes.

    Returns:
        One pair per class, and the objective at the start and after every iteration.
    """
    return learn_pairs(
        statistics,
        min(recipe.atoms_of(class_count), len(statistics[0].total)),
        recipe.penalties,
        iterations=recipe.iterations,
        seed=recipe.seed,
    )


def training_rows(samples: Samples, chosen: NDArray[np.intp]) -> tuple[Features, NDArray[np.intp]]:
    """Features (R, n) and classes (R,) to train on: `Samples.for_training`, checked.

    Raises:
        TrainingError: a class has no picture with visible ink.
    """
    rows, targets = samples.for_training(chosen)
    missing = np.flatnonzero(np.bincount(targets, minlength=samples.class_count) == 0)
    if len(missing):
        raise TrainingError(
            f"{samples.labels[missing[0]].character} has no picture with visible ink to train on: give more pictures "
            "of it"
        )
    return rows, targets


def first_subspace(rows: Features, recipe: Recipe) -> Subspace:
    """The subspace in which a training starts: the directions of largest variance, or the recipe's whole space."""
    if recipe.dimensions is None:
        return whole_space(rows)
    return principal_subspace(rows, min(recipe.dimensions, rows.shape[1]), recipe.constant)
