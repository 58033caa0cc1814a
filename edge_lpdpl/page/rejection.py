"""Which readings of a page are rejected for the way their numeral is written there.

A finger is read as 七 where its rim looks like one, and no distance from the class tells; but its darkness goes on
beside the ink. Each check is a share of what is allowed, as the novelty is, and takes its place where it is above 1.
"""

from collections.abc import Iterator, Sequence

from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.strokes import Strokes

ZERO_DOT = "٠"
"""The Arabic-Indic zero, the only numeral that is a dot."""

LONGEST_DOT = 3
"""Times as long as it is wide: a quick pen makes a short dash of it."""

EMPTIEST_DOT = 0.3
"""Share of its box that its ink fills, even where it is an oblique dash."""

LARGE_DOT = 0.7
"""Of the largest dot that is a numeral: from here on a reading has to be the nearer to its class the larger the dot is,
because few zeros are so large, and dark things on the page are."""

BARS = "一二三١1"
"""Numerals of straight strokes only, which pieces of ruled lines may look like."""

MOST_SLENDER_BAR = 50
"""Longer side of the numeral over the width of their strokes."""

FRAMED = "四"
"""The numeral that is written into a frame; two letters beside each other, such as `up` or `Do`, look like one."""

SMALLEST_FRAME = 0.74
"""Longer side of the frame over that of the numeral."""

BROAD, FAINTEST_BROAD = 2.5, 0.3
"""Strokes wider than this, in pixels of the reduced frame, take at least this share of the light: a camera's blur takes
contrast from thin strokes only, so that broad ones so faint show through from the back, or are shadows."""

RIM = 0.06
"""Share of the ink that may be a rim, for dirt and shadow; where it is n times as much, a reading has to be n times as
near to its class."""


def checked(recognition: Recognition, strokes: Strokes, largest_dot: float) -> Recognition:
    """The same; rejected, with a novelty above 1, where the numeral is not written as those that it is read as.

    Args:
        largest_dot: longer side of the largest dot that is a numeral, over that of the frame; 0 where none is.

    >>> import numpy as np
    >>> read = Recognition("七", 7, 0.99, False, "十", np.zeros(15, np.float32), 24e-6, 0.5)
    >>> finger = Strokes(0.2, 1.3, 6.0, 9.0, 0.6, 1.0, 0.4, rim=0.15)
    >>> checked(read, finger, 0.0).rejected, checked(read, finger._replace(rim=0.02), 0.0).rejected
    (True, False)
    """
    if recognition.label is None:
        return recognition
    of_largest = strokes.side / max(largest_dot, 1e-6) if recognition.label == ZERO_DOT else 0.0
    room_left = max(1 - of_largest, 0.01) / (1 - LARGE_DOT)
    novelty = recognition.novelty * max(1.0, strokes.rim / RIM) * max(1.0, 1 / room_left)
    strange = max(novelty, of_largest, *_beyond(recognition.label, strokes))
    novelty = strange if strange > 1 else novelty
    if novelty == recognition.novelty:
        return recognition
    return recognition._replace(novelty=novelty, rejected=recognition.rejected or novelty > 1)


def _beyond(label: str, strokes: Strokes) -> Iterator[float]:
    """What is seen as a share of what is allowed, or what is wanted as a share of what is seen: above 1 too much, or
    too little."""
    if strokes.width > BROAD:
        yield FAINTEST_BROAD / strokes.strength
    if label in BARS:
        yield strokes.slender / MOST_SLENDER_BAR
    if label == FRAMED:
        yield SMALLEST_FRAME / strokes.longest
    if label == ZERO_DOT:
        yield strokes.shape / LONGEST_DOT
        yield EMPTIEST_DOT / strokes.filled


LETTERS_APART = 0.25
"""Free width between two letters of a word over the height of the higher one, at most."""


def without_letters(readings: Sequence[Recognition], boxes: Sequence[Box]) -> list[Recognition]:
    """The readings of a page, in reading order; rejected, with a novelty above 1, in words of which half is rejected.

    One digit of a number may be rejected without the others.

    >>> import numpy as np
    >>> zero = Recognition("0", 0, 1.0, False, "8", np.zeros(10, np.float32), 24e-6, 0.1)
    >>> letter, boxes = zero._replace(rejected=True), [Box(x, 100, 36, 60) for x in (100, 142, 184)]
    >>> [read.rejected for read in without_letters([zero, letter], boxes[:2])]
    [True, True]
    >>> [read.rejected for read in without_letters([zero, letter, zero], boxes)]
    [False, True, False]
    """
    kept = list(readings)
    for word in _words(boxes):
        rejected = sum(readings[place].rejected for place in word) / len(word)
        if rejected >= 0.5:
            for place in word:
                if not kept[place].rejected:
                    kept[place] = kept[place]._replace(rejected=True, novelty=1 + rejected)
    return kept


def _words(boxes: Sequence[Box]) -> Iterator[range]:
    """The places of boxes that stand beside each other as the letters of a word do; alone, a box is none."""
    start = 0
    for place in range(1, len(boxes) + 1):
        if place == len(boxes) or not _belong_together(boxes[place - 1], boxes[place]):
            if place - start > 1:
                yield range(start, place)
            start = place


def _belong_together(one: Box, other: Box) -> bool:
    """Whether two boxes stand in a line and close to each other, neither a speck beside the other."""
    lower, higher = sorted((one.height, other.height))
    in_line = 2 * (min(one.bottom, other.bottom) - max(one.y, other.y)) > lower
    apart = max(one.x, other.x) - min(one.right, other.right)
    return 2 * lower >= higher and in_line and apart < LETTERS_APART * higher
