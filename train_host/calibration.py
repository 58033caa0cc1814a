"""How sure a decision is: confidence from the margin, and the threshold below which it is rejected.

With the distances of `novelty` it also says how far from its class a picture may be.

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
from train_host.novelty_examples import Examples, fit_regions, inside_subspace
from train_host.protocols import Split, make_splits
from train_host.recipe import Recipe
from train_host.training import Classifier, Samples, train

HELD_OUT_FOLDS = 5
KNOTS = 33
BINS = 15
"""Of the expected calibration error."""
FALSE_REJECTS, OF_A_CAMERA = 0.01, 0.012
"""Share of the right readings that is wanted to be rejected: of pictures as they are, and where copies as a camera
gives them are among them, which are harder."""
BY_MARGIN = 0.3
"""Share of the false rejects that the margin has where distances are known: for the same false rejects, the distance
tells more of what is no numeral."""


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
    views: "Decided | None" = None
    """Right decisions on the pictures and on their copies as a camera gives them; None without such copies."""
    strangers: "Decided | None" = None
    """Decisions on pictures without a numeral that the distances were not learned from."""


class Decided(NamedTuple):
    """Decisions on pictures that are alike: all of them right, or all on what is no numeral."""

    margins: Array
    """(V,)."""
    distances: Array
    """(V,)."""


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
    reach: float | None = None
    """Distance above which a decision is rejected; None where there is none."""

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
    return HeldOut(
        np.concatenate([fold.margins for fold in decided]),
        np.concatenate([fold.correct for fold in decided]),
        (right / sizes).tolist(),
        float(right.sum() / sizes.sum()),
        f"{len(splits)} folds of the training data, {'writers' if enough else 'pictures'} out",
        None if examples is None else np.concatenate([fold.distances for fold in decided]),
        _together([fold.views for fold in decided]) if examples is not None and samples.by_camera else None,
        None if examples is None else _together([fold.strangers for fold in decided]),
    )


class _Fold(NamedTuple):
    right: int
    """Pictures of the data set."""
    margins: Array
    correct: NDArray[np.bool_]
    distances: Array
    views: Decided
    strangers: Decided


def _decide_held_out(samples: Samples, split: Split, recipe: Recipe, examples: Examples | None, place: int) -> _Fold:
    drawn = np.array_split(samples.drawn, HELD_OUT_FOLDS)[place]  # in the order of their writers
    samples = samples._replace(drawn=np.setdiff1d(samples.drawn, drawn))
    classifier = train(samples, split[0], recipe)
    tested = np.concatenate([split[1], drawn])
    seen = tested[samples.features[tested].any(axis=1)]
    features = samples.features[seen]
    margins, decisions = _decide(classifier.scores(features))
    correct = decisions == samples.targets[seen]
    right = int(np.sum(correct[np.isin(seen, split[1])]))
    if examples is None:
        nothing = Decided(np.zeros(0), np.zeros(0))
        return _Fold(right, margins, correct, np.zeros(0), nothing, nothing)
    unseen = np.arange(len(examples.strangers)) % HELD_OUT_FOLDS == place
    known = examples._replace(strangers=examples.strangers[~unseen])
    regions = fit_regions(classifier, samples, known, split[0], recipe.seed)
    distances = distances_from(regions, inside_subspace(classifier, features), decisions)
    views = [Decided(margins[correct], distances[correct])]
    for copy in samples.camera_copies:
        views.append(_right_ones(classifier, regions, copy[seen], samples.targets[seen]))
    strange = examples.strangers[unseen]
    strange_margins, taken_for = _decide(classifier.scores(strange))
    away = distances_from(regions, inside_subspace(classifier, strange), taken_for)
    return _Fold(right, margins, correct, distances, _together(views), Decided(strange_margins, away))


def _right_ones(
    classifier: Classifier, regions: list[Region], features: Features, targets: NDArray[np.intp]
) -> Decided:
    """The decisions on features (N, n) that are as the targets (N,) are."""
    margins, decisions = _decide(classifier.scores(features))
    right = decisions == targets
    inside = inside_subspace(classifier, features[right])
    return Decided(margins[right], distances_from(regions, inside, targets[right]))


def _together(parts: list[Decided]) -> Decided:
    return Decided(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _decide(scores: Array) -> tuple[Array, NDArray[np.intp]]:
    """Margins and decisions (N,) of scores (N, Q)."""
    two_best = np.sort(scores, axis=1)[:, :2]
    return two_best[:, 1] - two_best[:, 0], scores.argmin(axis=1)


def calibrate(held_out: HeldOut, wanted_false_rejects: float | None = None) -> Calibration:
    """Platt's logistic curve through the held-out margins in a table, and the threshold of wanted false rejects.

    Where distances are known, most of the false rejects are left to them: of pictures as they are and as a camera sees
    them, because by scans alone too much of what is lifted off a page would be strange.

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
    distances = np.zeros(len(margins)) if held_out.distances is None else held_out.distances
    views = held_out.views or Decided(margins[correct], distances[correct])
    sureness = np.interp(views.margins, *table)
    if wanted_false_rejects is None:
        wanted_false_rejects = FALSE_REJECTS if held_out.views is None else OF_A_CAMERA
    share = wanted_false_rejects * (1 if held_out.distances is None else BY_MARGIN)
    threshold = float(np.quantile(sureness, share))
    rejected = confidences < threshold
    reach = None
    if held_out.distances is not None:
        sure = sureness >= threshold
        left = wanted_false_rejects - np.mean(~sure)
        reach = float(np.quantile(views.distances[sure], 1 - min(max(left / sure.mean(), 0), 1)))
        rejected |= held_out.distances > reach
    report = {
        "method": "logistic curve of the margin",
        "expected_calibration_error": _cross_fitted_error(margins, correct),
        "bins": BINS,
        "held_out": len(margins),
        "protocol": held_out.protocol,
        "errors_rejected": float(np.mean(rejected[~correct])) if (~correct).any() else 1.0,
    }
    if held_out.strangers is not None and reach is not None and len(held_out.strangers.margins):
        sure = np.interp(held_out.strangers.margins, *table) >= threshold
        report["strangers_accepted"] = float(np.mean(sure & (held_out.strangers.distances <= reach)))
        report["strangers"] = len(sure)
    return Calibration(*table, threshold, float(np.mean(rejected[correct])), report, reach)


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
