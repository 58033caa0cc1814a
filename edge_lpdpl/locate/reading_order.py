"""Which numeral is read first: lines from the top down, each from left to right; a single column from the top down."""

from collections.abc import Sequence
from itertools import pairwise

from edge_lpdpl.locate.box import Box


def in_reading_order(boxes: Sequence[Box]) -> list[Box]:
    """The boxes as they are read.

    A line goes on with the next box to the right whose middle is nearer than half a character to the middle of the
    line's last box, so a line may climb or fall. Where all boxes stand above each other, they are a column.

    >>> in_reading_order([Box(90, 14, 20, 30), Box(10, 10, 20, 30), Box(50, 24, 20, 4)])
    [Box(x=10, y=10, width=20, height=30), Box(x=50, y=24, width=20, height=4), Box(x=90, y=14, width=20, height=30)]
    """
    if len(boxes) < 2:
        return list(boxes)
    if _is_column(boxes):
        return sorted(boxes, key=lambda box: box.y + box.bottom)
    size = max(max(box.width, box.height) for box in boxes)
    lines: list[list[Box]] = []
    for box in sorted(boxes):
        middle = box.y + box.bottom
        distance = [(abs(line[-1].y + line[-1].bottom - middle), place) for place, line in enumerate(lines)]
        best = min(distance, default=(size, 0))
        if best[0] < size:
            lines[best[1]].append(box)
        else:
            lines.append([box])
    lines.sort(key=lambda line: sum(box.y + box.bottom for box in line) / len(line))
    return [box for line in lines for box in line]


def _is_column(boxes: Sequence[Box]) -> bool:
    """Every box overlaps the one below it across, and none of them down."""
    ordered = sorted(boxes, key=lambda box: box.y + box.bottom)
    return all(
        upper.bottom <= lower.y and max(upper.x, lower.x) < min(upper.right, lower.right)
        for upper, lower in pairwise(ordered)
    )
