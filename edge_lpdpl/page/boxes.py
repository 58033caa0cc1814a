"""Boxes, and ink that is left unread and why."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

SPECK, MOST_ALONE, FAR = 0.25, 5, 4
"""Size of a dot of a dotted line over that of the largest ink, at most; how many specks that follow each other are no
such line; and how far their middles are apart, over their size."""


class Box(NamedTuple):
    """A rectangle in pixels of the frame: columns x to x + width - 1, rows y to y + height - 1."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """First column after it."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """First row after it."""
        return self.y + self.height


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds all of these.

    >>> around([Box(1, 2, 3, 4), Box(2, 1, 9, 1)])
    Box(x=1, y=1, width=10, height=5)
    """
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    return Box(left, top, right - left, bottom - top)


def turned(box: Box, width: int) -> Box:
    """The box in a picture so wide, after the picture was turned by a quarter against the clock.

    >>> turned(Box(x=0, y=2, width=3, height=4), 10)
    Box(x=2, y=7, width=4, height=3)
    """
    return Box(box.y, width - box.right, box.height, box.width)


def upright(box: Box, width: int) -> Box:
    """What `turned` has turned, as it was.

    >>> upright(Box(x=2, y=7, width=4, height=3), 10)
    Box(x=0, y=2, width=3, height=4)
    """
    return Box(width - box.bottom, box.x, box.height, box.width)


def widened(box: Box, margin: int) -> Box:
    """A box with a margin around it.

    >>> widened(Box(10, 10, 5, 5), 2)
    Box(x=8, y=8, width=9, height=9)
    """
    return Box(box.x - margin, box.y - margin, box.width + 2 * margin, box.height + 2 * margin)


def within(box: Box, top: int = 0, left: int = 0, margin: int = 0) -> tuple[slice, slice]:
    """The rows and columns of a box with a margin, in a part of the frame that begins at this row and column.

    >>> within(Box(2, 8, 3, 4), top=5, margin=1), within(Box(2, 8, 3, 4), top=9, left=3)
    ((slice(2, 8, None), slice(1, 6, None)), (slice(0, 3, None), slice(0, 2, None)))
    """
    down, across = max(box.y - margin - top, 0), max(box.x - margin - left, 0)
    end, right = max(box.bottom + margin - top, 0), max(box.right + margin - left, 0)
    return slice(down, end), slice(across, right)


def in_dotted_lines(boxes: Sequence[Box], smallest: float) -> set[int]:
    """The places of boxes that are dots of dotted lines: specks, compared with the largest box, of which more than
    MOST_ALONE follow each other, most of them smaller than the smallest numeral.

    >>> digit, dots = Box(0, 9, 20, 30), [Box(5 * place, 0, 2, 2) for place in range(7)]
    >>> [len(in_dotted_lines([digit, *some], 8)) for some in (dots, dots[:4], dots[::2] * 2)]
    [7, 0, 0]
    """
    most, dotted = SPECK * longest_side(boxes), set[int]()
    left = {place for place, one in enumerate(boxes) if max(one[2:]) < min(most, 2 * min(one[2:]) + 1)}
    while left:
        chain, ends = set[int](), {left.pop()}
        while ends:
            chain |= ends
            ends = {other for other in left if any(_follow(boxes[one], boxes[other]) for one in ends)}
            left -= ends
        if 2 * sum(max(boxes[one][2:]) < smallest for one in chain) > max(2 * MOST_ALONE, len(chain)):
            dotted |= chain
    return dotted


def _follow(one: Box, other: Box) -> bool:
    smaller, larger = sorted((max(one[2:]), max(other[2:])))
    reach = FAR * smaller if larger <= 2 * smaller else 0
    across = abs(2 * one.x + one.width - 2 * other.x - other.width)
    down = abs(2 * one.y + one.height - 2 * other.y - other.height)
    return across <= 2 * reach and down <= 2 * reach


def longest_side(boxes: Iterable[Box]) -> int:
    """The longest side of all of these.

    >>> longest_side([Box(1, 2, 3, 4), Box(2, 1, 9, 1)])
    9
    """
    return max(max(box.width, box.height) for box in boxes)


def free_between(one: Box, other: Box) -> int:
    """Free pixels between two boxes, across or down, whichever are more; 0 where they touch or overlap.

    >>> free_between(Box(0, 0, 10, 10), Box(13, 4, 5, 5)), free_between(Box(0, 0, 10, 10), Box(9, 9, 5, 5))
    (3, 0)
    """
    across = max(one.x, other.x) - min(one.right, other.right)
    down = max(one.y, other.y) - min(one.bottom, other.bottom)
    return max(across, down, 0)


def holds_middle(box: Box, other: Box) -> bool:
    """Whether the middle of another box is in a box.

    >>> holds_middle(Box(0, 0, 10, 10), Box(5, 5, 9, 9)), holds_middle(Box(0, 0, 10, 10), Box(5, 5, 10, 9))
    (True, False)
    """
    across, down = 2 * (other.x - box.x) + other.width, 2 * (other.y - box.y) + other.height
    return 0 <= across < 2 * box.width and 0 <= down < 2 * box.height


def covered(box: Box, others: Sequence[Box]) -> int:
    """Pixels of a box that are in others; those in several count as often.

    >>> covered(Box(0, 0, 10, 10), [Box(8, 5, 10, 10), Box(20, 0, 5, 5)])
    10
    """
    across = [max(min(box.right, one.right) - max(box.x, one.x), 0) for one in others]
    down = [max(min(box.bottom, one.bottom) - max(box.y, one.y), 0) for one in others]
    return sum(width * height for width, height in zip(across, down, strict=True))


NO_MARKS, ANOTHER_FORM, TOO_FAINT, BORDER, RULES = "no_marks", "another_form", "too_faint", "touches_border", "rules"
PRINT, TOO_SMALL = "print", "too_small"
"""The reason of a frame in which the marks of a form are not found, of a second sheet beside one that is read, of ink
that may be another pen's, of ink that the border cuts, of printed rules, of printed letters, and of ink that is smaller
than a numeral."""
UNREAD_REASONS = (
    *(BORDER, "too_bold", "too_large", TOO_SMALL, TOO_FAINT, "a_line", PRINT, RULES),
    *("no_numeral", "too_much_ink", NO_MARKS, ANOTHER_FORM),
)
"""Why ink is left out: cut by the border; bolder than a pen or the edge of a dark thing; larger or smaller than a
numeral; fainter than the writing in view; a ruled line or a crease; a printed word or block; printed boxes, fields and
tables; beside numerals and none itself; in a line with more strokes than are read, or in a frame with more; a frame
without the marks of its form; a second sheet of the form."""


class Unread(NamedTuple):
    """Ink that was found and is not read."""

    box: Box
    reason: str
    """One of `UNREAD_REASONS`."""
    strength: float = 0.0
    """Share of the paper's light that its strokes take, 0 to 1."""
    pen: float = 0.0
    """Mean width of its strokes, in pixels of the frame; 0 where it is not known."""
