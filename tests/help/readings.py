"""Readings of numbers that no picture shows."""

from collections.abc import Sequence

from edge_lpdpl.number.lattice import NOT_READ
from edge_lpdpl.number.line_reader import Number, Numeral
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.page.boxes import Box, Unread


def reading_of(*numbers: tuple[str, str | None, Sequence[Box]], unread: Sequence[Unread] = ()) -> Reading:
    """A reading of numbers (text, reason, boxes of their numerals), 0.9 sure."""
    found, numerals = list[Number](), list[Numeral]()
    for text, reason, boxes in numbers:
        whole = Box(boxes[0].x, boxes[0].y, boxes[-1].right - boxes[0].x, boxes[0].height)
        places = tuple(range(len(numerals), len(numerals) + len(boxes)))
        found.append(Number(text, float(text), 0.9, reason, whole, places))
        numerals += [Numeral(box, NOT_READ) for box in boxes]
    return Reading(found, numerals, list(unread))
