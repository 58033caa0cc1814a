"""Teaching with care: a sample that contradicts a hand, or that would turn what the model reads, is asked about."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DoubtError, HandError
from edge_lpdpl.model.model import Model
from edge_lpdpl.numeral.hand import Hand, Sample
from edge_lpdpl.numeral.recogniser import Recogniser, Recognition

CONTRADICTS = 0.15
"""Squared distance below which two samples look alike. Of two numerals of one class by one person a third are as near,
of two numerals of different classes none of 80 writers' were."""
MOST_TURNED = 1
"""Test pictures of the model that a sample may turn to another label without a question."""


class Teacher:
    """Adds samples to hands for one model, with a recogniser of its own.

    >>> from edge_lpdpl import shipped_model
    >>> from edge_lpdpl.model.files import read_model
    >>> teacher = Teacher(read_model(shipped_model("chinese15")))
    >>> picture = np.zeros((64, 64), np.uint8)
    >>> picture[30:32, 10:50] = 200
    >>> hand = teacher.teach(Hand(), picture, "一")
    >>> [sample.label for sample in hand.samples]
    ['一']
    >>> teacher.teach(hand, picture, "七")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.DoubtError: a picture like this one was taught as 一
    """

    def __init__(self, model: Model, backend: str = "auto") -> None:
        self.model = model
        self._recogniser = Recogniser(model, backend)

    def teach(
        self, hand: Hand, picture: NDArray[np.uint8], label: str, *, polarity: str = "auto", sure: bool = False
    ) -> Hand:
        """The hand and a picture of one numeral more.

        Args:
            picture: (height, width) uint8, as `Recogniser.recognise` takes it.
            label: one of the characters of the model.
            sure: take it without a question, and forget the same picture with other labels of the model.

        Raises:
            DoubtError: the sample is asked about.
            HandError: the model does not know the label or cannot be taught, or the hand is full.
            ImageError: it is no picture.
        """
        known = [one.character for one in self.model.labels]
        if label not in known:
            raise HandError(f"{self.model.name} does not know {str(label)[:20]!r}, only {' '.join(known)}")
        if self._recogniser.recognise(picture, polarity).label is None:
            raise HandError("there is no ink in the picture, so there is nothing to teach")
        sample = Sample(label, self._recogniser.square())
        if sure:
            return hand.without(corrected_by(sample, hand, known)).with_sample(sample)
        more = hand.with_sample(sample)
        if more is not hand:
            self._ask_about(hand, more, sample)
        return more

    def reads(self, hand: Hand, picture: NDArray[np.uint8], polarity: str = "auto") -> Recognition:
        """What is read in a picture with a hand: a sample may be too far away to change it, or leave it in doubt."""
        self._recogniser.wear(hand)
        read = self._recogniser.recognise(picture, polarity)
        self._recogniser.wear(Hand())
        return read

    def _ask_about(self, hand: Hand, more: Hand, sample: Sample) -> None:
        """Raises DoubtError where there is a doubt."""
        space, known = self._inputs(sample), {one.character for one in self.model.labels}
        others = [one for one in hand.samples if one.label in known and one.label != sample.label]
        near = (one for one in others if float(np.sum((self._inputs(one) - space) ** 2)) < CONTRADICTS)
        alike = sorted({one.label for one in near})
        turned = [str(label) for label, now in zip(self._test(hand), self._test(more), strict=True) if label != now]
        doubts = [f"a picture like this one was taught as {' and '.join(alike)}"] if alike else []
        if len(turned) > MOST_TURNED:
            doubts.append(f"test pictures of the model would be read as {sample.label}: {' '.join(turned)}")
        if doubts:
            raise DoubtError("; ".join(doubts), alike, turned if len(turned) > MOST_TURNED else ())

    def _inputs(self, sample: Sample) -> NDArray[Any]:
        self._recogniser.engine.read_square(sample.picture.astype(np.float32) / np.float32(255))
        return self._recogniser.engine.responses.inputs[: self.model.dimensions].copy()

    def _test(self, hand: Hand) -> list[str | None]:
        """What is read in the test pictures that the model brings along."""
        pictures: Any = () if self.model.selftest_pictures is None else self.model.selftest_pictures
        self._recogniser.wear(hand)
        read = [self._recogniser.recognise(picture).label for picture in pictures]
        self._recogniser.wear(Hand())
        return read


def corrected_by(sample: Sample, hand: Hand, labels: Collection[str]) -> list[str]:
    """The samples of a hand that say something else of the same picture, of these labels of one model.

    A model of another script may read another character in the same picture.
    """
    others = [other for other in hand.samples if other.label in labels and other.label != sample.label]
    return [other.id for other in others if np.array_equal(other.picture, sample.picture)]
