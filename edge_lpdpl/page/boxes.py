"""Boxes, ink that is left unread and why, and the order of reading."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


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


UNREAD_REASONS = ("touches_border", "too_bold", "too_large", "too_small", "too_faint", "a_line", "print")
"""Why ink is left out: cut by the border; bolder than a pen or the edge of a dark thing; larger or smaller than a
numeral; fainter than the writing in view; a ruled line or a crease; a printed word or block."""


class Unread(NamedTuple):
    """Ink that was found and is not read."""

    box: Box
    reason: str
    """One of `UNREAD_REASONS`."""


def reading_order(boxes: Sequence[Box]) -> list[int]:
    """Places of the boxes in the order in which they are read.

    A line goes on with the next box to the right whose middle is nearer than half a character to the middle of the
    line's last box, so a line may climb or fall. Where all boxes stand above each other, they are a column.

    >>> reading_order([Box(90, 14, 20, 30), Box(10, 10, 20, 30), Box(50, 24, 20, 4)])
    [1, 2, 0]
    """
    if len(boxes) < 2:
        return [0] * len(boxes)
    middles = [box.y + box.bottom for box in boxes]
    if _is_column(boxes):
        return sorted(range(len(boxes)), key=middles.__getitem__)
    size = max(max(box.width, box.height) for box in boxes)
    lines: list[list[int]] = []
    for place in sorted(range(len(boxes)), key=lambda place: boxes[place]):
        distances = [(abs(middles[line[-1]] - middles[place]), number) for number, line in enumerate(lines)]
        distance, number = min(distances, default=(size, 0))
        if distance < size:
            lines[number].append(place)
        else:
            lines.append([place])
    lines.sort(key=lambda line: sum(middles[place] for place in line) / len(line))
    return [place for line in lines for place in line]


def _is_column(boxes: Sequence[Box]) -> bool:
    """Every box overlaps the one below it across, and none of them down."""
    ordered = sorted(boxes, key=lambda box: box.y + box.bottom)
    return all(
        upper.bottom <= lower.y and max(upper.x, lower.x) < min(upper.right, lower.right)
        for upper, lower in pairwise(ordered)
    )
