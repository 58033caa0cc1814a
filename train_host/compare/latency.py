"""Microseconds per decision. All methods are timed in one run on one thread, in turns."""

from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from edge_lpdpl.files.grey import POLARITIES
from edge_lpdpl.numeral.engine import CompiledEngine
from train_host.baselines.methods import OWN, find_method, method_recipe
from train_host.baselines.scikit_learn import LinearSVM
from train_host.baselines.training import Fitted, train_method
from train_host.compare.bench import Bench
from train_host.compare.decide import Pupil
from train_host.compare.stopwatch import Call, race
from train_host.progress import bar
from train_host.recipe import Recipe
from train_host.rejection.calibration import calibrate, hold_out_all
from train_host.shipping.export import export
from train_host.training import Classifier

ROUNDS = 60


class Timed(NamedTuple):
    """What is timed of a method."""

    call: Call
    form: str
    """What runs, for a reader of the table."""


def time_methods(bench: Bench, methods: list[str], recipe: Recipe) -> dict[str, Any]:
    """Record of the median microseconds of every method, for the decision on given features and for the whole picture.

    LpDPL, DPL and InDPL are timed folded, as the device runs them; the linear SVM as one matrix; the others as their
    libraries run one picture. The features of all methods are computed by the device's kernels.
    """
    split = bench.splits(recipe.seed)[0]
    engine, _ = _on_the_engine(bench, OWN, recipe)
    picture = bench.dataset.images[split[1][0]]
    stages = engine.stages(picture, POLARITIES["auto"])
    for stage in stages.values():
        stage()
    calls: dict[str, Call] = {f"stage {name}": stage for name, stage in stages.items() if name != "classify"}
    forms = {}
    for method in bar("train to time", methods):
        calls[method], forms[method] = decide_one(bench, method, recipe)
    with threadpool_limits(limits=1):
        medians = {name: figures.p50 for name, figures in race(calls, rounds=ROUNDS).items()}
    square = medians["stage binarise"] + medians["stage normalise"]
    features = square + medians["stage hog"]
    return {
        "kind": "latency",
        "rounds": ROUNDS,
        "points": [
            {
                "method": method,
                "form": forms[method],
                "decide_us": medians[method],
                "whole_us": medians[method] + (square if find_method(method).sees == "pixels" else features),
            }
            for method in methods
        ],
        "features_us": features,
        "square_us": square,
    }


def _on_the_engine(bench: Bench, method: str, recipe: Recipe) -> tuple[CompiledEngine, Call]:
    """The device's engine with a model of the first split, and a call that classifies the features of one picture.

    DPL and InDPL fold into the same quadratic form as LpDPL, so they run as it does.
    """
    samples, _ = bench.samples(Pupil(method, recipe))
    chosen, test = bench.splits(recipe.seed)[0]
    classifier = train_method(method, samples, chosen, recipe)
    if isinstance(classifier, Fitted):
        assert classifier.subspace is not None
        classifier = Classifier(classifier.subspace, classifier.baseline.pairs_, [])
    seen = test[samples.features[test].any(axis=1)]
    held_out = hold_out_all(classifier, samples.features[test], samples.targets[test], "one split")
    of = method_recipe(method, recipe)
    model, _ = export(classifier, samples, bench.dataset, chosen, of, calibrate(held_out), held_out, name="timed")
    engine = CompiledEngine(model)
    features = np.ascontiguousarray(samples.features[seen[0]])
    return engine, lambda: engine.classify(features)


def decide_one(bench: Bench, method: str, recipe: Recipe) -> Timed:
    """A call that decides on the features of one picture, in the best form that the method admits in Python."""
    if find_method(method).folds:
        return Timed(_on_the_engine(bench, method, recipe)[1], "folded, on the device's engine")
    samples, _ = bench.samples(Pupil(method, recipe))
    chosen, test = bench.splits(recipe.seed)[0]
    # The time of a network does not depend on how long it was trained.
    settings = {"epochs": 1, "least_steps": 0} if find_method(method).sees == "pixels" else {}
    if settings:
        chosen = chosen[:: max(1, len(chosen) // 600)]
    decider = train_method(method, samples, chosen, recipe, **settings)
    features = samples.features[test[:1]]
    if isinstance(decider, Fitted) and isinstance(decider.baseline, LinearSVM) and decider.subspace is not None:
        matrix, offset = decider.baseline.as_matrix(decider.subspace)
        return Timed(lambda: (features @ matrix + offset).argmax(), "one matrix, NumPy")
    library = "scikit-learn" if find_method(method).source == "scikit-learn" else "NumPy"
    return Timed(lambda: decider.scores(features).argmin(), "PyTorch" if settings else library)
