"""How sure a decision is: confidence from the margin, and the threshold below which it is rejected.

Both come from pictures held out of trainings on the rest, never from pictures that the decision was trained on.
"""

from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from edge_lpdpl.errors import TrainingError
from train_host.class_statistics import Array
from train_host.datasets import Dataset
from train_host.protocols import Split, make_splits
from train_host.recipe import Recipe
from train_host.training import Samples, train

HELD_OUT_FOLDS = 5
KNOTS = 33
BINS = 15
"""Of the expected calibration error."""


class HeldOut(NamedTuple):
    """Decisions on held-out pictures in which something was seen."""

    margins: Array
    """(N,) runner-up score less best score."""
    correct: NDArray[np.bool_]
    """(N,)."""
    fold_accuracies: list[float]
    """Of every fold, pictures in which nothing was seen counted as wrong."""
    accuracy: float
    protocol: str


class Calibration(NamedTuple):
    """Confidence as a function of the margin."""

    margins: NDArray[np.float32]
    """(KNOTS,) increasing from 0."""
    values: NDArray[np.float32]
    """(KNOTS,) nondecreasing."""
    threshold: float
    """Confidence under which a decision is rejected."""
    false_rejects: float
    """Share of the right held-out decisions under it."""
    report: dict[str, Any]
    """What the model file says of it."""

    def confidence(self, margins: Array) -> Array:
        """Confidence (N,) of margins (N,), as the device computes it."""
        return np.interp(margins, self.margins, self.values)


def hold_out(
    dataset: Dataset, samples: Samples, chosen: NDArray[np.intp], recipe: Recipe, jobs: int, progress: bool
) -> HeldOut:
    """Train on four fifths of the chosen pictures and decide on the last one, five times; writers out where known."""
    part = dataset.subset(chosen)
    enough = part.writers is not None and len(np.unique(part.writers)) >= HELD_OUT_FOLDS
    protocol = "between-subject" if enough else "conventional"
    folds = min(HELD_OUT_FOLDS, int(np.bincount(part.targets).min()))
    splits = [
        (chosen[train_part], chosen[test_part])
        for train_part, test_part in make_splits(part, protocol, folds, HELD_OUT_FOLDS, recipe.seed)
    ]
    parts = Parallel(n_jobs=jobs, return_as="generator", max_nbytes="1M")(
        delayed(_decide_held_out)(samples, split, recipe) for split in splits
    )
    bar = tqdm(parts, total=len(splits), desc="held-out folds", disable=None if progress else True)
    decided = list(bar)
    right = np.array([correct.sum() for _, correct in decided])
    sizes = np.array([len(test_part) for _, test_part in splits])
    return HeldOut(
        np.concatenate([margins for margins, _ in decided]),
        np.concatenate([correct for _, correct in decided]),
        (right / sizes).tolist(),
        float(right.sum() / sizes.sum()),
        f"{len(splits)} folds of the training data, {'writers' if enough else 'pictures'} out",
    )


def _decide_held_out(samples: Samples, split: Split, recipe: Recipe) -> tuple[Array, NDArray[np.bool_]]:
    classifier = train(samples, split[0], recipe)
    seen = split[1][samples.features[split[1]].any(axis=1)]
    scores = classifier.scores(samples.features[seen])
    two_best = np.sort(scores, axis=1)[:, :2]
    return two_best[:, 1] - two_best[:, 0], scores.argmin(axis=1) == samples.targets[seen]


def calibrate(held_out: HeldOut, wanted_false_rejects: float = 0.01) -> Calibration:
    """Platt's logistic curve through the held-out margins in a table, and the threshold of wanted false rejects.

    Raises:
        TrainingError: next to nothing was read right.
    """
    margins, correct = held_out.margins, held_out.correct
    if correct.sum() < 2:
        raise TrainingError(
            f"{correct.sum()} of {len(correct)} held-out pictures were read right, too few to know how sure a decision "
            "is: give more pictures of every class"
        )
    table = _fit_curve(margins, correct)
    confidences = np.interp(margins, *table)
    threshold = float(np.quantile(confidences[correct], wanted_false_rejects))
    rejected = confidences < threshold
    report = {
        "method": "logistic curve of the margin",
        "expected_calibration_error": _cross_fitted_error(margins, correct),
        "bins": BINS,
        "held_out": len(margins),
        "protocol": held_out.protocol,
        "errors_rejected": float(np.mean(rejected[~correct])) if (~correct).any() else 1.0,
    }
    return Calibration(*table, threshold, float(np.mean(rejected[correct])), report)


def expected_calibration_error(confidences: Array, correct: NDArray[np.bool_]) -> float:
    """Mean distance between confidence and accuracy over equally filled bins (Naeini et al. 2015).

    >>> expected_calibration_error(np.array([1.0, 1.0, 0.5, 0.5]), np.array([True, True, True, False]))
    0.0
    """
    order = np.argsort(confidences, kind="stable")
    parts = np.array_split(order, min(BINS, len(np.unique(confidences))))
    return float(sum(abs(confidences[part].mean() - correct[part].mean()) * len(part) for part in parts) / len(order))


def _cross_fitted_error(margins: Array, correct: NDArray[np.bool_]) -> float:
    """Calibration error of each half under the curve of the other."""
    even = np.arange(len(margins)) % 2 == 0
    confidences = np.empty(len(margins))
    for half in (even, ~even):
        confidences[half] = np.interp(margins[half], *_fit_curve(margins[~half], correct[~half]))
    return expected_calibration_error(confidences, correct)


def _fit_curve(margins: Array, correct: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Knots of the logistic curve; where nothing went wrong, one made-up error keeps it from being certain."""
    knots = np.linspace(0, np.quantile(margins, 0.99) or 1.0, KNOTS)
    if not correct.any():
        return knots.astype(np.float32), np.zeros(KNOTS, np.float32)
    scale = float(np.median(margins)) or 1.0
    points = np.append(margins, 0.0)[:, None] / scale
    curve = LogisticRegression(C=1e3).fit(points, np.append(correct, False))
    slope = max(0.0, float(curve.coef_[0, 0]))
    values = 1 / (1 + np.exp(-(float(curve.intercept_[0]) + slope * knots / scale)))
    return knots.astype(np.float32), np.maximum.accumulate(values).astype(np.float32)
