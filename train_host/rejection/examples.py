"""What the distances (novelty) are learned from: the training pictures, copies of them from afar, and non-numerals.

The non-numerals are drawn shapes, and a copy of each picture that is struck out.

On a page, 一 may be a third as large as the characters beside it, and a camera shows it as a short soft bar. The
augmented copies that a classifier is trained on contain no such bars. Without the copies from afar they would be
rejected.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from train_host.datasets import Dataset
from train_host.method.statistics import Array
from train_host.recipe import NoveltySettings, Recipe
from train_host.rejection.regions import Region, learn_regions
from train_host.samples.features import Features, extract_features
from train_host.samples.non_numerals import strangers
from train_host.samples.prepare import Samples, camera_copy, drawn_beside
from train_host.samples.struck import struck
from train_host.training import Classifier

LEAST_STRANGERS = 1000


class Examples(NamedTuple):
    """Pictures that only the distances are learned from, not the classifier."""

    strangers: Features
    """(S, n) features of drawn shapes that are no numerals, all with visible ink."""
    struck: Features
    """(N, n) features of a struck copy of each row of the samples, those of synthetic writers included."""
    afar: Features | None
    """(N, n) features of copies of the data set's pictures, as a camera sees them from afar; None where the recipe has
    no camera copies."""
    settings: NoveltySettings


def gather_examples(dataset: Dataset, recipe: Recipe) -> Examples | None:
    """Draw the non-numerals that the recipe asks for, and the copies from afar; None where it asks for no distances."""
    settings = recipe.novelty
    if settings is None:
        return None

    def described(pictures: NDArray[np.uint8], name: str) -> Features:
        return extract_features(pictures, recipe.profile, recipe.features, "light", name)

    count = int(np.clip(settings.strangers * len(dataset), LEAST_STRANGERS, settings.most_strangers))
    drawn = described(strangers(count, recipe.seed, dataset.labels), "non-numerals")
    written = [dataset, drawn_beside(dataset.labels, recipe)] if recipe.drawn else [dataset]
    crossed = described(np.concatenate([struck(one, recipe.seed) for one in written]), "struck out")
    afar = _from_afar(dataset, recipe, settings.least_side)
    return Examples(drawn[drawn.any(axis=1)], crossed, afar, settings)


def _from_afar(dataset: Dataset, recipe: Recipe, least_side: int) -> Features | None:
    """Features (N, n) of one more camera copy, numbered after those that the classifier is trained on."""
    if recipe.jitter is None or recipe.camera is None:
        return None
    farther = replace(recipe.camera, least_side=least_side)
    seen = camera_copy(dataset.images, recipe.jitter, farther, recipe.seed, recipe.camera.copies)
    return extract_features(seen, recipe.profile, recipe.features, title="from afar")


def fit_regions(
    classifier: Classifier, samples: Samples, examples: Examples, chosen: NDArray[np.intp], seed: int
) -> list[Region]:
    """The regions of a classifier's classes, from the chosen pictures (indices), their copies and the non-numerals."""
    rows, targets = samples.for_training(chosen)
    if examples.afar is not None:
        seen = chosen[examples.afar[chosen].any(axis=1)]
        rows = np.concatenate([rows, examples.afar[seen]])
        targets = np.concatenate([targets, samples.targets[seen]])
    struck_out = examples.struck[np.concatenate([chosen, samples.drawn])]
    strange = classifier.subspace(np.concatenate([examples.strangers, struck_out[struck_out.any(axis=1)]]))
    return learn_regions(
        without_constant(classifier, classifier.subspace(rows)),
        targets,
        without_constant(classifier, strange),
        classifier.scores_inside(strange).argmin(axis=1),
        examples.settings,
        seed,
    )


def without_constant(classifier: Classifier, inside: Array) -> Array:
    """Samples inside the subspace, (N, dimensions), without the constant if there is one."""
    return inside[:, : classifier.subspace.projection.shape[1]]
