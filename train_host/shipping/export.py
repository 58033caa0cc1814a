"""Turn a trained classifier into a model, and check that the device decides as eq. 12 does."""

import contextlib
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ModelError, TrainingError
from edge_lpdpl.files.grey import INK_AUTO
from edge_lpdpl.jit.memory import round_to_float16
from edge_lpdpl.model.labels import Label
from edge_lpdpl.model.model import Dictionaries, Model, Novelty
from edge_lpdpl.numeral.engine import CompiledEngine
from edge_lpdpl.numeral.weights import DISTANCE
from train_host.datasets import Dataset
from train_host.method.folding import FoldedForm, agreement, fold
from train_host.method.lpdpl import straight_scores
from train_host.recipe import Recipe
from train_host.rejection.calibration import Calibration, HeldOut
from train_host.rejection.regions import Region
from train_host.rejection.rule import Rule
from train_host.samples.features import Features
from train_host.samples.prepare import Samples
from train_host.synthetic.pictures import draw_numeral
from train_host.synthetic.strokes import characters
from train_host.training import Classifier

LEAST_DEVICE_AGREEMENT = 0.9995
MOST_SELF_TESTS, SELF_TEST_SIDE = 32, 32
SELF_TEST_WRITER = 3
"""Seed of the writer that draws the pictures of the self-test: the shipped models read all of them."""


def export(
    classifier: Classifier,
    samples: Samples,
    dataset: Dataset,
    pictures: int,
    recipe: Recipe,
    calibration: Calibration,
    held_out: HeldOut,
    *,
    name: str,
    regions: list[Region] | None = None,
    with_dictionaries: bool = False,
) -> tuple[Model, dict[str, float]]:
    """The model, checked on all pictures of the data set, and its agreements with eq. 12.

    The weights are rounded to half precision if the device then still decides as eq. 12 does (`check_decisions`).

    Args:
        pictures: how many it was trained on.
        name: name inside the model.
        regions: the region of each class; None for a model that does not detect non-numerals.
        with_dictionaries: also keep the dictionaries in the model.

    Returns:
        the model, and the share of equal decisions in `float64` and on the `device` (`check_decisions`).

    Raises:
        TrainingError: the folded form does not decide as eq. 12 does, so it must not be exported.
    """
    folded = fold(classifier.pairs)
    subspace, reduced = classifier.subspace, recipe.dimensions is not None
    rule = calibration.rule or Rule(1.0, 1.0, 1.0)
    dictionaries = [np.stack(arrays).astype(np.float32) for arrays in zip(*classifier.pairs, strict=True)]
    model = Model(
        name=name,
        profile=recipe.profile.name,
        labels=dataset.labels,
        preprocessing=recipe.profile.preprocessing,
        hog=recipe.profile.hog,
        projection=subspace.projection.astype(np.float32) if reduced else None,
        projection_offset=subspace.offset.astype(np.float32) if reduced else None,
        dimensions=subspace.projection.shape[1],
        rank=folded.vectors.shape[1],
        atoms=classifier.pairs[0].synthesis.shape[1],
        constant=subspace.constant,
        vectors=folded.vectors.astype(np.float32),
        squares=folded.squares.astype(np.float32),
        linears=folded.linears.astype(np.float32),
        confidence_margins=calibration.margins,
        confidence_values=calibration.values,
        threshold=calibration.threshold,
        false_rejects=calibration.false_rejects,
        calibration=calibration.report,
        training={
            "data": dataset.name,
            "digest": dataset.digest,
            "images": pictures,
            "seed": recipe.seed,
            "settings": recipe.to_json(),
        },
        accuracy={
            "value": held_out.accuracy,
            "std": float(np.std(held_out.fold_accuracies)),
            "protocol": held_out.protocol,
        },
        selftest_pictures=np.zeros((1, SELF_TEST_SIDE, SELF_TEST_SIDE), np.uint8),
        selftest_distances=np.zeros(1, np.float32),
        selftest_scores=np.zeros((1, len(classifier.pairs)), np.float32),
        dictionaries=Dictionaries(*dictionaries) if with_dictionaries else None,
        novelty=None if regions is None else _novelty(regions, rule.reach),
        unsure_share=rule.unsure_share,
        usual_lead=rule.usual_lead,
        least_lead=rule.least_lead,
    )
    seen = samples.features[samples.features.any(axis=1)]
    with contextlib.suppress(TrainingError, ModelError):  # decisions change, or a number is too large
        return _checked(_in_float16(model), classifier, folded, seen)
    return _checked(model, classifier, folded, seen)


