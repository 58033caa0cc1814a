"""How sure a decision is: confidence as a function of the margin, and the threshold below which it is rejected.

Where distances (novelty) are learned, the rule of `rule.py` replaces the threshold.

All of it is learned from held-out pictures. No decision here is on a picture that its classifier was trained on.
"""

from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from edge_lpdpl.errors import TrainingError
from train_host.datasets import Dataset
from train_host.method.decisions import decide
from train_host.method.statistics import Array
from train_host.progress import bar
from train_host.recipe import Recipe
from train_host.rejection.examples import STRUCK, Examples, beside, fit_regions, without_constant
from train_host.rejection.regions import Region, distances_from
from train_host.rejection.rule import Decided, Rule, learn_rule, together
from train_host.samples.features import Features
from train_host.samples.prepare import DRAWN_SAMPLES, Samples
from train_host.splits import BETWEEN_SUBJECT, CONVENTIONAL, Split, make_splits
from train_host.training import Classifier, train

HELD_OUT_FOLDS = 5
KNOTS = 33
"""Points of the table of confidences."""
BINS = 15
"""Bins of the expected calibration error."""
FALSE_REJECTS, BY_DISTANCE, BY_LEAD = 0.01, 0.006, 0.002
"""Share of the correct decisions that may be rejected: by the margin alone, and, where non-numerals are learned, by the
distance and by the lead over them."""

_NO_CLASS = -1


class Novel(NamedTuple):
    """Held-out decisions from which the limits of the distances are learned."""

    views: Decided
    """On the held-out pictures and on their camera copies."""
    others: dict[str, Decided]
    """On each kind of non-numerals. Of struck pictures, those of synthetic writers are included."""


class HeldOut(NamedTuple):
    """Decisions on held-out pictures."""

    pictures: Decided
    """On those with visible ink, those of synthetic writers included."""
    fold_accuracies: list[float]
    """Accuracy of every fold on the pictures of the data set; pictures without visible ink count as wrong."""
    accuracy: float
    """The same over all folds."""
    protocol: str
    """How the pictures were held out, for people."""
    novel: Novel | None = None
    """None where no distances are learned."""
    right: NDArray[np.bool_] = np.zeros(0, np.bool_)
    """(R,) which rows of the samples were read correctly while they were held out."""


class Calibration(NamedTuple):
    """Confidence as a function of the margin."""

    margins: NDArray[np.float32]
    """(KNOTS,) increasing from 0."""
    values: NDArray[np.float32]
    """(KNOTS,) nondecreasing."""
    threshold: float
    """Confidence below which a decision is rejected; 0 where the rule decides."""
    false_rejects: float
    """Share of the correct held-out decisions that are rejected."""
    report: dict[str, Any]
    """What the model file records about the calibration."""
    rule: Rule | None = None
    """Which distances are rejected; None where none are learned."""

    def confidence(self, margins: Array) -> Array:
        """Confidence (N,) of margins (N,), as the device computes it."""
        return np.interp(margins, self.margins, self.values)


def hold_out(
    dataset: Dataset, samples: Samples, chosen: NDArray[np.intp], recipe: Recipe, examples: Examples | None = None
) -> HeldOut:
    """Five-fold cross-validation on the chosen pictures: train on four folds and decide on the fifth, for each fold.

    A fold holds out whole writers where at least five writers are known. There are fewer folds if a class has fewer
    than five pictures. With examples, distances are learned and measured in the same way, and a part of the
    non-numerals is held out too.

    Args:
        chosen: (M,) indices of pictures.
        examples: what distances are learned from; None for a model without them.

    Raises:
        TrainingError: a class has no picture with visible ink to train on.
    """
    splits, of_writers = held_out_splits(dataset, chosen, recipe.seed)
    parts = Parallel(return_as="generator", max_nbytes="1M")(
        delayed(_decide_held_out)(samples, split, recipe, examples, place) for place, split in enumerate(splits)
    )
    decided = list(bar("held-out folds", parts, total=len(splits)))
    right = np.zeros(len(samples.targets), np.bool_)
    right[np.concatenate([fold.right for fold in decided])] = True
    counts = np.array([right[test_part].sum() for _, test_part in splits])
    sizes = np.array([len(test_part) for _, test_part in splits])
    novel = [fold.novel for fold in decided if fold.novel is not None]
    return HeldOut(
        together([fold.pictures for fold in decided]),
        (counts / sizes).tolist(),
        float(counts.sum() / sizes.sum()),
        f"{len(splits)} folds of the training data, {'writers' if of_writers else 'pictures'} out",
        _all_of(novel) if novel else None,
        right,
    )


