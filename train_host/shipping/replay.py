"""Replay on labelled pictures what a person would teach: how many errors a hand saves, and how many it makes."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.numeral.hand import MOST_SAMPLES, Hand, Sample
from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.datasets import Dataset
from train_host.progress import bar
from train_host.rejection.calibration import expected_calibration_error
from train_host.samples.non_numerals import strangers
from train_host.shipping.score import POLARITY_OF_INVERT, classes_of

ERRORS = "errors"
TEACHING = (ERRORS, "1", "2", "3")
"""What is taught: each picture that was misread, or so many pictures of each class beforehand."""
STRANGERS, STRANGERS_SEED = 200, 1
"""Non-numerals that are read with each writer's hand, and their seed, which is not one that models learn from."""


def replay_teaching(
    model: str | os.PathLike[str], dataset: Dataset, teach: str, invert: str = "auto"
) -> dict[str, Any]:
    """Read every writer's pictures in their order, with the model alone and with a new hand for each writer.

    Args:
        teach: one of `TEACHING`. With `errors` each picture that is misread is taught after it was counted. With a
            number so many pictures of each class are taught first, and only the others count.
        invert: whether ink is dark on light paper: `yes`, `no`, or `auto` to detect it.

    Returns:
        taught, n, errors_before, errors_after, spoilt (right before and wrong after), rejected_before, rejected_after,
        the expected calibration errors calibration_before and calibration_after, and strangers_before and
        strangers_after, the share of synthetic non-numerals that is accepted with the writers' last hands. A picture
        without visible ink is an error, and is not taught.

    Raises:
        DatasetError: the writers are not known, a class is not known to the model, or nothing is left to count.
        ModelError: the model file is not valid.
        HandError: the model cannot be taught.
    """
    if dataset.writers is None:
        raise DatasetError(f"{dataset.name} does not record its writers; leave out --teach")
    alone, wearing = Recogniser.load(model), Recogniser.load(model)
    labels = [alone.model.labels[place].character for place in classes_of(dataset, alone.model)]
    polarity = POLARITY_OF_INVERT[invert]
    taught, before, after, right, strange = 0, [], [], [], list[float]()
    for writer in bar("teach", np.unique(dataset.writers)):
        rows = np.flatnonzero(dataset.writers == writer)
        first = [] if teach == ERRORS else _first_of_each(dataset.targets, rows, int(teach))
        hand = Hand()
        for row in first:
            if alone.recognise(dataset.images[row], polarity).label is not None:
                hand = hand.with_sample(Sample(labels[row], alone.square()))
        wearing.wear(hand)
        for row in np.setdiff1d(rows, first):
            before.append(alone.recognise(dataset.images[row], polarity))
            after.append(wearing.recognise(dataset.images[row], polarity))
            right.append(labels[row])
            if teach == ERRORS and after[-1].label not in (labels[row], None) and len(hand) < MOST_SAMPLES:
                hand = hand.with_sample(Sample(labels[row], wearing.square()))
                wearing.wear(hand)
        taught += len(hand)
        strange.append(_strangers_accepted(wearing))
    if not right:
        raise DatasetError(f"{dataset.name}: all pictures are taught and none is left to count; teach fewer")
    was, is_now = (np.array([one.label for one in reads]) == right for reads in (before, after))
    return {
        "taught": taught,
        "n": len(right),
        "errors_before": int(np.sum(~was)),
        "errors_after": int(np.sum(~is_now)),
        "spoilt": int(np.sum(was & ~is_now)),
        "rejected_before": sum(one.rejected for one in before),
        "rejected_after": sum(one.rejected for one in after),
        "calibration_before": expected_calibration_error(np.array([one.confidence for one in before]), was),
        "calibration_after": expected_calibration_error(np.array([one.confidence for one in after]), is_now),
        "strangers_before": _strangers_accepted(alone),
        "strangers_after": float(np.mean(strange)),
    }


def _strangers_accepted(recogniser: Recogniser) -> float:
    """The share of synthetic non-numerals that is not rejected."""
    pictures = strangers(STRANGERS, STRANGERS_SEED, recogniser.model.labels)
    read = [recogniser.recognise(picture, "light") for picture in pictures]
    return float(np.mean([one.value is not None and not one.rejected for one in read]))


def _first_of_each(targets: NDArray[np.intp], rows: NDArray[np.intp], count: int) -> list[int]:
    """The first `count` of the rows of each class."""
    return [int(row) for target in np.unique(targets[rows]) for row in rows[targets[rows] == target][:count]]