def _checked(
    model: Model, classifier: Classifier, folded: FoldedForm, seen: Features
) -> tuple[Model, dict[str, float]]:
    """The model with its self-test, and its agreements with eq. 12."""
    agreements = check_decisions(model, classifier, folded, seen)
    return with_self_test(model), agreements


def check_decisions(model: Model, classifier: Classifier, folded: FoldedForm, features: Features) -> dict[str, float]:
    """Share of the features (N, n) on which the folded form decides as eq. 12 does.

    Returns:
        `float64`: the share in float64; `device`: the share with the device's kernels in float32.

    Raises:
        TrainingError: the share is less than 100 % in float64, or less than 99.95 % on the device.
    """
    straight = straight_scores(classifier.pairs, classifier.subspace(features))
    in_float64 = agreement(folded.scores(classifier.subspace(features)), straight)
    on_device = agreement(device_scores(model, features), straight)
    if in_float64 < 1 or on_device < LEAST_DEVICE_AGREEMENT:
        raise TrainingError(
            f"folded form decides as eq. 12 does on {in_float64:.4%} of the pictures in float64 and {on_device:.4%} in "
            "float32: not exported; try fewer atoms or a larger gamma"
        )
    return {"float64": in_float64, "device": on_device}


def device_scores(model: Model, features: Features) -> NDArray[np.float32]:
    """Scores (N, forms) float32 of features (N, n), with the device's kernels: the classes, then the non-numerals."""
    engine = CompiledEngine(model)
    scores = np.empty((len(features), len(model.linears[0])), np.float32)
    for row, feature in enumerate(features):
        engine.classify(feature)
        scores[row] = engine.responses.all_scores
    return scores


def model_name(text: str) -> str:
    """A model name from a file name.

    >>> model_name("My Hand_2")
    'my-hand-2'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:64] or "model"


def _in_float16(model: Model) -> Model:
    """The model with projection and vectors, most of its weights, in half precision: kernels read half the bytes."""
    projection = None if model.projection is None else round_to_float16(model.projection)
    return replace(model, projection=projection, vectors=round_to_float16(model.vectors))


def _novelty(regions: list[Region], reach: float) -> Novelty:
    """The distances as the device computes them, in units of the largest that is accepted."""
    arrays = zip(*(region.in_units_of(reach) for region in regions), strict=True)
    return Novelty(*(np.stack(array).astype(np.float32) for array in arrays))


def with_self_test(model: Model) -> Model:
    """The model with pictures for its self-test, and the exact numbers that the kernels get for them here.

    The pictures are drawn, not taken from the data, because a model file may be given to anybody.

    Raises:
        TrainingError: the model finds no ink in any of the pictures.
    """
    engine = CompiledEngine(model)
    pictures, scores, distances = [], [], []
    for picture in self_test_pictures(model.labels):
        if engine.recognise(picture, INK_AUTO):
            pictures.append(picture)
            scores.append(engine.responses.all_scores)
            distances.append(engine.responses.decision[DISTANCE])
    if not pictures:
        raise TrainingError("the model finds no ink in any picture of its self-test: not exported; change the settings")
    return replace(
        model,
        selftest_pictures=np.stack(pictures),
        selftest_scores=np.stack(scores),
        selftest_distances=np.array(distances, np.float32),
    )


def self_test_pictures(labels: Sequence[Label]) -> NDArray[np.uint8]:
    """One small picture of each class, at most 32: by turns light ink on black and dark ink on shaded paper.

    A class that cannot be drawn is represented by the last digit of its value.

    >>> self_test_pictures([Label("五", 5), Label("105", 105)]).shape
    (2, 32, 32)
    """
    known = characters()
    shown = [label.character if label.character in known else str(label.value % 10) for label in labels]
    return np.stack(
        [
            draw_numeral(character, seed=SELF_TEST_WRITER, size=SELF_TEST_SIDE, dark_on_light=number % 2 == 1)
            for number, character in enumerate(shown[:MOST_SELF_TESTS])
        ]
    )
