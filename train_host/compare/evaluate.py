"""One method under one protocol, a comparison that keeps nothing (`lpdpl-train evaluate`), and one model file on real
pictures (`lpdpl-train stream --test`)."""

import os
import time
from typing import Any

import numpy as np

from train_host.baselines.methods import OWN, find_method, method_title
from train_host.compare.bench import Bench, Protocol
from train_host.compare.decide import Pupil
from train_host.compare.significance import bootstrap_interval
from train_host.datasets import Dataset
from train_host.recipe import Recipe
from train_host.shipping.score import score_model


def evaluate(
    dataset: Dataset,
    recipe: Recipe,
    protocol: str,
    *,
    method: str = OWN,
    folds: int = 10,
    groups: int | None = None,
) -> dict[str, Any]:
    """Train and test a method on every split.

    The recipe's seed draws the folds and starts the training. No setting is chosen by the test results.

    Returns:
        accuracy over all test pictures, accuracy of each split (`folds`), their standard deviation, numbers of
        pictures and errors, and what was trained.

    Raises:
        DatasetError: the set cannot be split by this protocol, or has one class only.
        TrainingError: there is no such method, or a training fails.
    """
    start = time.perf_counter()
    find_method(method)
    bench = Bench(dataset, Protocol(protocol, folds, groups))
    splits = bench.splits(recipe.seed)
    (found,) = bench.across_splits([Pupil(method, recipe)], protocol)
    right = bench.count_right(found, splits)
    sizes = np.array([len(test) for _, test in splits])
    return {
        "accuracy": float(right.sum() / sizes.sum()),
        "std": float((right / sizes).std()),
        "folds": (right / sizes).tolist(),
        "n": int(sizes.sum()),
        "errors": int(sizes.sum() - right.sum()),
        "protocol": protocol,
        "groups": groups,
        "method": method,
        "title": method_title(method, recipe.refinement is not None),
        "profile": recipe.profile.name,
        "features": recipe.features,
        "centre": "centroid" if recipe.profile.preprocessing.by_moments else "box",
        "data": dataset.name,
        "digest": dataset.digest,
        "seed": recipe.seed,
        "seconds": time.perf_counter() - start,
    }


def read_real(model: str | os.PathLike[str], dataset: Dataset) -> dict[str, Any]:
    """Accuracy of a model file on a data set, read as the device reads it. The 95 % interval is over pictures.

    Raises:
        DatasetError: the data set has a class that the model does not know.
        ModelError: the model file is not valid.
    """
    found = score_model(model, dataset)
    correct = np.arange(found["n"]) < found["correct"]
    kept = {key: found[key] for key in ("n", "correct", "accuracy", "rejected", "accuracy_accepted")}
    return {"data": dataset.name, "interval": bootstrap_interval(correct, None)} | kept
