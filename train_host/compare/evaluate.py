"""One method under one protocol: what `lpdpl-train evaluate` prints."""

import time
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from train_host.baselines.methods import OWN, find_method, method_recipe, train_method
from train_host.datasets import Dataset
from train_host.recipe import Recipe
from train_host.samples.prepare import Samples, prepare
from train_host.splits import Split, make_splits


def evaluate(
    dataset: Dataset,
    recipe: Recipe,
    protocol: str,
    *,
    method: str = OWN,
    folds: int = 10,
    groups: int | None = None,
    jobs: int = -1,
    progress: bool = False,
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
    splits = make_splits(dataset, protocol, folds, groups, recipe.seed)
    samples = prepare(dataset, method_recipe(method, recipe), progress)
    correct = Parallel(n_jobs=jobs, return_as="generator", max_nbytes="1M")(
        delayed(count_correct)(samples, split, recipe, method) for split in splits
    )
    bar = tqdm(correct, total=len(splits), desc=protocol, disable=None if progress else True)
    right = np.array(list(bar))
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
        "profile": recipe.profile.name,
        "features": recipe.features,
        "centre": "centroid" if recipe.profile.preprocessing.by_moments else "box",
        "data": dataset.name,
        "digest": dataset.digest,
        "seed": recipe.seed,
        "seconds": time.perf_counter() - start,
    }


def count_correct(samples: Samples, split: Split, recipe: Recipe, method: str = OWN) -> int:
    """Number of test pictures that are read correctly after training on the rest of the split.

    A picture without visible ink counts as wrong.
    """
    chosen, test = split
    classifier = train_method(method, samples, chosen, recipe)
    seen = samples.features[test].any(axis=1)
    decisions = classifier.scores(samples.features[test]).argmin(axis=1)
    return int(np.sum((decisions == samples.targets[test]) & seen))
