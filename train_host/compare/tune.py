"""Settings by cross-validation inside the training part; test folds are never used."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from edge_lpdpl.errors import TrainingError
from train_host.compare.bench import Bench, Protocol
from train_host.compare.decide import Pupil
from train_host.datasets import Dataset
from train_host.recipe import Recipe
from train_host.splits import BETWEEN_SUBJECT, CONVENTIONAL

INNER_FOLDS = 5
PENALTIES = ("lambda1", "lambda2", "lambda3", "gamma")
WHOLE = ("atoms", "dimensions", "iterations")
USUAL_GRID: dict[str, tuple[float, ...]] = {
    "atoms": (8, 12, 20),
    "lambda1": (1e-6, 1e-5, 1e-4),
    "lambda2": (0.01, 0.1, 1.0),
}

Grid = dict[str, tuple[float, ...]]


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
        if not equals or name not in (*WHOLE, *PENALTIES):
            raise TrainingError(f"{word!r} is not a setting with values: use {'=..., '.join((*WHOLE, *PENALTIES))}=...")
        try:
            grid[name] = (*grid.get(name, ()), *map(float, values.split(",")))
        except ValueError:
            raise TrainingError(f"{word!r}: give numbers with commas between them") from None
        whole = name not in WHOLE or all(value == int(value) for value in grid[name] if np.isfinite(value))
        if not whole or not all(0 < value < np.inf for value in grid[name]):
            raise TrainingError(f"{word!r}: values must be above 0, and whole for {', '.join(WHOLE)}")
    return grid or USUAL_GRID


def with_settings(recipe: Recipe, settings: dict[str, float]) -> Recipe:
    """A copy of the recipe with other settings.

    >>> from train_host.recipe import EDGE_RECIPE
    >>> with_settings(EDGE_RECIPE, {"atoms": 9.0, "gamma": 0.5}).penalties.gamma
    0.5
    """
    penalties = {name: value for name, value in settings.items() if name in PENALTIES}
    whole: dict[str, Any] = {name: int(value) for name, value in settings.items() if name in WHOLE}
    return replace(recipe, penalties=replace(recipe.penalties, **penalties), **whole)


def tune(dataset: Dataset, recipe: Recipe, grid: Grid, folder: Path) -> dict[str, Any]:
    """Try every combination of settings by cross-validation on the training part.

    Folds hold out whole writers where at least five writers are known. If the set has its own split, its test part is
    not used. Among settings with equal errors, those that come first in the grid win.

    Returns:
        `best` settings, and `trials`: settings, accuracy and errors, the best first.

    Raises:
        TrainingError: the grid has dimensions that the recipe cannot have, or a training fails.
    """
    if "dimensions" in grid:
        recipe.check_dimensions(max(grid["dimensions"]))
    part = dataset if dataset.is_test is None else dataset.subset(~dataset.is_test)
    enough = part.writers is not None and len(np.unique(part.writers)) >= INNER_FOLDS
    protocol = Protocol(BETWEEN_SUBJECT, groups=INNER_FOLDS) if enough else Protocol(CONVENTIONAL, INNER_FOLDS)
    bench = Bench(part, protocol, folder)
    splits = bench.splits(recipe.seed)
    trials = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    pupils = [Pupil("lpdpl", with_settings(recipe, settings)) for settings in trials]
    scored: list[dict[str, Any]] = []
    for settings, found in zip(trials, bench.across_splits(pupils, f"tune on {part.name}"), strict=True):
        errors = len(part) - int(bench.count_right(found, splits).sum())
        scored.append({"settings": settings, "errors": errors, "accuracy": 1 - errors / len(part)})
    scored.sort(key=lambda trial: trial["errors"])
    return {
        "data": dataset.name,
        "digest": part.digest,
        "pictures": len(part),
        "left_out": len(dataset) - len(part),
        "protocol": protocol.title,
        "seed": recipe.seed,
        "best": scored[0]["settings"],
        "trials": scored,
    }
