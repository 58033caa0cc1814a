"""Numbers in doubt because they may be parts of one: a wide space has divided it, in boxes or without."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from edge_lpdpl.number.doubts.walls import are_in_boxes
from edge_lpdpl.number.line_reader import Line
from edge_lpdpl.number.lines import STEEPEST, UNEVEN
from edge_lpdpl.page.boxes import Box, longest_side
from edge_lpdpl.page.locator import Locator

WIDEST_APART = 2.5
"""From one box for a character to the next one over the size of what is written in it, at most."""


def parts_of_one(
    locator: Locator, reads: Sequence[Line], frames: Sequence[Box], are_apart: Callable[[Box, Box], bool]
) -> set[int]:
    """The places of numbers that may be parts of one: they are beside each other, and two of them are in one printed
    field or on one underline, in one row of printed boxes for characters, or hardly farther apart than the numerals of
    one.

    Args:
        reads: lines that have a number.
        frames: printed fields and underlines, without rows of boxes for characters.
        are_apart: whether two boxes are in different cells of a table.
    """
    rows = list[tuple[set[int], bool]]()  # numbers beside each other, and whether two may be one
    for place, other in _beside(reads):
        near = [row for row in rows if row[0] & {place, other}]
        may_be = any(doubt for _, doubt in near) or _may_be_one(locator, reads[place], reads[other], frames, are_apart)
        rows = [row for row in rows if row not in near]
        rows.append(({place, other}.union(*(row for row, _ in near)), may_be))
    return set[int]().union(*(row for row, may_be in rows if may_be))


def _beside(reads: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """The places of each two numbers that are beside each other and no farther apart than characters in boxes."""
    sizes = [longest_side(one.box for one in read.numerals) for read in reads]
    for place, read in enumerate(reads):
        last = read.numerals[-1].box
        for other, behind in enumerate(reads):
            first, size = behind.numerals[0].box, max(sizes[place], sizes[other])
            if 0 <= first.x - last.right <= WIDEST_APART * size and overlap(last, first):
                yield place, other


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes beside each other share a row, or nearly do.

    >>> overlap(Box(0, 0, 20, 30), Box(50, 32, 20, 30)), overlap(Box(0, 0, 20, 30), Box(50, 40, 20, 30))
    (True, False)
    """
    return max(one.y, other.y) - min(one.bottom, other.bottom) <= max(one.height, other.height) // 10


def are_level(one: Box, other: Box, size: int) -> bool:
    """Whether the middles of two boxes are as level as those of neighbours in a line.

    >>> are_level(Box(0, 0, 20, 30), Box(50, 10, 20, 30), 30), are_level(Box(0, 0, 20, 30), Box(50, 30, 20, 30), 30)
    (True, False)
    """
    return abs(2 * one.y + one.height - 2 * other.y - other.height) <= 2 * STEEPEST * size


def _may_be_one(
    locator: Locator, one: Line, behind: Line, frames: Sequence[Box], are_apart: Callable[[Box, Box], bool]
) -> bool:
    boxes, more = [numeral.box for numeral in one.numerals], [numeral.box for numeral in behind.numerals]
    last, first = boxes[-1], more[0]
    in_one_cell = not are_apart(last, first)
    if in_one_cell and any(is_in(frame, last) and is_in(frame, first) for frame in frames):
        return True
    if not are_level(last, first, max(map(longest_side, (boxes, more)))):
        return False
    if in_one_cell and is_as_near(boxes, more):
        return True
    return are_in_boxes(locator, boxes + more, one.groups[0][1], WIDEST_APART)


def is_in(frame: Box, numeral: Box) -> bool:
    """Whether a numeral is in a printed field, or on an underline.

    >>> [is_in(Box(0, 10, 99, height), Box(20, 12, 20, 40)) for height in (50, 4)]
    [True, False]
    >>> is_in(Box(0, 60, 99, 4), Box(20, 12, 20, 40))
    True
    """
    across, down = numeral.x + numeral.width / 2, numeral.y + numeral.height / 2
    return frame.x <= across <= frame.right and frame.y - numeral.height <= down <= frame.bottom


def is_as_near(one: Sequence[Box], behind: Sequence[Box]) -> bool:
    """Whether a number is hardly farther behind another one than numerals of either are apart.

    >>> digits = [Box(x, 0, 20, 30) for x in (0, 50, 105, 175)]
    >>> is_as_near(digits[:2], digits[2:3]), is_as_near(digits[:2], digits[3:])
    (True, False)
    """
    gaps = [after.x - before.right for boxes in (one, behind) for before, after in pairwise(boxes)]
    return behind[0].x - one[-1].right <= UNEVEN * max(gaps, default=0)
