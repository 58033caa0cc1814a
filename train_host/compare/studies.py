"""The studies: how the accuracy changes with one setting. All are on the first split of the protocol.

Every accuracy has a bootstrap interval. In studies of several methods, the difference from the first method also has
one. `unseen` shows pictures of unknown characters and of non-numerals, which a model should reject. `glyphs` is what
LpDPL learned, as features that can be drawn: its atoms, and the reconstructions of a picture by two classes.
"""

from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from train_host.baselines.methods import OWN
from train_host.baselines.training import train_method
from train_host.compare import Record
from train_host.compare.bench import Bench
from train_host.compare.cells import Cell
from train_host.compare.decide import Pupil
from train_host.compare.distortions import DISTORTIONS
from train_host.compare.significance import Correct, bootstrap_interval, difference_interval
from train_host.datasets import Dataset, open_dataset
from train_host.method.decisions import NOTHING_SEEN, decide
from train_host.method.statistics import Array
from train_host.method.subspace import Subspace
from train_host.recipe import PENALTIES, Recipe
from train_host.synthetic.drawing import draw_line, fit_in_frame
from train_host.synthetic.trace import Trace
from train_host.training import Classifier

ATOMS = (2, 4, 8, 12, 20, 30, 60)
DECADES = tuple(10.0**power for power in range(-3, 4))
EACH = (10, 20, 50, 100)
"""Training pictures of a class in the study `samples`."""
FALSE_REJECTS = 0.01
"""Share of the correct decisions that the threshold of the study `unseen` rejects."""
SCRIBBLE_SIDE = 64
"""Side of a scribble in pixels."""
ATOMS_SHOWN = 5
"""Atoms of each class in the record."""


def atoms(bench: Bench, methods: list[str], recipe: Recipe) -> Record:
    """Accuracy against the number of atoms of a class, for LpDPL and DPL."""
    points = [
        {"method": "lpdpl-plain", "x": count, "pupil": Pupil("lpdpl-plain", replace(recipe, atoms=count))}
        for count in ATOMS
    ] + [{"method": "dpl", "x": count, "pupil": Pupil("dpl", recipe, {"atoms": count})} for count in ATOMS]
    return _swept(bench, recipe, points, "atoms")


def sensitivity(bench: Bench, methods: list[str], recipe: Recipe) -> Record:
    """Accuracy of LpDPL, without refinement, against each penalty. The other penalties are those of the recipe."""
    points = [
        {"penalty": name, "x": value, "pupil": _with_penalties(recipe, {name: value})}
        for name in PENALTIES
        for value in DECADES
    ]
    return _swept(bench, recipe, points, "sensitivity")


def pairs(bench: Bench, methods: list[str], recipe: Recipe) -> Record:
    """Accuracy of LpDPL, without refinement, against every pair of penalties."""
    points = [
        {"pair": [first, second], "x": x, "y": y, "pupil": _with_penalties(recipe, {first: x, second: y})}
        for first, second in combinations(PENALTIES, 2)
        for x, y in product(DECADES, DECADES)
    ]
    return _swept(bench, recipe, points, "pairs")


def samples(bench: Bench, methods: list[str], recipe: Recipe) -> Record:
    """Accuracy against the number of training pictures of a class."""
    chosen, test = bench.splits(recipe.seed)[0]
    targets = bench.dataset.targets
    most = np.bincount(targets[chosen], minlength=len(bench.dataset.labels)).min()
    counts = [count for count in EACH if count <= most] or EACH[:1]
    few = {count: _few_of_each(targets, chosen, count, recipe.seed) for count in counts}
    points: list[dict[str, Any]] = [{"method": method, "x": count} for method in methods for count in few]
    cells = [bench.cell(Pupil(point["method"], recipe), (few[point["x"]], test)) for point in points]
    return _scored(bench, points, cells, test, "samples")


def robustness(bench: Bench, methods: list[str], recipe: Recipe) -> Record:
    """Accuracy against the strength of each distortion of the test pictures. Training pictures are not distorted."""
    split = bench.splits(recipe.seed)[0]
    pictures = bench.dataset.images[split[1]]
    tests = {
        f"{name}: {step}": distort(pictures, step)
        for name, (distort, steps, _) in DISTORTIONS.items()
        for step in steps
    }
    found = bench.run([bench.cell(Pupil(method, recipe), split, tests) for method in methods], "robustness")
    points = [
        {"method": method, "distortion": name.partition(": ")[0], "x": float(name.partition(": ")[2])}
        for method in methods
        for name in tests
    ]
    decided = [result["tests"][name]["decisions"] for result in found for name in tests]
    return {"kind": "robustness", "points": _with_accuracy(bench, points, decided, split[1])}