def hold_out_all(classifier: Classifier, features: Features, targets: NDArray[np.intp], protocol: str) -> HeldOut:
    """Decisions on pictures of which none was trained on.

    Args:
        protocol: how they were held out, for people.
    """
    seen = features.any(axis=1)
    pictures = _decide(classifier, None, features[seen], targets[seen])
    accuracy = float(pictures.correct.sum() / len(targets))
    return HeldOut(pictures, [accuracy], accuracy, protocol)


def held_out_splits(dataset: Dataset, chosen: NDArray[np.intp], seed: int) -> tuple[list[Split], bool]:
    """The folds of `hold_out`, as indices of pictures, and whether they hold out whole writers."""
    part = dataset.subset(chosen)
    counts = np.bincount(part.targets, minlength=len(part.labels))
    if counts.min() < 2:
        rarest = part.labels[int(counts.argmin())].character
        found = "one picture" if counts.min() else "no picture"
        raise TrainingError(f"{dataset.name} has {found} of {rarest}; give two or more, to learn from and to test")
    enough = part.writers is not None and len(np.unique(part.writers)) >= HELD_OUT_FOLDS
    folds = min(HELD_OUT_FOLDS, int(counts.min()))
    splits = make_splits(part, BETWEEN_SUBJECT if enough else CONVENTIONAL, folds, HELD_OUT_FOLDS, seed)
    return [(chosen[train_part], chosen[test_part]) for train_part, test_part in splits], enough


class _Fold(NamedTuple):
    right: NDArray[np.intp]
    """Held-out rows of the samples that are read correctly."""
    pictures: Decided
    novel: Novel | None


def _decide_held_out(samples: Samples, split: Split, recipe: Recipe, examples: Examples | None, place: int) -> _Fold:
    by_writer = samples.drawn.reshape(-1, DRAWN_SAMPLES * samples.class_count)
    drawn = np.array_split(by_writer, HELD_OUT_FOLDS)[place].ravel()
    samples = samples._replace(drawn=np.setdiff1d(samples.drawn, drawn))
    tested = np.concatenate([split[1], drawn])
    seen = tested[samples.features[tested].any(axis=1)]
    if examples is None:
        classifier = train(samples, split[0], recipe)
        pictures = _decide(classifier, None, samples.features[seen], samples.targets[seen])
        return _Fold(seen[pictures.correct], pictures, None)
    unseen = {kind: _deal(len(rows), recipe.seed) == place for kind, rows in examples.drawn.items()}
    learned = {kind: rows[~unseen[kind]] for kind, rows in examples.drawn.items()}
    known = beside(samples, examples._replace(drawn=learned), split[0], recipe)
    classifier = train(samples, split[0], recipe, known)
    regions = fit_regions(classifier, samples, known, split[0], recipe)
    pictures = _decide(classifier, regions, samples.features[seen], samples.targets[seen])
    copies = [_decide(classifier, regions, copy[seen], samples.targets[seen]) for copy in samples.camera_copies]
    if examples.afar is not None:
        copies.append(_decide(classifier, regions, examples.afar[split[1]], samples.targets[split[1]]))
    crossed = examples.struck[tested]
    others = {kind: rows[unseen[kind]] for kind, rows in examples.drawn.items()}
    others[STRUCK] = crossed[crossed.any(axis=1)]
    read = {kind: _decide(classifier, regions, rows, np.full(len(rows), _NO_CLASS)) for kind, rows in others.items()}
    return _Fold(seen[pictures.correct], pictures, Novel(together([pictures, *copies]), read))


def _all_of(folds: list[Novel]) -> Novel:
    others = {kind: together([fold.others[kind] for fold in folds]) for kind in folds[0].others}
    return Novel(together([fold.views for fold in folds]), others)


def _deal(count: int, seed: int) -> NDArray[np.intp]:
    """Fold (count,) of every non-numeral, at random.

    The kinds of non-numerals alternate, so folds that are dealt in order could hold out all of one kind.
    """
    return np.random.default_rng(seed).permutation(count) % HELD_OUT_FOLDS


