"""One training from features to a classifier: subspace, LpDPL, refinement. Evaluation and export both use it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import TrainingError
from edge_lpdpl.model.labels import Label
from train_host.augment import Jitter, jittered
from train_host.camera_copies import CameraView, camera_copies
from train_host.class_statistics import Array
from train_host.datasets import Dataset
from train_host.features import Features, extract_features
from train_host.lpdpl import DictionaryPair, LpDPL, one_thread_a_class, straight_scores
from train_host.recipe import Recipe
from train_host.refine import refine
from train_host.subspace import Subspace, principal_subspace, whole_space
from train_host.synthetic import draw_dataset

DRAWN_SAMPLES = 3
"""Samples of every numeral by every synthetic writer."""
TURNING_SAMPLES = 4
"""Least number of training rows per feature, augmented copies included, for which the subspace is refined. With fewer
rows its directions would be fitted to these samples alone. This was measured by reading other Chinese writers and later
USPS pictures, neither from a test part: refining the subspace lost accuracy with 500 to 750 samples, gained more often
than it lost with 1,000 to 2,000, and gained with more."""
_BESIDE = 2**63
"""Added to the recipe's seed for the synthetic writers. No source `synthetic` can have such a seed, so none of these
writers is ever tested on."""


class Samples(NamedTuple):
    """Features of a data set's pictures and of their augmented copies; those of synthetic writers come last."""

    features: Features
    """(N, n)."""
    copies: NDArray[np.float32]
    """(copies, N, n)."""
    targets: NDArray[np.intp]
    """(N,) classes."""
    labels: tuple[Label, ...]
    """The Q classes."""
    by_camera: int = 0
    """How many of the copies, the last ones, are camera copies."""
    drawn: NDArray[np.intp] = np.zeros(0, np.intp)
    """Rows of the synthetic writers, which are always trained on."""

    @property
    def class_count(self) -> int:
        """Q, the number of classes."""
        return len(self.labels)

    @property
    def camera_copies(self) -> NDArray[np.float32]:
        """Features (by_camera, N, n) of the augmented copies as a camera sees them."""
        return self.copies[len(self.copies) - self.by_camera :]

    def for_training(self, chosen: NDArray[np.intp]) -> tuple[Features, NDArray[np.intp]]:
        """Features (R, n) and classes (R,) of the chosen pictures (indices), the synthetic ones and all their copies.

        Rows without visible ink are left out.
        """
        chosen = np.concatenate([chosen, self.drawn])
        rows = np.concatenate([self.features[chosen], *(copy[chosen] for copy in self.copies)])
        targets = np.tile(self.targets[chosen], 1 + len(self.copies))
        seen = rows.any(axis=1)
        return rows[seen], targets[seen]


class Classifier(NamedTuple):
    """The result of a training: eq. 12 inside a subspace."""

    subspace: Subspace
    pairs: list[DictionaryPair]
    objective_history: list[float]

    def scores(self, features: Features) -> Array:
        """Eq. 12 evaluated directly in float64: scores (N, Q) of features (N, n)."""
        return self.scores_inside(self.subspace(features))

    def scores_inside(self, samples: Array) -> Array:
        """The same for samples inside the subspace."""
        return straight_scores(self.pairs, samples)


def prepare(dataset: Dataset, recipe: Recipe, progress: bool = False) -> Samples:
    """Features of all pictures, and of the synthetic writers and augmented copies that the recipe asks for.

    Raises:
        DatasetError: there is one class only.
    """
    dataset.check_trainable()
    features, copies = _describe(dataset.images, recipe, progress)
    targets = dataset.targets
    if recipe.drawn:
        beside = draw_dataset(
            dataset.labels, name="drawn", writers=recipe.drawn, samples=DRAWN_SAMPLES, seed=_BESIDE + recipe.seed
        )
        drawn_features, drawn_copies = _describe(beside.images, recipe, progress)
        features = np.concatenate([features, drawn_features])
        copies = np.concatenate([copies, drawn_copies], axis=1)
        targets = np.concatenate([targets, beside.targets])
    by_camera = recipe.camera.copies if recipe.camera is not None and len(copies) else 0
    return Samples(features, copies, targets, dataset.labels, by_camera, np.arange(len(dataset), len(targets)))


def _describe(images: NDArray[np.uint8], recipe: Recipe, progress: bool) -> tuple[Features, NDArray[np.float32]]:
    """Features (N, n) of pictures, and features (copies, N, n) of their augmented copies."""
    features = extract_features(images, recipe.profile, recipe.features, progress="features" if progress else "")
    copies = [
        extract_features(copy, recipe.profile, recipe.features, progress=f"copy {number}" if progress else "")
        for number, copy in enumerate(_copies(images, recipe), start=1)
    ]
    return features, np.stack(copies) if copies else np.zeros((0, *features.shape), np.float32)


def _copies(images: NDArray[np.uint8], recipe: Recipe) -> Iterator[NDArray[np.uint8]]:
    """The affine copies, then the camera copies."""
    if recipe.jitter is None:
        return
    for copy in range(recipe.jitter.copies):
        yield jittered(images, recipe.jitter, recipe.seed, copy)
    if recipe.camera is not None:
        for copy in range(recipe.camera.copies):
            yield camera_copy(images, recipe.jitter, recipe.camera, recipe.seed, copy)


def camera_copy(
    images: NDArray[np.uint8], jitter: Jitter, camera: CameraView, seed: int, copy: int
) -> NDArray[np.uint8]:
    """One camera copy of every picture (N, height, width): an affine copy as a camera sees it.

    It starts from an affine copy of its own, numbered after those that are trained on directly.

    Args:
        copy: number of the camera copy, 0 or more.
    """
    moved = jittered(images, jitter, seed, jitter.copies + copy)
    return camera_copies(moved, camera, seed, copy)


def train(
    samples: Samples, chosen: NDArray[np.intp], recipe: Recipe, jobs: int = 1, progress: bool = False
) -> Classifier:
    """Train on the chosen pictures (indices). The result has the same bits, whatever the number of jobs and cores.

    Raises:
        TrainingError: a class has no picture with visible ink.
    """
    with one_thread_a_class():
        return _train(samples, chosen, recipe, jobs, progress)


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


def _train(samples: Samples, chosen: NDArray[np.intp], recipe: Recipe, jobs: int, progress: bool) -> Classifier:
    rows, targets = training_rows(samples, chosen)
    subspace = first_subspace(rows, recipe)
    inside = subspace(rows)
    learner = LpDPL(
        atoms=min(recipe.atoms_of(samples.class_count), inside.shape[1]),
        penalties=recipe.penalties,
        iterations=recipe.iterations,
        seed=recipe.seed,
        jobs=jobs,
        progress=progress,
    ).fit(inside, targets)
    pairs = learner.pairs_
    if recipe.refinement is not None:
        refinement = recipe.refinement
        # The whole space has no choice of directions to refine, and a model file stores no projection of it.
        if recipe.dimensions is None or len(rows) < TURNING_SAMPLES * rows.shape[1]:
            refinement = replace(refinement, subspace_rate=0.0)
        subspace, pairs = refine(subspace, pairs, rows, targets, refinement, recipe.seed, progress)
    return Classifier(subspace, pairs, learner.objective_history_)
