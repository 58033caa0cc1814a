"""Numbers in doubt because a printed wall may divide them, or be one of their numerals."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import inf

from edge_lpdpl.number.line_reader import Line, Numeral
from edge_lpdpl.number.lines import Row, crosses_wall, is_divided
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.boxes import Box, longest_side
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.rules_table import OFF_GRID

WIDEST_BOX = 2.0
"""Width of the widest box for one character over the size of what is written in it."""


def is_unsure_for_walls(
    locator: Locator, table: Sequence[Row], walls: Sequence[Row], read: Line, line: Sequence[int], entry: Row | None
) -> bool:
    """Whether printed walls leave a doubt about a number.

    Args:
        table: the parts of the frame.
        walls: of its tables.
        line: the parts of the number.
        entry: the row of boxes that it is in, one for each character. Of two numerals in one box, one may be a wall.
    """
    if entry is None:
        return may_be_two(locator, table, walls, read, line)
    return 2 * nearest(read.numerals) < entry[part.CELL] * locator.factor


def may_be_two(locator: Locator, table: Sequence[Row], walls: Sequence[Row], read: Line, line: Sequence[int]) -> bool:
    """Whether a number may be two: one of its parts goes on beyond a wall of a table, or a printed wall
    stands between two of its numerals that is not one of a row of boxes."""
    if any(crosses_wall(table[place], walls) for place in line):
        return True
    boxes, between, tilt = [one.box for one in read.numerals], locator.wall_between, read.groups[0][1]
    stands_wall = any(between(one, other, tilt) is not None for one, other in pairwise(boxes))
    if not stands_wall and not is_divided(table, line, walls):
        return False
    return not are_in_boxes(locator, boxes, tilt)


def are_in_boxes(locator: Locator, boxes: Sequence[Box], tilt: float, widest: float = WIDEST_BOX) -> bool:
    """Whether the numerals of a line, from the left, are in a row of printed boxes, one for each; `widest` is the width
    of one over the size of the numerals, at most."""
    size, first, last = longest_side(boxes), boxes[0], boxes[-1]
    ends = first._replace(x=first.x - size, width=0), last._replace(x=last.right + size)
    between = locator.wall_between
    found = [between(one, other, tilt, behind=True) for one, other in pairwise([ends[0], *boxes, ends[1]])]
    return are_of_boxes(found, widest * size / locator.factor)


def are_of_boxes(walls: Sequence[int | None], widest: float) -> bool:
    """Whether walls before, between and behind the characters of a line are those of a row of boxes: three or more, and
    two of three, are as far apart as boxes of one width.

    Args:
        walls: the column of each, None for a gap without one.
        widest: width of a box, at most.

    >>> are_of_boxes([40, 70, 101], 50), are_of_boxes([40, 70, 101], 24), are_of_boxes([40, 70, None], 50)
    (True, False, False)
    """
    found = [(place, wall) for place, wall in enumerate(walls) if wall is not None]
    most = 0
    for (before, first), (behind, last) in combinations(found, 2):
        cell = (last - first) / (behind - before)
        if 0 < cell <= widest:
            even = sum(abs(wall - first - (place - before) * cell) * OFF_GRID <= cell for place, wall in found)
            most = max(most, even)
    return most >= max(3, 2 * len(walls) / 3)


def nearest(numerals: Sequence[Numeral]) -> float:
    """Distance between the middles of the two nearest of them, across, in pixels of the frame; infinite for one."""
    middles = sorted(one.box.x + one.box.width / 2 for one in numerals)
    return min((after - before for before, after in pairwise(middles)), default=inf)
