"""How sure a decision is: confidence from the margin, and the threshold below which it is rejected.

Where the distances of `novelty` are known, the rule of `rejection` takes the place of the threshold.

All of it comes from pictures held out of trainings on the rest, never from pictures that the decision was trained on.
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
from train_host.features import Features
from train_host.novelty import Region, distances_from
from train_host.novelty_examples import Examples, fit_regions, without_constant
from train_host.protocols import Split, make_splits
from train_host.recipe import Recipe
from train_host.rejection import Decided, Rule, learn_rule, together
from train_host.training import DRAWN_SAMPLES, Classifier, Samples, train

HELD_OUT_FOLDS = 5
KNOTS = 33
BINS = 15
"""Of the expected calibration error."""
FALSE_REJECTS, WITH_DISTANCES = 0.01, 0.006
"""Share of the right readings that is wanted to be rejected: by the margin alone, and where distances are known."""

_NO_CLASS = -1


class HeldOut(NamedTuple):
    """Decisions on held-out pictures, drawn ones too, in which something was seen."""

    margins: Array
    """(N,) runner-up score less best score."""
    correct: NDArray[np.bool_]
    """(N,)."""
    fold_accuracies: list[float]
    """Of every fold's pictures of the data set, those in which nothing was seen counted as wrong."""
    accuracy: float
    protocol: str
    distances: Array | None = None
    """(N,) of each picture from the class that it was read as (`novelty`), where that is learned."""
    views: Decided | None = None
    """Decisions on the pictures and on their copies as a camera gives them, with the distances."""
    strangers: Decided | None = None
    """Decisions on pictures without a numeral that the distances were not learned from."""


class Calibration(NamedTuple):
    """Confidence as a function of the margin."""

    margins: NDArray[np.float32]
    """(KNOTS,) increasing from 0."""
    values: NDArray[np.float32]
    """(KNOTS,) nondecreasing."""
    threshold: float
    """Confidence under which a decision is rejected."""
    false_rejects: float
    """Share of the right held-out decisions that are rejected."""
    report: dict[str, Any]
    """What the model file says of it."""
    rule: Rule | None = None
    """Which distances are rejected; None where there are none."""

    def confidence(self, margins: Array) -> Array:
        """Confidence (N,) of margins (N,), as the device computes it."""
        return np.interp(margins, self.margins, self.values)


def hold_out(
    dataset: Dataset,
    samples: Samples,
    chosen: NDArray[np.intp],
    recipe: Recipe,
    jobs: int,
    progress: bool,
    examples: Examples | None = None,
) -> HeldOut:
    """Train on four fifths of the chosen pictures and decide on the last one, five times; writers out where known.

    With examples, distances are learned and measured in the same way, and a part of the strangers is left out too.
    """
    part = dataset.subset(chosen)
    enough = part.writers is not None and len(np.unique(part.writers)) >= HELD_OUT_FOLDS
    protocol = "between-subject" if enough else "conventional"
    folds = max(2, min(HELD_OUT_FOLDS, int(np.bincount(part.targets).min())))
    splits = [
        (chosen[train_part], chosen[test_part])
        for train_part, test_part in make_splits(part, protocol, folds, HELD_OUT_FOLDS, recipe.seed)
    ]
    parts = Parallel(n_jobs=jobs, return_as="generator", max_nbytes="1M")(
        delayed(_decide_held_out)(samples, split, recipe, examples, place) for place, split in enumerate(splits)
    )
    bar = tqdm(parts, total=len(splits), desc="held-out folds", disable=None if progress else True)
    decided = list(bar)
    right = np.array([fold.right for fold in decided])
    sizes = np.array([len(test_part) for _, test_part in splits])
    pictures = together([fold.pictures for fold in decided])
    return HeldOut(
        pictures.margins,
        pictures.correct,
        (right / sizes).tolist(),
        float(right.sum() / sizes.sum()),
        f"{len(splits)} folds of the training data, {'writers' if enough else 'pictures'} out",
        None if examples is None else pictures.distances,
        None if examples is None else together([fold.views for fold in decided if fold.views]),
        None if examples is None else together([fold.strangers for fold in decided if fold.strangers]),
    )


class _Fold(NamedTuple):
    right: int
    """Pictures of the data set."""
    pictures: Decided
    views: Decided | None
    strangers: Decided | None


