"""From a data set to a verified model file: what `lpdpl-train fit` does."""

import os
import time
from dataclasses import replace
from typing import Any

import numpy as np

from edge_lpdpl.model.files import write_model
from train_host.datasets import Dataset
from train_host.recipe import Recipe
from train_host.rejection.calibration import calibrate, hold_out
from train_host.rejection.examples import beside, fit_regions, gather_examples
from train_host.samples.prepare import prepare
from train_host.shipping.base import STAND_IN_WRITERS, Base, check_not_worse, compare_with_base, put_beside, weigh
from train_host.shipping.export import export
from train_host.training import train


def fit_model(
    dataset: Dataset,
    path: str | os.PathLike[str],
    recipe: Recipe,
    *,
    name: str,
    base: Base | None = None,
    everything: bool = False,
    with_dictionaries: bool = False,
) -> dict[str, Any]:
    """Train, calibrate on held-out folds, fold, check and write a model file; return a report of it.

    If the set has its own split, its test part is not used at all, unless `everything` is true. Folds are trained one
    after the other, or several at a time inside of `joblib.parallel_config(n_jobs=...)`.

    Args:
        path: model file to write.
        name: name inside the model.
        base: what the pictures are added to; nothing is written that is worse than it on held-out pictures.
        everything: also train on the set's own test part.
        with_dictionaries: also keep the dictionaries in the file.

    Raises:
        DatasetError: the set has one class only.
        TrainingError: a class has no picture with visible ink, too few held-out pictures are read correctly, the
            folded form does not decide as eq. 12 does, or the model would be worse than the base.
        ModelError: the file cannot be written.
    """
    start, own = time.perf_counter(), len(dataset)
    if base is not None:
        dataset = put_beside(dataset, base)
        if base.data is None and not recipe.drawn:
            recipe = replace(recipe, drawn=STAND_IN_WRITERS)
    indices = np.arange(len(dataset))
    chosen = indices if everything or dataset.is_test is None else indices[~dataset.is_test]
    samples = prepare(dataset, recipe)
    if base is not None:
        samples = weigh(samples, own, len(chosen) - own + len(samples.drawn))
    examples = gather_examples(dataset, recipe)
    held_out = hold_out(dataset, samples, chosen, recipe, examples)
    compared = [] if base is None else compare_with_base(base, dataset, own, samples, chosen, recipe, held_out)
    check_not_worse(compared)
    calibration = calibrate(held_out)
    known = None if examples is None else beside(samples, examples, chosen, recipe)
    classifier = train(samples, chosen, recipe, known)
    regions = None if known is None else fit_regions(classifier, samples, known, chosen, recipe)
    model, agreements = export(
        classifier,
        samples,
        dataset,
        len(chosen),
        recipe,
        calibration,
        held_out,
        name=name,
        regions=regions,
        with_dictionaries=with_dictionaries,
    )
    write_model(path, model)
    return {
        "model": os.fspath(path),
        "name": model.name,
        "profile": model.profile,
        "data": dataset.name,
        "labels": [label.character for label in dataset.labels],
        "images": len(chosen),
        "unread": dict(dataset.unread),
        "twins": dataset.twins,
        "blank": int((~samples.features[chosen].any(axis=1)).sum()),
        "held_out_accuracy": held_out.accuracy,
        "held_out_protocol": held_out.protocol,
        "base": [one._asdict() for one in compared],
        "expected_calibration_error": calibration.report["expected_calibration_error"],
        "threshold": calibration.threshold,
        "unsure_share": model.unsure_share,
        "false_rejects": calibration.false_rejects,
        "strangers_accepted": calibration.report.get("strangers_accepted"),
        "characters_accepted": calibration.report.get("characters_accepted"),
        "struck_accepted": calibration.report.get("struck_accepted"),
        "agreement_float64": agreements["float64"],
        "agreement_device": agreements["device"],
        "objective": classifier.objective_history,
        "file_bytes": os.path.getsize(path),
        "weight_bytes": model.weight_bytes,
        "digest": model.digest,
        "seed": recipe.seed,
        "seconds": time.perf_counter() - start,
    }
