"""The tables: every method on every split, with errors, bytes, seconds and memory.

`evaluate` is one method under one protocol and keeps nothing (`lpdpl-train evaluate`). `read_real` is one model file on
real pictures (`lpdpl-train stream --test`).
"""

import base64
import io
import os
import time
from importlib.util import find_spec
from typing import Any

import numpy as np
from PIL import Image

from train_host.baselines.methods import METHODS, OWN, find_method, method_title
from train_host.compare.bench import Bench, Protocol
from train_host.compare.cells import Result
from train_host.compare.decide import Pupil
from train_host.compare.significance import accuracy_rejecting, bootstrap_interval, mcnemar
from train_host.datasets import Dataset
from train_host.recipe import Recipe
from train_host.shipping.score import score_model

REJECTED = (0.01, 0.05)
"""Shares of rejected pictures in the tables."""
BYTES_A_NUMBER = 4
"""Bytes of a float32."""
MOST_MISTAKES = 120
"""Most misread pictures that are kept in a record."""


def compare_methods(bench: Bench, methods: list[str], recipe: Recipe) -> dict[str, Any]:
    """Record of a table, ready for JSON. `rows` has one entry per method, `pictures` the decisions of each method.

    McNemar's test compares every method with the first one, on the same pictures.
    """
    pupils = [Pupil(method, recipe) for method in methods]
    parts = bench.across_splits(pupils, f"{bench.dataset.name}, {bench.protocol.title}")
    tested = np.concatenate([test for _, test in bench.splits(recipe.seed)])
    truth = bench.dataset.targets[tested]
    decided = [_joined(part) for part in parts]
    first = decided[0][0] == truth
    writers = None if bench.dataset.writers is None else bench.dataset.writers[tested]
    rows = [
        _row(pupil, part, decisions == truth, margins, writers) | {"mcnemar": mcnemar(first, decisions == truth)}
        for pupil, part, (decisions, margins) in zip(pupils, parts, decided, strict=True)
    ]
    return {
        "kind": "table",
        "protocol": bench.protocol.title,
        "rows": rows,
        "objective": {pupil.method: part[0]["objective"] for pupil, part in zip(pupils, parts, strict=True)},
        "mistakes": _mistakes(bench, tested, decided[0][0]),
        "tested": tested.tolist(),
        "truth": truth.tolist(),
        "writers": None if writers is None else writers.tolist(),
        "pictures": {
            pupil.method: {"decisions": decisions.tolist(), "margins": margins.tolist()}
            for pupil, (decisions, margins) in zip(pupils, decided, strict=True)
        },
    }


def plan_table(bench: Bench, methods: list[str], recipe: Recipe) -> list[dict[str, Any]]:
    """One row per method: count of cells, count of missing cells, and the seconds that the missing ones should take.

    The estimate for a cell is the median of the method's kept cells of this table. Seconds are None where none is kept.
    """
    rows = []
    for method in methods:
        cells = bench.split_cells(Pupil(method, recipe))
        kept = [bench.cells.result(cell) for cell in cells if bench.cells.has(cell)]
        missing = len(cells) - len(kept)
        taken = [result["train_seconds"] + result["decide_seconds"] for result in kept]
        seconds = missing * float(np.median(taken)) if taken else None
        rows.append({"method": method, "cells": len(cells), "missing": missing, "seconds": seconds})
    return rows


def _joined(part: list[Result]) -> tuple[np.ndarray, np.ndarray]:
    """Decisions (N,) and margins (N,) of all splits, one after the other."""
    tests = [result["tests"]["test"] for result in part]
    decisions = np.concatenate([test["decisions"] for test in tests])
    return decisions.astype(np.intp), np.concatenate([test["margins"] for test in tests])


def _mistakes(bench: Bench, tested: np.ndarray, decisions: np.ndarray) -> list[dict[str, Any]]:
    """Pictures that the first method misread, each as a PNG in base64."""
    truth = bench.dataset.targets[tested]
    wrong = np.flatnonzero(decisions != truth)[:MOST_MISTAKES]
    return [
        {"truth": int(truth[at]), "decided": int(decisions[at]), "png": _png(bench.dataset.images[tested[at]])}
        for at in wrong
    ]


def _png(picture: np.ndarray) -> str:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def _row(
    pupil: Pupil, part: list[Result], correct: np.ndarray, margins: np.ndarray, writers: np.ndarray | None
) -> dict[str, Any]:
    peaks = [result["peak_bytes"] for result in part if result["peak_bytes"] is not None]
    return {
        "method": pupil.method,
        "title": method_title(pupil.method, pupil.recipe.refinement is not None),
        "n": len(correct),
        "errors": int(np.sum(~correct)),
        "accuracy": float(correct.mean()),
        "interval": bootstrap_interval(correct, writers),
        "rejecting": {f"{share:.0%}": accuracy_rejecting(correct, margins, share) for share in REJECTED},
        "bytes": BYTES_A_NUMBER * int(np.median([result["numbers"] for result in part])),
        "train_seconds": float(np.median([result["train_seconds"] for result in part])),
        "peak_bytes": max(peaks) if peaks else None,
        "splits": len(part),
        "note": part[0].get("note", ""),
    }


def usual_methods(recipe: Recipe) -> list[str]:
    """Every rival that can be trained on this machine, the project's own first. Networks need PyTorch.

    `lpdpl-plain` is left out under a recipe without refinement, where it is the same as `lpdpl`.

    >>> from train_host.recipe import PAPER_RECIPE
    >>> usual_methods(PAPER_RECIPE)[:2]
    ['lpdpl', 'dpl']
    """

    same = recipe.refinement is None
    return [
        name
        for name, method in METHODS.items()
        if not (method.on_request or (same and name == "lpdpl-plain"))
        and (method.sees == "hog" or find_spec("torchvision"))
    ]


def evaluate(
    dataset: Dataset, recipe: Recipe, protocol: str, *, method: str = OWN, folds: int = 10, groups: int | None = None
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
        "twins": dataset.twins,
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