def _decide_held_out(samples: Samples, split: Split, recipe: Recipe, examples: Examples | None, place: int) -> _Fold:
    by_writer = samples.drawn.reshape(-1, DRAWN_SAMPLES * samples.class_count)
    drawn = np.array_split(by_writer, HELD_OUT_FOLDS)[place].ravel()
    samples = samples._replace(drawn=np.setdiff1d(samples.drawn, drawn))
    classifier = train(samples, split[0], recipe)
    tested = np.concatenate([split[1], drawn])
    seen = tested[samples.features[tested].any(axis=1)]
    unseen = np.zeros(0, np.bool_)
    regions = None
    if examples is not None:
        unseen = _deal(len(examples.strangers), recipe.seed) == place
        known = examples._replace(strangers=examples.strangers[~unseen])
        regions = fit_regions(classifier, samples, known, split[0], recipe.seed)
    pictures = _decide(classifier, regions, samples.features[seen], samples.targets[seen])
    right = int(np.sum(pictures.correct[np.isin(seen, split[1])]))
    if examples is None:
        return _Fold(right, pictures, None, None)
    copies = [_decide(classifier, regions, copy[seen], samples.targets[seen]) for copy in samples.camera_copies]
    if examples.afar is not None:
        copies.append(_decide(classifier, regions, examples.afar[split[1]], samples.targets[split[1]]))
    strangers = _decide(classifier, regions, examples.strangers[unseen], np.full(unseen.sum(), _NO_CLASS))
    return _Fold(right, pictures, together([pictures, *copies]), strangers)


def _deal(count: int, seed: int) -> NDArray[np.intp]:
    """Fold (count,) of every stranger; at random, as their kinds take turns and none of them must be held out whole."""
    return np.random.default_rng(seed).permutation(count) % HELD_OUT_FOLDS


def _decide(
    classifier: Classifier, regions: list[Region] | None, features: Features, targets: NDArray[np.intp]
) -> Decided:
    """The decisions on features (N, n) whose classes are the targets (N,); distances are 0 without regions."""
    inside = classifier.subspace(features)
    scores = classifier.scores_inside(inside)
    two_best, labels = np.sort(scores, axis=1)[:, :2], scores.argmin(axis=1)
    distances = np.zeros(len(labels))
    if regions is not None:
        distances = distances_from(regions, without_constant(classifier, inside), labels)
    return Decided(two_best[:, 1] - two_best[:, 0], distances, labels == targets)


def calibrate(held_out: HeldOut) -> Calibration:
    """Platt's logistic curve through the held-out margins in a table, and what is rejected.

    The limits are those at which the wanted share of the right readings is rejected (`FALSE_REJECTS`; `WITH_DISTANCES`,
    where distances are known). These are taken of the pictures as they are and as a camera sees them, because by scans
    alone too much of what is lifted off a page would be strange.

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
    report = {
        "method": "logistic curve of the margin",
        "expected_calibration_error": _cross_fitted_error(margins, correct),
        "bins": BINS,
        "held_out": len(margins),
        "protocol": held_out.protocol,
    }
    rule, threshold, strangers = None, 0.0, held_out.strangers
    if held_out.distances is None:
        confidences = np.interp(margins, *table)
        threshold = float(np.quantile(confidences[correct], FALSE_REJECTS))
        rejected = confidences < threshold
    else:
        pictures = Decided(margins, held_out.distances, correct)
        full = float(table[0][-1])
        rule = learn_rule(held_out.views or pictures, strangers, full, WITH_DISTANCES)
        rejected = rule.rejects(pictures)
    report["errors_rejected"] = float(np.mean(rejected[~correct])) if (~correct).any() else 1.0
    if rule is not None and strangers is not None and len(strangers.margins):
        report["strangers_accepted"] = float(np.mean(~rule.rejects(strangers)))
        report["strangers"] = len(strangers.margins)
    return Calibration(*table, threshold, float(np.mean(rejected[correct])), report, rule)


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
    """Knots of the logistic curve, fitted with one made-up error of margin 0, so that it is never certain even where
    nothing went wrong."""
    knots = np.linspace(0, np.quantile(margins, 0.99) or 1.0, KNOTS)
    if not correct.any():
        return knots.astype(np.float32), np.zeros(KNOTS, np.float32)
    scale = float(np.median(margins)) or 1.0
    points = np.append(margins, 0.0)[:, None] / scale
    curve = LogisticRegression(C=1e3).fit(points, np.append(correct, False))
    slope = max(0.0, float(curve.coef_[0, 0]))
    values = 1 / (1 + np.exp(-(float(curve.intercept_[0]) + slope * knots / scale)))
    return knots.astype(np.float32), np.maximum.accumulate(values).astype(np.float32)
