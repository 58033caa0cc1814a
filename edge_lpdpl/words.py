"""Letters that are digits by their shape: an O is a zero, but most of what stands beside it in its word is none."""

from collections.abc import Iterator, Sequence

from edge_lpdpl.locate.box import Box
from edge_lpdpl.recognise import Recognition

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
