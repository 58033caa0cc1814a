"""How often numbers are accepted right and accepted wrong at each least confidence, and the calibration."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.number.grammar import grammar_for
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.number.weights import STRICTNESS, Calibration, Grounds, LineModel
from train_host.lines.pictures import Labelled

NEVER = 1.01
"""A least confidence that no number has."""


class Outcome(NamedTuple):
    """How one picture was read."""

    file: str
    text: str
    """The number that it shows, as ASCII digits (`Grammar.digits`): 12,5 and 12.5 are one number."""
    found: list[str]
    """The numbers that were read, doubtful ones included."""
    confidence: float
    """The greatest of the numbers that would be accepted if all were sure; 0 where there is none."""
    grounds: Grounds
    """Of that number."""
    is_right: bool
    """Whether all such numbers are the one that the picture shows."""

    @property
    def is_read(self) -> bool:
        """Whether the number is among those that were read."""
        return self.text in self.found


class Calibrated(NamedTuple):
    """As a `LineModel` has it."""

    calibration: Calibration
    sure: tuple[float, ...]


class Share(NamedTuple):
    """What becomes of all pictures at a least confidence."""

    accepted: float
    """Share that is accepted with the right number."""
    wrong: float
    """Share that is accepted with a wrong one."""


def all_sure(model: LineModel) -> LineModel:
    """The same, to which all numbers are sure."""
    return model._replace(sure=(0.0,) * len(STRICTNESS))


def read_all(pictures: Iterable[Labelled], make: Callable[[int, int], PageReader]) -> list[Outcome]:
    """Read labelled pictures.

    Args:
        make: a reader of pictures of this height and width, to which all numbers are sure (`all_sure`): what is then in
            doubt is so for another reason than its confidence.
    """
    reader_of = cache(make)
    outcomes = []
    for one in pictures:
        reader = reader_of(*one.picture.shape)
        digits = grammar_for(reader.recogniser.model.labels).digits
        numbers = reader.read(one.picture).numbers
        free = [one for one in zip(numbers, reader.grounds, strict=True) if one[0].reason is None]
        best, grounds = max(free, key=lambda one: one[0].confidence, default=(None, Grounds(0.0)))
        confidence = best.confidence if best else 0.0
        right = digits(one.text) or one.text
        is_right = bool(free) and all(digits(number.text) == right for number, _ in free)
        texts = [digits(number.text) or number.text for number in numbers]
        outcomes.append(Outcome(one.file, right, texts, confidence, grounds, is_right))
    return outcomes


def share_at(outcomes: Sequence[Outcome], confidence: float) -> Share:
    """What a least confidence makes of these pictures.

    >>> some = [Outcome("a", "1", ["1"], 0.9, Grounds(0.9), True), Outcome("b", "7", ["1"], 0.8, Grounds(0.8), False)]
    >>> share_at(some, 0.85), share_at(some, 0.5)
    (Share(accepted=0.5, wrong=0.0), Share(accepted=0.5, wrong=0.5))
    """
    accepted = [one for one in outcomes if one.confidence >= confidence]
    right = sum(one.is_right for one in accepted)
    return Share(right / len(outcomes), (len(accepted) - right) / len(outcomes))


def calibrate(outcomes: Sequence[Outcome]) -> Calibrated:
    """The calibration and the least confidences: a logistic regression of being right on the evidence (`Grounds`).

    A least confidence follows from how often numbers above it are expected to be wrong: wrong ones are too few to be
    counted.

    Args:
        outcomes: of pictures that neither the model nor the weights of lines have seen, with shares as confidences.

    Raises:
        DatasetError: all of their numbers are right, or all wrong.

    >>> shares = [place / 1000 for place in range(1, 1000)]
    >>> right = [1000 * share % 10 < 8 or share > 0.8 for share in shares]
    >>> some = [Outcome("", "1", ["1"], *one) for one in zip(shares, map(Grounds, shares), right)]
    >>> [round(least, 2) for least in calibrate(some).sure]
    [1.01, 1.01, 1.01, 1.01, 1.01, 1.01, 1.01, 1.01, 1.01, 0.94]
    """
    free = [one for one in outcomes if one.confidence > 0]
    right = np.array([one.is_right for one in free])
    if right.all() or not right.any():
        raise DatasetError("the numbers are all right, or all wrong; give more scenes")
    evidence = np.array([one.grounds.evidence for one in free])
    found = LogisticRegression(C=1e3).fit(evidence, right)
    confidence = np.sort(found.predict_proba(evidence)[:, 1])[::-1]
    wrong = np.cumsum(1 - confidence) / np.arange(1, len(free) + 1)
    count = np.searchsorted(wrong, [allowed / 1000 for allowed in STRICTNESS], "right")
    sure = [float(confidence[number - 1]) if number else NEVER for number in count]
    odds, unlike, numeral = found.coef_[0].tolist()
    return Calibrated(Calibration(odds, unlike, numeral, float(found.intercept_[0])), tuple(sure))
