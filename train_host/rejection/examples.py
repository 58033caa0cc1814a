"""What non-numerals are told from: the training pictures, copies of them from afar, and drawn non-numerals.

The non-numerals are drawn shapes, characters that are no numerals, and a copy of each picture that is struck out.

On a page, 一 may be a third as large as the characters beside it, and a camera shows it as a short soft bar. The
augmented copies that a classifier is trained on contain no such bars. Without the copies from afar they would be
rejected.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.model.labels import Label
from train_host.datasets import Dataset
from train_host.method.statistics import Array
from train_host.recipe import NoveltySettings, Recipe
from train_host.rejection.regions import Region, are_numerals, learn_regions
from train_host.samples.features import Features, extract_features
from train_host.samples.non_numerals import strangers
from train_host.samples.other_characters import other_characters
from train_host.samples.prepare import Samples, camera_copy, drawn_beside
from train_host.samples.struck import struck
from train_host.training import Beside, Classifier, first_subspace

LEAST_STRANGERS = 1000
SHAPES, CHARACTERS, STRUCK = "strangers", "characters", "struck"
"""Kinds of non-numerals."""


class Examples(NamedTuple):
    """Pictures beside those of the data set."""

    drawn: Mapping[str, Features]
    """Kinds of what is drawn and is no numeral: (S, n) features each, all with visible ink."""
    struck: Features
    """(N, n) features of a struck copy of each row of the samples, those of synthetic writers included."""
    afar: Features | None
    """(N, n) features of copies of the data set's pictures, as a camera sees them from afar; None where the recipe has
    no camera copies."""


def gather_examples(dataset: Dataset, recipe: Recipe) -> Examples | None:
    """Draw the non-numerals that the recipe asks for, and the copies from afar; None where it asks for no distances."""
    settings = recipe.novelty
    if settings is None:
        return None

    def described(pictures: NDArray[np.uint8], name: str) -> Features:
        return extract_features(pictures, recipe.profile, recipe.features, "light", name)

    count = int(np.clip(settings.strangers * len(dataset), LEAST_STRANGERS, settings.most_strangers))
    drawn = {SHAPES: described(strangers(count, recipe.seed, dataset.labels), "non-numerals")}
    if recipe.drawn:  # without numerals by synthetic writers, their pens would tell characters from numerals
        drawn[CHARACTERS] = described(_characters(count // 2, recipe, dataset.labels), "characters")
    written = [dataset, drawn_beside(dataset.labels, recipe)] if recipe.drawn else [dataset]
    crossed = described(np.concatenate([struck(one, recipe.seed) for one in written]), "struck out")
    afar = _from_afar(dataset, recipe, settings.least_side)
    return Examples({kind: rows[rows.any(axis=1)] for kind, rows in drawn.items()}, crossed, afar)


def _characters(count: int, recipe: Recipe, labels: tuple[Label, ...]) -> NDArray[np.uint8]:
    """Characters that are no numerals, every second one as a camera sees it where the recipe has camera copies."""
    pictures = other_characters(count, recipe.seed, labels).copy()
    if recipe.jitter is not None and recipe.camera is not None:
        pictures[1::2] = camera_copy(pictures[1::2], recipe.jitter, recipe.camera, recipe.seed, 0)
    return pictures


def _from_afar(dataset: Dataset, recipe: Recipe, least_side: int) -> Features | None:
    """Features (N, n) of one more camera copy, numbered after those that the classifier is trained on."""
    if recipe.jitter is None or recipe.camera is None:
        return None
    farther = replace(recipe.camera, least_side=least_side)
    seen = camera_copy(dataset.images, recipe.jitter, farther, recipe.seed, recipe.camera.copies)
    return extract_features(seen, recipe.profile, recipe.features, title="from afar")


def beside(samples: Samples, examples: Examples, chosen: NDArray[np.intp], recipe: Recipe) -> Beside:
    """What a training on the chosen pictures (indices) sees beside them: copies from afar, and the non-numerals.

    Non-numerals that are a numeral by chance are left out.

    Raises:
        ValueError: the recipe asks for no distances.
    """
    rows, targets = samples.for_training(chosen)
    own = len(rows)
    if examples.afar is not None:
        seen = chosen[examples.afar[chosen].any(axis=1)]
        rows = np.concatenate([rows, examples.afar[seen]])
        targets = np.concatenate([targets, samples.targets[seen]])
    struck_out = examples.struck[np.concatenate([chosen, samples.drawn])]
    strange = np.concatenate([*examples.drawn.values(), struck_out[struck_out.any(axis=1)]])
    subspace = first_subspace(rows, recipe)._replace(constant=0.0)
    strange = strange[~are_numerals(subspace(rows), targets, subspace(strange), _settings(recipe).factors)]
    none = np.full(len(strange), samples.class_count, np.intp)
    return Beside(np.concatenate([rows[own:], strange]), np.concatenate([targets[own:], none]))


def fit_regions(
    classifier: Classifier, samples: Samples, known: Beside, chosen: NDArray[np.intp], recipe: Recipe
) -> list[Region]:
    """The regions of a classifier's classes, from the chosen pictures (indices), their copies and what is beside them.

    Raises:
        ValueError: the recipe asks for no distances.
    """
    settings = _settings(recipe)
    rows, targets = samples.for_training(chosen)
    rows, targets = np.concatenate([rows, known.rows]), np.concatenate([targets, known.targets])
    inside, are_numerals = classifier.subspace(rows), targets < samples.class_count
    strange = inside[~are_numerals]
    return learn_regions(
        without_constant(classifier, inside[are_numerals]),
        targets[are_numerals],
        without_constant(classifier, strange),
        classifier.judge(strange).scores.argmin(axis=1),
        settings,
        recipe.seed,
    )


def _settings(recipe: Recipe) -> NoveltySettings:
    if recipe.novelty is None:
        raise ValueError("the recipe asks for no distances")
    return recipe.novelty


def without_constant(classifier: Classifier, inside: Array) -> Array:
    """Samples inside the subspace, (N, dimensions), without the constant if there is one."""
    return inside[:, : classifier.subspace.projection.shape[1]]
