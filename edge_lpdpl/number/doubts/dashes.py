"""Numbers in doubt because they are pieces of a dashed line, or their point is a dot of a dotted wall."""

from collections.abc import Sequence

from edge_lpdpl.number.grammar import POINTS
from edge_lpdpl.number.line_reader import Number, Numeral
from edge_lpdpl.numeral.recogniser import UNSURE
from edge_lpdpl.page.boxes import RULES, Box, Unread, longest_side
from edge_lpdpl.page.rules_table import SLIM

FEWEST = 3
"""Dashes of a line that are seen, at least: two 1s may stand below each other."""
ALIKE, APART = 0.8, 1.2
"""Length of the shorter of two neighbouring dashes over that of the longer one, at least; and how far apart they are at
most, over their length."""
DOTS, DOT = 2, 0.25
"""Other dots beside a point from which on it is one of a dotted wall; and the longer side of such a dot over the height
of the number, at most."""


def with_dashes(numbers: Sequence[Number], numerals: Sequence[Numeral], unread: Sequence[Unread]) -> list[Number]:
    """The numbers; in doubt are upright bars in line with others, each the only numeral of its number, and numbers with
    a point where other dots are above or below it.

    Args:
        numerals: those that the numbers have the places of.
        unread: all ink of the frame that is not read.
    """
    for place, number in enumerate(numbers):
        if not POINTS.isdisjoint(number.text):
            boxes = [numerals[one].box for one in number.numerals]
            if has_dotted_wall(number, boxes, unread):
                doubtful = number._replace(reason=number.reason or UNSURE)
                numbers = [*numbers[:place], doubtful, *numbers[place + 1 :]]
    if len(numbers) < FEWEST:
        return list(numbers)
    alone = [(place, numerals[one.numerals[0]].box) for place, one in enumerate(numbers) if len(one.numerals) == 1]
    bars = [(place, box) for place, box in alone if SLIM * box.width <= box.height]
    lines = lines_of([box for _, box in bars])
    dashes = {bars[one][0] for line in lines if len(line) >= FEWEST for one in line}
    return [
        number._replace(reason=number.reason or UNSURE) if place in dashes else number
        for place, number in enumerate(numbers)
    ]


def has_dotted_wall(number: Number, boxes: Sequence[Box], unread: Sequence[Unread]) -> bool:
    """Whether other dots are above or below a point or comma of a number, between the same two numerals: no flat ones,
    which are pieces of ruled lines.

    Args:
        boxes: of its numerals, in its order.

    >>> number = Number("1.2", 1.2, 0.99, None, Box(0, 0, 80, 50), (0, 1))
    >>> dots = [Unread(Box(38, y, 4, 4), "too_small") for y in (5, 20)]
    >>> boxes = [Box(0, 0, 30, 50), Box(50, 0, 30, 50)]
    >>> has_dotted_wall(number, boxes, dots), has_dotted_wall(number, boxes, dots[:1])
    (True, False)
    """
    box, seen = number.box, 0
    for character in number.text:
        if character in POINTS and 0 < seen < len(boxes):
            left, right = boxes[seen - 1].right, boxes[seen].x
            dots = [one.box for one in unread if one.reason != RULES and longest_side([one.box]) <= DOT * box.height]
            between = [dot for dot in dots if left <= dot.x + dot.width / 2 <= right and 2 * dot.height > dot.width]
            if sum(box.y - box.height <= dot.y <= box.bottom + box.height for dot in between) >= DOTS:
                return True
        seen += character.isdecimal()
    return False


def lines_of(bars: Sequence[Box]) -> list[list[int]]:
    """The places of bars that follow each other down a line, from the top.

    >>> lines_of([Box(10, 0, 4, 20), Box(40, 5, 4, 20), Box(11, 30, 4, 21), Box(12, 60, 4, 20)])
    [[0, 2, 3], [1]]
    """
    lines = list[list[int]]()
    for place in sorted(range(len(bars)), key=lambda place: bars[place].y):
        line = next((line for line in lines if _follows(bars[place], bars[line[-1]])), None)
        if line is None:
            lines.append([place])
        else:
            line.append(place)
    return lines


def _follows(lower: Box, upper: Box) -> bool:
    aside = abs(2 * lower.x + lower.width - 2 * upper.x - upper.width) / 2
    shorter, longer = sorted((lower.height, upper.height))
    return (
        aside <= max(lower.width, upper.width)
        and shorter >= ALIKE * longer
        and 0 <= lower.y - upper.bottom <= APART * longer
    )
