"""The work of one cell: train a method on some pictures, decide on others, and measure time and memory."""

import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import TrainingError
from edge_lpdpl.measure.machine import peak_memory, version
from train_host.baselines.methods import find_method, method_recipe
from train_host.baselines.training import Fitted, train_method
from train_host.compare.cells import Cell, Result, source_digest
from train_host.method.decisions import NOTHING_SEEN, decide
from train_host.recipe import Recipe
from train_host.samples.features import Features
from train_host.samples.prepare import Samples
from train_host.training import Classifier

RESET_PEAK = "5"
"""Written to /proc/self/clear_refs, it makes Linux reset the peak memory of the process."""
PACKAGES = {"hog": ("numpy", "numba", "scipy", "scikit-learn"), "pixels": ("numpy", "torch")}
"""Packages that a method computes with, by its input. Other versions may decide otherwise."""


class Pupil(NamedTuple):
    """A method and its settings: what one cell trains."""

    method: str
    recipe: Recipe
    settings: dict[str, Any] = {}  # noqa: RUF012  # never written to
    """Settings of a baseline that differ from its defaults."""


def training_cell(
    pupil: Pupil, samples: Samples, samples_digest: str, chosen: NDArray[np.intp], tests: dict[str, Features]
) -> Cell:
    """A cell that trains on the chosen pictures and decides on the tests.

    Args:
        chosen: (count,) indices of the pictures to train on.
        samples_digest: `joblib.hash` of the samples.
        tests: name to features (N, n).
    """
    method = find_method(pupil.method)
    modules = ["train_host.baselines.training", "train_host.method.decisions"]
    if method.module:
        modules.append(f"train_host.baselines.{method.module}")
    key = {
        "method": pupil.method,
        "settings": method.settings | pupil.settings,
        "recipe": replace(method_recipe(pupil.method, pupil.recipe), novelty=None).to_json(),  # has no effect here
        "samples": samples_digest,
        "chosen": joblib.hash(chosen),
        "tests": {name: joblib.hash(features) for name, features in tests.items()},
        "source": source_digest(*modules),
        "versions": _versions(pupil.method),
    }
    return Cell(key, partial(train_and_decide, pupil, samples, chosen, tests, key["versions"]))


def _versions(method: str) -> dict[str, str | None]:
    """Versions of the method's packages on this machine."""
    return {package: version(package) for package in PACKAGES[find_method(method).sees]}


def train_and_decide(
    pupil: Pupil,
    samples: Samples,
    chosen: NDArray[np.intp],
    tests: dict[str, Features],
    versions: dict[str, str | None] | None = None,
) -> Result:
    """Train and decide. The result has decisions and margins on every test, and what training and deciding cost.

    Costs are seconds, `peak_bytes` (the most memory that training added, in bytes; None where it is unknown) and
    `numbers` (count of stored numbers that a decision needs).

    Args:
        chosen: (count,) indices of the pictures to train on.
        tests: name to features (N, n).
        versions: required versions of packages; None accepts any.

    Raises:
        TrainingError: this machine, which may be a worker of a cluster, has other versions.
    """
    own = _versions(pupil.method)
    if versions not in (None, own):
        raise TrainingError(
            f"a worker has {_listed(own)} and not {_listed(versions)}, which the comparison was started with"
        )
    before = _reset_peak_memory()
    start = time.perf_counter()
    decider = train_method(pupil.method, samples, chosen, pupil.recipe, **pupil.settings)
    trained = time.perf_counter()
    most = peak_memory()
    decided = {name: _decide(decider, features) for name, features in tests.items()}
    return {
        "train_seconds": trained - start,
        "decide_seconds": time.perf_counter() - trained,
        "peak_bytes": None if most is None or before is None else max(0, most - before),
        "numbers": decider.stored_numbers,
        "objective": decider.objective_history,
        "note": decider.note,
        "tests": decided,
    }


def _listed(versions: dict[str, str | None]) -> str:
    return ", ".join(f"{package} {number}" for package, number in versions.items())


def _decide(decider: Classifier | Fitted, features: Features) -> dict[str, list[Any]]:
    """Decision of every picture, and its margin: the second smallest score minus the smallest."""
    seen = features.any(axis=1)
    decisions = np.full(len(features), NOTHING_SEEN)
    margins = np.zeros(len(features))
    if seen.any():
        decided = decide(decider.scores(features[seen]))
        decisions[seen], margins[seen] = decided.best, decided.margins
    return {"decisions": decisions.tolist(), "margins": np.round(margins, 9).tolist()}


def _reset_peak_memory() -> int | None:
    """Reset the peak memory of this process. Returns its memory in bytes, or None where Linux does not allow it."""
    try:
        Path("/proc/self/clear_refs").write_text(RESET_PEAK)
    except OSError:
        return None
    return peak_memory()