def _decide(
    classifier: Classifier, regions: list[Region] | None, features: Features, targets: NDArray[np.intp]
) -> Decided:
    """Decisions on features (N, n) with the classes `targets` (N,); all distances are 0 without regions."""
    inside = classifier.subspace(features)
    judged = classifier.judge(inside)
    decided = decide(judged.scores)
    distances = np.zeros(len(inside))
    if regions is not None:
        distances = distances_from(regions, without_constant(classifier, inside), decided.best)
    return Decided(decided.margins, distances, judged.leads, decided.best == targets)


def calibrate(held_out: HeldOut) -> Calibration:
    """Fit the confidence (Platt's logistic curve of the held-out margins, as a table) and the limits that reject.

    The limit rejects a fixed share of the correct decisions: `FALSE_REJECTS`, or `BY_DISTANCE` and `BY_LEAD` where
    non-numerals are learned. The limits of distance and lead are fitted to the pictures and their camera copies: limits
    from scans alone would reject too many of the numerals that are cut out of a page.

    Raises:
        TrainingError: fewer than two held-out pictures are read correctly.
    """
    (margins, _, _, correct), novel = held_out.pictures, held_out.novel
    if correct.sum() < 2:
        raise TrainingError(
            f"{correct.sum()} of {len(correct)} held-out pictures were read right, too few to calibrate the confidence:"
            " give more pictures of every class"
        )
    table = _fit_curve(margins, correct)
    report = {
        "method": "logistic curve of the margin",
        "expected_calibration_error": expected_calibration_error(
            cross_fitted(margins, correct, np.arange(len(margins)) % 2 == 0), correct
        ),
        "bins": BINS,
        "held_out": len(margins),
        "protocol": held_out.protocol,
    }
    rule, threshold = None, 0.0
    if novel is None:
        confidences = np.interp(margins, *table)
        threshold = float(np.quantile(confidences[correct], FALSE_REJECTS))
        rejected = confidences < threshold
    else:
        strange = together(list(novel.others.values()))
        rule = learn_rule(novel.views, strange, float(table[0][-1]), BY_DISTANCE, BY_LEAD)
        rejected = rule.rejects(held_out.pictures)
        for kind, decided in novel.others.items():
            if len(decided.margins):
                report[f"{kind}_accepted"] = float(np.mean(~rule.rejects(decided)))
                report[kind] = len(decided.margins)
    report["errors_rejected"] = float(np.mean(rejected[~correct])) if (~correct).any() else 1.0
    return Calibration(*table, threshold, float(np.mean(rejected[correct])), report, rule)


def expected_calibration_error(confidences: Array, correct: NDArray[np.bool_]) -> float:
    """Mean difference between confidence (N,) and accuracy over bins of equal size (Naeini et al. 2015).

    >>> expected_calibration_error(np.array([1.0, 1.0, 0.5, 0.5]), np.array([True, True, True, False]))
    0.0
    """
    order = np.argsort(confidences, kind="stable")
    parts = np.array_split(order, min(BINS, len(np.unique(confidences))))
    return float(sum(abs(confidences[part].mean() - correct[part].mean()) * len(part) for part in parts) / len(order))


def cross_fitted(margins: Array, correct: NDArray[np.bool_], half: NDArray[np.bool_]) -> Array:
    """Confidences (N,), those of each half of the decisions from the curve of the other half."""
    confidences = np.empty(len(margins))
    for own in (half, ~half):
        confidences[own] = np.interp(margins[own], *_fit_curve(margins[~own], correct[~own]))
    return confidences


def _fit_curve(margins: Array, correct: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Margins and confidences (KNOTS,) of the logistic curve.

    One artificial error of margin 0 is added to the fit, so that the curve is never certain, even without errors.
    """
    knots = np.linspace(0, np.quantile(margins, 0.99) or 1.0, KNOTS)
    if not correct.any():
        return knots.astype(np.float32), np.zeros(KNOTS, np.float32)
    scale = float(np.median(margins)) or 1.0
    points = np.append(margins, 0.0)[:, None] / scale
    curve = LogisticRegression(C=1e3).fit(points, np.append(correct, False))
    slope = max(0.0, float(curve.coef_[0, 0]))
    values = 1 / (1 + np.exp(-(float(curve.intercept_[0]) + slope * knots / scale)))
    return knots.astype(np.float32), np.maximum.accumulate(values).astype(np.float32)
