"""Digits that may not belong to their number, because of their place: small ones that do not stand on its line, such as
raised cents of a price, an exponent or an index, and those of another number farther away; and points at odd places."""

from collections.abc import Sequence
from itertools import pairwise

from edge_lpdpl.number.grammar import POINTS
from edge_lpdpl.page.boxes import Box

SMALL, RAISED, LOWERED = 0.65, 0.36, 0.08
"""Height of such a digit over that of the highest, and how far its foot is then above or below that one's at least, of
the same height."""
CENTS, CENTS_SMALL, CENTS_RAISED = 2, 0.8, 0.1
"""Digits of cents; their height over that of the least high of the others, and how far the feet of both are above those
of all others at least, over the height of the highest: two that are so are rarely so by chance."""

FREE, FARTHER = 0.8, 1.5
"""Free space between two characters over the height of the highest, and how far apart they are over the nearest two:
above both there may be two numbers."""
WIDER, BEHIND_POINT = 1.5, 0.3
"""Free space behind the last character of a group over the second widest such space, and behind a point that ends one
over the height of the highest: above these it does."""


def are_uneven(boxes: Sequence[Box], tilt: float) -> bool:
    """Whether a digit is small beside another one and does not stand on the same line, or the last two.

    Args:
        boxes: of the digits, from left to right.
        tilt: how far the line goes down for every pixel to the right.

    >>> large, cents, small = (Box(0, y, 30, height) for y, height in ((0, 80), (0, 40), (40, 40)))
    >>> are_uneven([large, cents], 0.0), are_uneven([large, small], 0.0), are_uneven([large, large], 0.0)
    (True, False, False)
    >>> are_uneven([large, Box(30, 0, 30, 60), Box(60, 5, 30, 62)], 0.0)
    True
    """
    feet = [box.bottom - tilt * (box.x + box.width / 2) for box in boxes]
    highest, foot = max(zip(boxes, feet, strict=True), key=lambda one: one[0].height)
    for box, own in zip(boxes, feet, strict=True):
        if box.height <= SMALL * highest.height and not -LOWERED < (foot - own) / highest.height < RAISED:
            return True
    others, cents = boxes[:-CENTS], boxes[-CENTS:]
    if not others or max(box.height for box in cents) > CENTS_SMALL * min(box.height for box in others):
        return False
    return min(feet[:-CENTS]) - max(feet[-CENTS:]) >= CENTS_RAISED * highest.height


def has_wide_space(boxes: Sequence[Box]) -> bool:
    """Whether characters that are read as one number may be two numbers, because two of them are much farther apart
    than others.

    Args:
        boxes: of the characters, points and signs among them, from left to right.

    >>> first, far, near = (Box(x, 0, 30, 50) for x in (0, 80, 115))
    >>> has_wide_space([first, far, near]), has_wide_space([first, far])
    (True, False)
    """
    steps = [(other.x + other.width / 2 - one.x - one.width / 2, other.x - one.right) for one, other in pairwise(boxes)]
    if not steps:
        return False
    (nearest, _), (farthest, free) = min(steps), max(steps)
    return free > FREE * max(box.height for box in boxes) and farthest > FARTHER * nearest


def has_odd_point(text: str, boxes: Sequence[Box]) -> bool:
    """Whether a point or comma may be that behind the number of an item of a list, as in `2. 69`, or that of ! and ?.

    Args:
        text: characters, each with its box.
    """
    end = group_end(boxes, BEHIND_POINT)
    if end is not None and text[end] in POINTS:
        return True
    dots = [(place, box) for place, box in enumerate(boxes) if text[place] in POINTS]
    return any(is_below(box, other) for place, box in dots for other in boxes[place - 1 : place + 2])


def is_below(dot: Box, character: Box) -> bool:
    """Whether a dot is straight below a character, as in ! and ?, and not beside its foot.

    >>> stroke = Box(10, 0, 20, 50)
    >>> [is_below(Box(x, y, 6, 6), stroke) for x, y in ((14, 54), (14, 46), (28, 54))]
    [True, False, False]
    """
    shared = min(dot.right, character.right) - max(dot.x, character.x)
    return 2 * shared > dot.width and dot.y >= character.bottom


def group_end(boxes: Sequence[Box], least: float = 0.0) -> int | None:
    """The last character of a group, as the point of `2. 69`: the space behind it is clearly wider than all others.
    None where no space is, or there is no other.

    Args:
        boxes: of the characters, points and signs among them, from left to right.
        least: of that space, over the height of the highest.

    >>> two, point, six, nine = (Box(x, 0, width, 50) for x, width in ((0, 30), (33, 6), (65, 30), (100, 30)))
    >>> group_end([two, point, six, nine]), group_end([two, six, nine])
    (1, 0)
    >>> group_end([six, nine])
    """
    free = [other.x - one.right for one, other in pairwise(boxes)]
    if len(free) < 2:
        return None
    *others, widest = sorted(free)
    is_wide = widest > least * max(box.height for box in boxes) and widest > WIDER * max(*others, 0)
    return free.index(widest) if is_wide else None
