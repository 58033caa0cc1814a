"""Numbers in doubt because they are pieces of a dashed line."""

from collections.abc import Sequence

from edge_lpdpl.number.line_reader import Number, Numeral
from edge_lpdpl.numeral.recogniser import UNSURE
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.rules_table import SLIM

FEWEST = 3
"""Dashes of a line that are seen, at least: two 1s may stand below each other."""
ALIKE, APART = 0.8, 1.2
"""Length of the shorter of two neighbouring dashes over that of the longer one, at least; and how far apart they are at
most, over their length."""


def with_dashes(numbers: Sequence[Number], numerals: Sequence[Numeral]) -> list[Number]:
    """The numbers; in doubt are upright bars in line with others, each the only numeral of its number.

    Args:
        numerals: those that the numbers have the places of.
    """
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