def unseen(bench: Bench, methods: list[str], recipe: Recipe) -> Record:
    """Share of unknown pictures that are accepted, with a threshold that rejects 1 % of the correct test decisions."""
    split = bench.splits(recipe.seed)[0]
    known = {label.character for label in bench.dataset.labels}
    tests = {"known": bench.dataset.images[split[1]]} | unseen_pictures(known, recipe.seed)
    found = bench.run([bench.cell(Pupil(method, recipe), split, tests) for method in methods], "unseen")
    truth = bench.dataset.targets[split[1]]
    points = []
    for method, result in zip(methods, found, strict=True):
        threshold = _threshold(result["tests"]["known"], truth)
        for name, test in result["tests"].items():
            seen = np.array(test["decisions"]) != NOTHING_SEEN
            accepted = (np.array(test["margins"]) >= threshold) & seen
            points.append({"method": method, "set": name, "accepted": float(accepted.mean()), "n": len(seen)})
    return {"kind": "unseen", "points": points, "false_rejects": FALSE_REJECTS}


def curve_methods(methods: list[str]) -> list[str]:
    """The methods among these for which curves are drawn: ours, DPL, the RBF SVM and the small network."""
    wanted = (OWN, "lpdpl-plain", "dpl", "rbf-svm", "depthwise-cnn")
    return [method for method in wanted if method in methods] or methods[:1]


def _with_penalties(recipe: Recipe, values: dict[str, float]) -> Pupil:
    return Pupil("lpdpl-plain", replace(recipe, penalties=replace(recipe.penalties, **values)))


def _swept(bench: Bench, recipe: Recipe, points: list[dict[str, Any]], kind: str) -> Record:
    split = bench.splits(recipe.seed)[0]
    cells = [bench.cell(point.pop("pupil"), split) for point in points]
    return _scored(bench, points, cells, split[1], kind)


def _scored(bench: Bench, points: list[dict[str, Any]], cells: list[Cell], test: NDArray[np.intp], kind: str) -> Record:
    decided = [result["tests"]["test"]["decisions"] for result in bench.run(cells, kind)]
    return {"kind": kind, "points": _with_accuracy(bench, points, decided, test)}


def _with_accuracy(
    bench: Bench, points: list[dict[str, Any]], decided: list[list[int]], test: NDArray[np.intp]
) -> list[dict[str, Any]]:
    """The points with accuracy, its interval, and the difference from the first method at the same place.

    Args:
        decided: for every point, the decisions on the test pictures.
        test: (N,) indices of the test pictures.
    """
    truth, writers = bench.dataset.targets[test], bench.dataset.writers
    groups = None if writers is None else writers[test]
    firsts: dict[Any, Correct] = {}
    scored = []
    for point, decisions in zip(points, decided, strict=True):
        correct = np.array(decisions) == truth
        found = {"accuracy": float(correct.mean()), "interval": bootstrap_interval(correct, groups), "n": len(truth)}
        if "method" in point:
            place = point["x"], point.get("distortion")
            first = firsts.setdefault(place, correct)
            if first is not correct:
                found["behind"] = float(first.mean() - correct.mean())
                found["behind_interval"] = difference_interval(first, correct, groups)
        scored.append(point | found)
    return scored


def _few_of_each(targets: NDArray[np.intp], chosen: NDArray[np.intp], count: int, seed: int) -> NDArray[np.intp]:
    """`count` of the chosen pictures of every class, drawn with the seed. Larger counts include the smaller ones."""
    shuffled = np.random.default_rng(seed).permutation(chosen)
    parts = [shuffled[targets[shuffled] == label][:count] for label in range(int(targets.max()) + 1)]
    return np.sort(np.concatenate(parts))


def _threshold(known: dict[str, list[Any]], truth: NDArray[np.intp]) -> float:
    """The margin below which 1 % of the correct decisions on test pictures lie."""
    margins = np.array(known["margins"])[np.array(known["decisions"]) == truth]
    return float(np.quantile(margins, FALSE_REJECTS)) if len(margins) else 0.0


