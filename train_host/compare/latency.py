"""Microseconds per decision. All methods are timed in one run on one thread, in turns.

The functions take turns in short bursts (A B C A B C ...). If another program runs for a while, it slows all of them in
that round, not only the one that is being measured. Each burst begins with calls that are not counted, because the
previous function has emptied the caches.
"""

import gc
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from edge_lpdpl.files.grey import POLARITIES
from edge_lpdpl.measure.timing import no_collection, time_each
from edge_lpdpl.numeral.engine import CompiledEngine
from train_host.baselines.methods import OWN, find_method, method_recipe
from train_host.baselines.scikit_learn import LinearSVM
from train_host.baselines.training import Fitted, train_method
from train_host.compare.bench import Bench
from train_host.compare.decide import Pupil
from train_host.progress import bar
from train_host.recipe import Recipe
from train_host.rejection.calibration import calibrate, hold_out_all
from train_host.shipping.export import export
from train_host.training import Classifier

WARM_CALLS = 5  # calls before every burst that do not count, for caches, branch predictors and clock rate
FEWEST, MOST = 3, 200  # timed calls in a burst
ROUNDS = 60

Call = Callable[[], object]
"""Handles the next image."""


class Figures(NamedTuple):
    """Microseconds per image, and the count of timed calls."""

    p50: float
    least: float
    p99: float
    calls: int


def race(calls: Mapping[str, Call], *, rounds: int, burst_ms: float = 2.0) -> dict[str, Figures]:
    """Figures of each function, by its name.

    Args:
        rounds: bursts of each function.
        burst_ms: approximate length of a burst in milliseconds.
    """
    lengths = {name: _burst_length(call, burst_ms) for name, call in calls.items()}
    times: dict[str, list[int]] = {name: [] for name in calls}
    with no_collection():  # the time of a collection belongs to no image
        for _ in bar("rounds", range(rounds)):
            for name, call in calls.items():
                times[name] += _burst(call, lengths[name])
            gc.collect()
    return {name: figures_of(np.array(taken)) for name, taken in times.items()}


def figures_of(nanoseconds: np.ndarray) -> Figures:
    """Figures of times (calls,) in nanoseconds.

    >>> figures_of(np.array([1000, 2000, 9000]))
    Figures(p50=2.0, least=1.0, p99=8.86, calls=3)
    """
    p50, p99 = np.percentile(nanoseconds, (50, 99)) / 1000
    return Figures(round(float(p50), 3), float(nanoseconds.min()) / 1000, round(float(p99), 3), len(nanoseconds))


def _burst(call: Call, length: int) -> list[int]:
    """Nanoseconds of `length` calls, after those that do not count."""
    return time_each([call] * (WARM_CALLS + length))[WARM_CALLS:]


def _burst_length(call: Call, burst_ms: float) -> int:
    """Count of timed calls in a burst. The trial calls also trigger lazy compilation and allocation."""
    return int(np.clip(burst_ms * 1e6 / max(np.median(_burst(call, 10)), 1), FEWEST, MOST))


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
    model, _ = export(classifier, samples, bench.dataset, len(chosen), of, calibrate(held_out), held_out, name="timed")
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
