"""Settings by cross-validation inside the training part; test folds are never used."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from train_host.compare.bench import Bench, Protocol
from train_host.compare.decide import Pupil
from train_host.datasets import Dataset
from train_host.recipe import Grid, Recipe, with_settings
from train_host.splits import BETWEEN_SUBJECT, CONVENTIONAL

INNER_FOLDS = 5
USUAL_GRID: Grid = {
    "atoms": (8, 12, 20),
    "lambda1": (1e-6, 1e-5, 1e-4),
    "lambda2": (0.01, 0.1, 1.0),
}


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
