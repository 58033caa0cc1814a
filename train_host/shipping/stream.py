"""Training on more data than fits into memory: one source at a time is opened, added up and discarded.

LpDPL uses its samples only through the count, sum and scatter of every class. These are gathered for the features; the
subspace follows from them, and so do the statistics inside it. So one pass is enough, and memory does not grow.
"""

import hashlib
import os
import time
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.measure.machine import peak_memory
from edge_lpdpl.model.files import write_model
from edge_lpdpl.model.labels import Label
from train_host.datasets import Dataset, open_dataset
from train_host.datasets.dataset import picture_keys
from train_host.method.statistics import Array, ClassStatistics, gather_statistics
from train_host.method.subspace import Subspace, subspace_of_moments, whole_space
from train_host.progress import bar
from train_host.recipe import Recipe
from train_host.rejection.calibration import calibrate, hold_out_all
from train_host.samples.features import Features, extract_features
from train_host.samples.prepare import Samples
from train_host.shipping.export import export
from train_host.training import Classifier, learn_inside

CHUNK = 2000
"""Pictures whose features are in memory at a time."""


class Gathered:
    """Statistics of the features of every class, added up chunk by chunk."""

    def __init__(self, class_count: int) -> None:
        self.statistics: list[ClassStatistics] | None = None
        self.class_count = class_count

    def add(self, features: Features, targets: np.ndarray) -> None:
        """Add features (N, n) of classes (N,); pictures without visible ink are left out."""
        seen = features.any(axis=1)
        if not seen.any():
            return
        fresh = gather_statistics(features[seen], targets[seen], self.class_count)
        known = self.statistics
        self.statistics = fresh if known is None else [old + new for old, new in zip(known, fresh, strict=True)]

    def train(self, recipe: Recipe) -> Classifier:
        """Train LpDPL inside the subspace of the gathered features.

        Raises:
            DatasetError: a class has no picture with visible ink.
        """
        statistics = self.statistics or []
        if len(statistics) < 2 or any(data.count < 1 for data in statistics):
            raise DatasetError("a class has no picture with visible ink: give more pictures of it")
        whole = sum(statistics[1:], statistics[0])
        size = len(whole.total)
        if recipe.dimensions is None:
            subspace = whole_space(np.zeros((0, size)))
        else:
            subspace = subspace_of_moments(*whole, min(recipe.dimensions, size), recipe.constant)
        inside = [statistics_inside(subspace, data) for data in statistics]
        return Classifier(subspace, *learn_inside(inside, recipe, self.class_count))


def statistics_inside(subspace: Subspace, data: ClassStatistics) -> ClassStatistics:
    """Statistics of subspace(x) from those of x, where z = Pᵀx + o is followed by the constant.

    >>> samples = np.random.default_rng(0).standard_normal((9, 4))
    >>> subspace = Subspace(np.eye(4)[:, :2], np.array([1.0, 2.0]), 1.0)
    >>> outside, inside = (gather_statistics(rows, np.zeros(9, int), 1)[0] for rows in (samples, subspace(samples)))
    >>> bool(np.allclose(statistics_inside(subspace, outside).scatter, inside.scatter))
    True
    """
    projection, offset, constant = subspace
    moved = projection.T @ data.total
    total = moved + data.count * offset
    cross = np.outer(moved, offset)
    scatter: Array = projection.T @ data.scatter @ projection + cross + cross.T + data.count * np.outer(offset, offset)
    if constant:
        scatter = np.block([[scatter, constant * total[:, None]], [constant * total, data.count * constant**2]])
        total = np.append(total, data.count * constant)
    return ClassStatistics(data.count, total, scatter)


def fit_stream(
    sources: Iterable[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    recipe: Recipe,
    *,
    name: str,
    tests: Sequence[Dataset] = (),
) -> dict[str, Any]:
    """Train on all sources but the first, write the model, and return a report of it.

    The first source calibrates and checks the model. Only LpDPL is trained: everything else in a recipe would
    need to read the pictures a second time. A hash of 16 bytes is kept of each picture that calibrates or tests, so
    that no such picture is trained on.

    Args:
        path: model file to write.
        name: name inside the model.
        tests: what the model will be tested on; no source may have a picture of it.

    Raises:
        DatasetError: there are fewer than two sources or classes, two sources have the same pictures, a source has a
            picture that calibrates or tests, or a source has other classes than the first.
        TrainingError: too few pictures of the first source are read correctly, or the folded form does not decide as
            eq. 12 does.
        ModelError: the file cannot be written.
    """
    start, names = time.perf_counter(), list(sources)
    recipe = replace(recipe, jitter=None, camera=None, refinement=None, novelty=None, drawn=0, lines=0)
    if len(names) < 2:
        raise DatasetError("one source calibrates and the others train: give two or more")
    held_out = open_dataset(names[0])
    held_out.check_trainable()
    kept = {key for dataset in tests for key in picture_keys(dataset.images) if key}
    _check_others(names[0], held_out, kept, "test")
    kept |= {key for key in picture_keys(held_out.images) if key}
    gathered, parts, pictures = Gathered(len(held_out.labels)), dict[str, str](), 0
    for source in bar("sources", names[1:]):
        dataset = open_dataset(source)
        _check_labels(source, dataset.labels, held_out.labels)
        _check_others(source, dataset, kept, "calibrate or test")
        if dataset.digest in parts:
            raise DatasetError(f"{os.fspath(source)}: has the pictures of another source; name it once")
        parts[dataset.digest] = dataset.name
        for begin in range(0, len(dataset), CHUNK):
            images = dataset.images[begin : begin + CHUNK]
            gathered.add(
                extract_features(images, recipe.profile, recipe.features), dataset.targets[begin : begin + CHUNK]
            )
        pictures += len(dataset)
    classifier = gathered.train(recipe)
    features = extract_features(held_out.images, recipe.profile, recipe.features)
    decided = hold_out_all(classifier, features, held_out.targets, "first source held out")
    samples = Samples(features, np.zeros((0, *features.shape), np.float32), held_out.targets, held_out.labels)
    model, agreements = export(classifier, samples, held_out, pictures, recipe, calibrate(decided), decided, name=name)
    # A single source is named by its own digest, several by a digest of theirs in order.
    digest = next(iter(parts)) if len(parts) == 1 else f"sha256:{hashlib.sha256(' '.join(parts).encode()).hexdigest()}"
    training = model.training | {"data": ", ".join(dict.fromkeys(parts.values())), "digest": digest}
    write_model(path, replace(model, training=training))
    return {
        "model": os.fspath(path),
        "pictures": pictures,
        "sources": len(names) - 1,
        "held_out_accuracy": decided.accuracy,
        "agreement_device": agreements["device"],
        "peak_bytes": peak_memory(),
        "seed": recipe.seed,
        "seconds": time.perf_counter() - start,
    }


def _check_labels(source: str | os.PathLike[str], found: tuple[Label, ...], wanted: tuple[Label, ...]) -> None:
    if found != wanted:
        raise DatasetError(f"{os.fspath(source)}: has other classes than the first source; give data of the same ones")


def _check_others(source: str | os.PathLike[str], dataset: Dataset, kept: Set[bytes], purpose: str) -> None:
    if not kept.isdisjoint(picture_keys(dataset.images)):
        raise DatasetError(f"{os.fspath(source)}: has pictures that {purpose} the model; use separate pictures")
