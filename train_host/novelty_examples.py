"""What the distances of `novelty` are learned from: what a training sees anyway, and strangers; as features."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from train_host.class_statistics import Array
from train_host.datasets import Dataset
from train_host.features import Features, extract_features
from train_host.novelty import NoveltySettings, Region, learn_regions
from train_host.recipe import Recipe
from train_host.strangers import strangers
from train_host.training import Classifier, Samples

LEAST_STRANGERS = 1000


class Examples(NamedTuple):
    """What is no numeral."""

    strangers: Features
    """(S, n); all show something."""
    settings: NoveltySettings


def gather_examples(dataset: Dataset, recipe: Recipe, progress: bool = False) -> Examples | None:
    """Draw the strangers that the recipe asks for; None where it asks for no distances."""
    settings = recipe.novelty
    if settings is None:
        return None
    count = int(np.clip(settings.strangers * len(dataset), LEAST_STRANGERS, settings.most_strangers))
    name = "strangers" if progress else ""
    drawn = extract_features(strangers(count, recipe.seed), recipe.profile, recipe.features, "light", name)
    return Examples(drawn[drawn.any(axis=1)], settings)


def fit_regions(
    classifier: Classifier, samples: Samples, examples: Examples, chosen: NDArray[np.intp], seed: int
) -> list[Region]:
    """The regions of a classifier's classes, from the chosen pictures (indices), their copies and the strangers."""
    rows, targets = samples.for_training(chosen)
    inside = inside_subspace(classifier, rows)
    read_as = classifier.scores(examples.strangers).argmin(axis=1)
    strange = inside_subspace(classifier, examples.strangers)
    return learn_regions(inside, targets, strange, read_as, examples.settings, seed)


def inside_subspace(classifier: Classifier, features: Features) -> Array:
    """(N, features) to (N, dimensions), without the constant."""
    inside: Array = classifier.subspace(features)[:, : classifier.subspace.projection.shape[1]]
    return inside
