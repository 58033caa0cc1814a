"""The studies: how the accuracy changes with one setting. All are on the first split of the protocol.

Every accuracy has a bootstrap interval. In studies of several methods, the difference from the first method also has
one.
"""

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from train_host.baselines.methods import OWN
from train_host.compare import Record
from train_host.compare.bench import Bench
from train_host.compare.cells import Cell
from train_host.compare.decide import Pupil
from train_host.compare.distortions import DISTORTIONS
from train_host.compare.explain import glyphs as glyphs  # a study like those below
from train_host.compare.significance import Correct, bootstrap_interval, difference_interval
from train_host.compare.unseen import unseen_pictures
from train_host.method.decisions import NOTHING_SEEN
from train_host.recipe import Recipe

ATOMS = (2, 4, 8, 12, 20, 30, 60)
PENALTIES = ("lambda1", "lambda2", "lambda3", "gamma")
DECADES = tuple(10.0**power for power in range(-3, 4))
EACH = (10, 20, 50, 100)
"""Training pictures of a class in the study `samples`."""
FALSE_REJECTS = 0.01
"""Share of the correct decisions that the threshold of the study `unseen` rejects."""


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
    few = {count: _few_of_each(bench.dataset.targets, chosen, count, recipe.seed) for count in EACH}
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
