"""How often numbers are read right, how often wrong without a doubt, and the confidence that either takes."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.number.weights import STRICTNESS
from edge_lpdpl.numeral.recogniser import UNSURE
from train_host.lines.pictures import Labelled

NEVER = 1.01
"""A least confidence that no number has."""


class Outcome(NamedTuple):
    """How one picture was read."""

    file: str
    text: str
    """The number that it shows."""
    found: list[str]
    """The numbers that were read, doubtful ones included."""
    confidence: float
    """The greatest of the numbers that nothing but their confidence can make doubtful; 0 where there is none."""
    is_right: bool
    """Whether all such numbers are the one that the picture shows."""

    @property
    def is_read(self) -> bool:
        """Whether the number is among those that were read."""
        return self.text in self.found


class Share(NamedTuple):
    """What becomes of all pictures at a least confidence."""

    confidence: float
    accepted: float
    """Share that is accepted with the right number."""
    wrong: float
    """Share that is accepted with a wrong one."""


def read_all(pictures: Iterable[Labelled], make: Callable[[int, int], PageReader]) -> list[Outcome]:
    """Read labelled pictures.

    Args:
        make: a reader of pictures of this height and width.
    """
    readers: dict[tuple[int, ...], PageReader] = {}
    outcomes = []
    for one in pictures:
        shape = height, width = one.picture.shape
        if shape not in readers:
            readers[shape] = make(height, width)
        numbers = readers[shape].read(one.picture).numbers
        free = [number for number in numbers if number.reason in (None, UNSURE)]
        confidence = max((number.confidence for number in free), default=0.0)
        is_right = bool(free) and all(number.text == one.text for number in free)
        outcomes.append(Outcome(one.file, one.text, [number.text for number in numbers], confidence, is_right))
    return outcomes


def share_at(outcomes: Sequence[Outcome], confidence: float) -> Share:
    """What a least confidence makes of these pictures.

    >>> some = [Outcome("a", "1", ["1"], 0.9, True), Outcome("b", "7", ["1"], 0.8, False)]
    >>> share_at(some, 0.85), share_at(some, 0.5)
    (Share(confidence=0.85, accepted=0.5, wrong=0.0), Share(confidence=0.5, accepted=0.5, wrong=0.5))
    """
    accepted = [one for one in outcomes if one.confidence >= confidence]
    right = sum(one.is_right for one in accepted)
    return Share(confidence, right / len(outcomes), (len(accepted) - right) / len(outcomes))


def least_confidences(outcomes: Sequence[Outcome]) -> tuple[float, ...]:
    """For each of STRICTNESS, the least confidence at which so few of the accepted numbers are wrong.

    Half a number more is counted as wrong, because few that are right say little about how many are wrong.

    Args:
        outcomes: of pictures that neither the model nor the weights of lines have seen.

    >>> some = [Outcome("a", "1", ["1"], 0.8 + place / 1000, place != 20) for place in range(120)]
    >>> [round(least, 3) for least in least_confidences(some)]
    [1.01, 1.01, 1.01, 0.821, 0.8, 0.8]
    """
    free = sorted((one for one in outcomes if one.confidence > 0), key=lambda one: -one.confidence)
    found, wrong = [NEVER] * len(STRICTNESS), 0.5
    for accepted, one in enumerate(free, 1):
        wrong += not one.is_right
        if accepted < len(free) and free[accepted].confidence == one.confidence:
            continue
        for place, allowed in enumerate(STRICTNESS):
            if 1000 * wrong <= allowed * accepted:
                found[place] = one.confidence
    return tuple(found)