def scribbles(count: int, seed: int = 0) -> NDArray[np.uint8]:
    """Random smooth lines, light on black, uint8 (count, 64, 64).

    >>> scribbles(2).shape
    (2, 64, 64)
    """
    random, side = np.random.default_rng(seed), SCRIBBLE_SIDE
    pictures = np.empty((count, side, side), np.uint8)
    for picture in pictures:
        steps = random.standard_normal((random.integers(60, 160), 2))
        for _ in range(8):  # smooths the line: a hand turns slowly
            steps[1:-1] = (steps[:-2] + 2 * steps[1:-1] + steps[2:]) / 4
        points = np.cumsum(steps, axis=0)
        points = (points - points.min(axis=0)) / max(float(np.ptp(points, axis=0).max()), 1e-9)
        trace = Trace(points, np.ones(len(points)), np.ones(len(points) - 1, np.bool_))
        fitted = fit_in_frame(trace, 0.7 * side, (side / 2, side / 2), side, margin=2.0)
        cover = draw_line(fitted, side, random.uniform(1.0, 2.5))
        picture[:] = np.rint(255 * np.clip(cover, 0, 1)).astype(np.uint8)
    return pictures


def unseen_pictures(known: set[str], seed: int = 0) -> dict[str, NDArray[np.uint8]]:
    """Name to pictures (N, height, width), uint8: drawn numerals of unknown scripts, and scribbles.

    Args:
        known: characters that the model knows. A script with any of them is left out.
        seed: of the drawings.
    """
    sets = {}
    for script in ("latin", "arabic-indic", "chinese"):
        drawn = _drawn_numerals(script, seed)
        strange = [index for index, label in enumerate(drawn.labels) if label.character not in known]
        if len(strange) == len(drawn.labels):
            sets[f"{script} numerals, drawn"] = drawn.images
    return sets | {"scribbles, drawn": scribbles(600, seed)}


@cache
def _drawn_numerals(script: str, seed: int) -> Dataset:
    """Drawn once in a process, which takes seconds: all data sets that a command studies are shown the same."""
    return open_dataset(f"synthetic:writers=20,samples=3,script={script},seed={seed}")


def glyphs(bench: Bench, methods: list[str], recipe: Recipe) -> Record:
    """Record of the atoms of LpDPL that each class uses most, and of the correct decision with the smallest margin."""
    chosen, test = bench.splits(recipe.seed)[0]
    pupil = Pupil("lpdpl-plain", recipe)
    samples, _ = bench.samples(pupil)
    classifier = train_method(pupil.method, samples, chosen, recipe)
    assert isinstance(classifier, Classifier)
    subspace = classifier.subspace
    seen = test[samples.features[test].any(axis=1)]
    scores = classifier.scores(samples.features[seen])
    best, second, margins = decide(scores)
    right = np.flatnonzero(best == samples.targets[seen])
    least = right[margins[right].argmin()]
    inside = subspace(samples.features[seen[least : least + 1]])
    labels = bench.dataset.labels
    rebuilt = [
        [f"as {labels[label].value}: {scores[least, label]:.3f}", _rebuilt(classifier, inside, label)]
        for label in (int(best[least]), int(second[least]))
    ]
    hog, side = recipe.profile.hog, recipe.profile.preprocessing.side
    return {
        "kind": "glyphs",
        "points": [],
        "layout": {"cells": side // hog.cell, "bins": hog.bins, "signed": bool(hog.signed)},
        "atoms": [
            _strongest(classifier, subspace, samples.features[chosen[samples.targets[chosen] == label]], label)
            for label in range(samples.class_count)
        ],
        "example": {
            "truth": int(best[least]),
            "views": [["picture", _whole(subspace, inside)[0].tolist()], *rebuilt],
        },
    }


def _strongest(classifier: Classifier, subspace: Subspace, features: np.ndarray, label: int) -> list[list[float]]:
    """Atoms (shown, n) of a class, most used by its samples (N, n) first, with the sign of their mean code."""
    synthesis, analysis, _ = classifier.pairs[label]
    codes = subspace(features) @ analysis.T
    use = np.abs(codes).mean(axis=0) * np.linalg.norm(synthesis, axis=0)
    shown = np.argsort(-use, kind="stable")[:ATOMS_SHOWN]
    signed = synthesis[:, shown] * np.sign(codes.mean(axis=0)[shown])
    return np.round(_directions(subspace, signed.T), 4).tolist()


def _rebuilt(classifier: Classifier, inside: Array, label: int) -> list[float]:
    synthesis, analysis, _ = classifier.pairs[label]
    return _whole(classifier.subspace, (inside @ analysis.T) @ synthesis.T)[0].tolist()


def _directions(subspace: Subspace, inside: Array) -> Array:
    """Directions inside the subspace (N, d) as directions of features (N, n)."""
    return inside[:, : subspace.projection.shape[1]] @ subspace.projection.T


def _whole(subspace: Subspace, inside: Array) -> Array:
    """Points of the subspace (N, d) as features (N, n); the projection's columns are orthogonal and of one length."""
    length = float(np.sum(subspace.projection[:, 0] ** 2))
    return (inside[:, : subspace.projection.shape[1]] - subspace.offset) @ subspace.projection.T / length
