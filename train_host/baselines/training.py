"""Trains any method of the comparison on prepared samples."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from train_host.baselines.baseline import Baseline
from train_host.baselines.methods import find_method, method_recipe
from train_host.method.lpdpl import one_thread_a_class
from train_host.method.statistics import Array
from train_host.method.subspace import Subspace
from train_host.recipe import Recipe
from train_host.samples.features import Features
from train_host.samples.prepare import Samples
from train_host.training import Classifier, first_subspace, train, training_rows


class Fitted(NamedTuple):
    """A baseline with the subspace in which it was fitted; `subspace` is None for a network, which sees squares."""

    subspace: Subspace | None
    baseline: Baseline

    def scores(self, features: Features) -> Array:
        """Scores (N, Q), float64, of features (N, n): the class with the smallest score is the decision."""
        rows = features.astype(np.float64) if self.subspace is None else self.subspace(features)
        return self.baseline.scores(rows)

    @property
    def stored_numbers(self) -> int:
        """Count of numbers that a decision needs."""
        return self.baseline.numbers + (0 if self.subspace is None else self.subspace.stored_numbers)

    @property
    def objective_history(self) -> list[float] | None:
        """Objective after every iteration; None for methods without one."""
        return getattr(self.baseline, "objective_history_", None)

    @property
    def note(self) -> str:
        return self.baseline.note


def train_method(
    name: str, samples: Samples, chosen: NDArray[np.intp], recipe: Recipe, **settings: Any
) -> Classifier | Fitted:
    """Train a method on the chosen pictures.

    Args:
        samples: prepared by `train_host.training.prepare` with the method's recipe (`method_recipe`).
        chosen: (count,) indices of the pictures to train on.
        settings: settings of a baseline that differ from its defaults.

    Raises:
        TrainingError: there is no such method, a class has no pictures, or a package is not installed.
    """
    method = find_method(name)
    recipe = method_recipe(name, recipe)
    if not method.module:
        return train(samples, chosen, recipe)
    baseline = method.build(constant=0.0, **settings)  # the subspace has appended one
    rows, targets = training_rows(samples, chosen)
    with one_thread_a_class():
        if method.sees == "pixels":
            return Fitted(None, baseline.fit(rows, targets))
        subspace = first_subspace(rows, recipe)
        return Fitted(subspace, baseline.fit(subspace(rows), targets))
