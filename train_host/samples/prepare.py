"""What a training sees: features of a data set's pictures, of synthetic writers and of the augmented copies of both."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.model.labels import Label
from train_host.datasets import Dataset
from train_host.datasets.bundled import draw_dataset
from train_host.recipe import CameraView, Jitter, Recipe
from train_host.samples.augment import jittered
from train_host.samples.camera_copies import camera_copies
from train_host.samples.features import Features, extract_features
from train_host.samples.line_copies import line_copies

DRAWN_SAMPLES = 3
"""Samples of every numeral by every synthetic writer."""
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
    repeats: NDArray[np.intp] = np.zeros(0, np.intp)
    """(N,) how often each row counts in a training; empty: once."""

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
        if len(self.repeats):
            chosen = np.repeat(chosen, self.repeats[chosen])
        rows = np.concatenate([self.features[chosen], *(copy[chosen] for copy in self.copies)])
        targets = np.tile(self.targets[chosen], 1 + len(self.copies))
        seen = rows.any(axis=1)
        return rows[seen], targets[seen]


def prepare(dataset: Dataset, recipe: Recipe) -> Samples:
    """Features of all pictures, and of the synthetic writers and augmented copies that the recipe asks for.

    Raises:
        DatasetError: there is one class only.
    """
    dataset.check_trainable()
    features, copies = _describe(dataset.images, recipe)
    targets = dataset.targets
    if recipe.lines:
        copies = np.concatenate([_from_lines(dataset, recipe), copies])
    if recipe.drawn:
        beside = drawn_beside(dataset.labels, recipe)
        drawn_features, drawn_copies = _describe(beside.images, recipe)
        features = np.concatenate([features, drawn_features])
        none = np.zeros((len(copies) - len(drawn_copies), *drawn_features.shape), np.float32)
        copies = np.concatenate([copies, np.concatenate([none, drawn_copies])], axis=1)
        targets = np.concatenate([targets, beside.targets])
    by_camera = recipe.camera.copies if recipe.camera is not None and len(copies) else 0
    return Samples(features, copies, targets, dataset.labels, by_camera, np.arange(len(dataset), len(targets)))


def drawn_beside(labels: tuple[Label, ...], recipe: Recipe) -> Dataset:
    """The numerals of the synthetic writers that the recipe asks for."""
    return draw_dataset(labels, name="drawn", writers=recipe.drawn, samples=DRAWN_SAMPLES, seed=_BESIDE + recipe.seed)


def _describe(images: NDArray[np.uint8], recipe: Recipe) -> tuple[Features, NDArray[np.float32]]:
    """Features (N, n) of pictures, and features (copies, N, n) of their augmented copies."""
    features = extract_features(images, recipe.profile, recipe.features)
    copies = [
        extract_features(copy, recipe.profile, recipe.features, title=f"copy {number}")
        for number, copy in enumerate(_copies(images, recipe), start=1)
    ]
    return features, np.stack(copies) if copies else np.zeros((0, *features.shape), np.float32)


def _from_lines(dataset: Dataset, recipe: Recipe) -> NDArray[np.float32]:
    """Features (copies, N, n) of what is cut out of drawn numbers; zeros where a picture has no such copy."""
    copies = line_copies(dataset, recipe.lines, _BESIDE + recipe.seed)
    return np.stack([extract_features(copy, recipe.profile, recipe.features, "light") for copy in copies])


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

    It starts from an affine copy of its own, numbered after those that are trained on directly. It is not bent: limits
    that reject are found on these copies, and have to fit numerals as they are written.

    Args:
        copy: number of the camera copy, 0 or more.
    """
    moved = jittered(images, replace(jitter, bend=0.0), seed, jitter.copies + copy)
    return camera_copies(moved, camera, seed, copy)
