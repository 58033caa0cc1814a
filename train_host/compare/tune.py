"""Settings of LpDPL by scikit-learn's grid search inside the training part; test folds are never used."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from edge_lpdpl.errors import TrainingError
from train_host.compare.bench import Protocol
from train_host.datasets import Dataset
from train_host.method.estimator import LpDPL
from train_host.method.statistics import Array
from train_host.method.subspace import principal_subspace
from train_host.recipe import Recipe
from train_host.samples.features import Features
from train_host.samples.prepare import prepare
from train_host.splits import BETWEEN_SUBJECT, CONVENTIONAL, make_splits

INNER_FOLDS = 5
PENALTIES = ("lambda1", "lambda2", "lambda3", "gamma")
WHOLE = {"atoms": "lpdpl__atoms", "dimensions": "subspace__dimensions", "iterations": "lpdpl__max_iter"}
PARAMETERS = WHOLE | {name: f"lpdpl__{name}" for name in PENALTIES}
"""Setting to parameter of the pipeline that is searched."""
USUAL_GRID: dict[str, tuple[float, ...]] = {
    "atoms": (8, 12, 20),
    "lambda1": (1e-6, 1e-5, 1e-4),
    "lambda2": (0.01, 0.1, 1.0),
}

Grid = dict[str, tuple[float, ...]]


class PrincipalSubspace(TransformerMixin, BaseEstimator):
    """The subspace of the recipe as a step of a pipeline."""

    def __init__(self, dimensions: int = 72) -> None:
        self.dimensions = dimensions

    def fit(self, X: Features, y: object = None) -> Self:
        self.subspace_ = principal_subspace(X, self.dimensions, constant=0.0)
        return self

    def transform(self, X: Features) -> Array:
        return self.subspace_(X)


def parse_grid(words: list[str]) -> Grid:
    """Values to try, from words such as `atoms=8,12`. If several words name one setting, all their values are tried.

    Raises:
        TrainingError: a word has another form, a setting is unknown, or a value is not a positive number.

    >>> parse_grid(["atoms=8,12", "gamma=1e-4", "atoms=20"])
    {'atoms': (8.0, 12.0, 20.0), 'gamma': (0.0001,)}
    """
    grid: Grid = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or name not in PARAMETERS:
            raise TrainingError(f"{word!r} is not a setting with values: use {'=..., '.join(PARAMETERS)}=...")
        try:
            grid[name] = (*grid.get(name, ()), *map(float, values.split(",")))
        except ValueError:
            raise TrainingError(f"{word!r}: give numbers with commas between them") from None
        whole = name not in WHOLE or all(value == int(value) for value in grid[name] if np.isfinite(value))
        if not whole or not all(0 < value < np.inf for value in grid[name]):
            raise TrainingError(f"{word!r}: values must be above 0, and whole for {', '.join(WHOLE)}")
    return grid or USUAL_GRID


def pipeline(recipe: Recipe, class_count: int) -> Pipeline:
    """LpDPL as the recipe trains it, without refinement and augmented copies: its subspace, then the estimator.

    >>> from train_host.recipe import EDGE_RECIPE
    >>> pipeline(EDGE_RECIPE, 15)["lpdpl"].atoms
    12
    """
    penalties = {name: getattr(recipe.penalties, name) for name in (*PENALTIES, "rho")}
    model = LpDPL(
        constant=recipe.constant,
        atoms=recipe.atoms_of(class_count),
        max_iter=recipe.iterations,
        random_state=recipe.seed,
        **penalties,
    )
    subspace = "passthrough" if recipe.dimensions is None else PrincipalSubspace(recipe.dimensions)
    return Pipeline([("subspace", subspace), ("lpdpl", model)])


def tune(dataset: Dataset, recipe: Recipe, grid: Grid, *, jobs: int = 1, progress: bool = False) -> dict[str, Any]:
    """Try every combination of settings by cross-validation on the training part.

    Folds hold out whole writers where at least five writers are known. If the set has its own split, its test part is
    not used. Pictures without visible ink are left out.

    Returns:
        `best` settings, and `trials`: settings and mean accuracy of the folds, the best first.

    Raises:
        TrainingError: the grid has dimensions that the recipe cannot have.
    """
    part, features = _visible(dataset, recipe, grid, progress)
    if part.is_test is not None:
        training = np.flatnonzero(~part.is_test)
        part, features = part.subset(training), features[training]
    search, protocol = _search(part, features, recipe, grid, jobs)
    tried = search.cv_results_
    order = np.argsort(tried["rank_test_score"], kind="stable")
    return {
        "data": dataset.name,
        "digest": part.digest,
        "pictures": len(part),
        "left_out": len(dataset) - len(part),
        "protocol": protocol.title,
        "seed": recipe.seed,
        "best": _settings(search.best_params_),
        "trials": [
            {"settings": _settings(tried["params"][at]), "accuracy": float(tried["mean_test_score"][at])}
            for at in order
        ],
    }


def tune_and_test(
    dataset: Dataset, recipe: Recipe, grid: Grid, protocol: Protocol, *, jobs: int = 1, progress: bool = False
) -> dict[str, Any]:
    """Nested cross-validation: for every split of the protocol, tune on its training part, then test once.

    Returns:
        accuracy, errors, n, and the settings that were chosen for every split.
    """
    part, features = _visible(dataset, recipe, grid, progress)
    chosen, errors, count = [], 0, 0
    for training, test in make_splits(part, protocol.name, protocol.folds, protocol.groups, recipe.seed):
        search, _ = _search(part.subset(training), features[training], recipe, grid, jobs)
        chosen.append(_settings(search.best_params_))
        errors += int(np.sum(search.predict(features[test]) != part.targets[test]))
        count += len(test)
    return {
        "data": dataset.name,
        "protocol": protocol.title,
        "seed": recipe.seed,
        "chosen": chosen,
        "n": count,
        "errors": errors,
        "accuracy": 1 - errors / count,
    }


def _visible(dataset: Dataset, recipe: Recipe, grid: Grid, progress: bool) -> tuple[Dataset, Features]:
    """The pictures with visible ink, and their features (N, n)."""
    if "dimensions" in grid:
        recipe.check_dimensions(max(grid["dimensions"]))
    features = prepare(dataset, replace(recipe, jitter=None, camera=None, drawn=0), progress).features
    seen = np.flatnonzero(features.any(axis=1))
    return dataset.subset(seen), features[seen]


def _search(part: Dataset, features: Features, recipe: Recipe, grid: Grid, jobs: int) -> tuple[GridSearchCV, Protocol]:
    """The finished search on a training part, and the protocol of its folds."""
    enough = part.writers is not None and len(np.unique(part.writers)) >= INNER_FOLDS
    protocol = Protocol(BETWEEN_SUBJECT, groups=INNER_FOLDS) if enough else Protocol(CONVENTIONAL, INNER_FOLDS)
    folds = make_splits(replace(part, is_test=None), protocol.name, protocol.folds, protocol.groups, recipe.seed)
    wanted = {
        PARAMETERS[name]: [int(value) if name in WHOLE else value for value in values] for name, values in grid.items()
    }
    search = GridSearchCV(pipeline(recipe, len(part.labels)), wanted, cv=folds, n_jobs=jobs, error_score="raise")
    return search.fit(features, part.targets), protocol


def _settings(parameters: dict[str, Any]) -> dict[str, float]:
    """Settings by the names of `PARAMETERS`."""
    return {name: parameters[parameter] for name, parameter in PARAMETERS.items() if parameter in parameters}
