"""Numbers of digits in doubt, because a point, a comma or a minus may be something else, or something else one of them.

All sizes are shares of the size of the digits, the longest side of one of them, unless they say otherwise.
"""

from collections.abc import Sequence

from edge_lpdpl.number.doubts.joined import LOW, POINT
from edge_lpdpl.number.grammar import POINTS
from edge_lpdpl.number.lattice import FOOT, Candidate
from edge_lpdpl.number.lines import LEAST_MARK, Row, box_of, longer_side
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.boxes import Box, Unread, longest_side

AS_STRONG = 0.5
"""Contrast of other ink over that of the numerals, from which on it may be writing. Fainter ink is no numeral of a
frame (`LocateSettings.faintest`)."""
BESIDE = 1.0
"""How far to the left or right of a number ink may be and still belong to it."""
HIGH = 0.25
"""How far down the highest mark is, as a share of the number's height."""
ZERO = "٠"
ZERO_DOWN, MARK_DOWN = 0.22, 0.28
"""How far off the middle of the line the Arabic-Indic zero is at most, and a point or comma at least."""
DASH, SHORT_MINUS, DOT_HEIGHT = 0.5, -1.1, -1.6
"""Logarithms: width over height of a zero that may be a minus; width of a minus that may be a zero, and height of a
point that may be one."""


def is_unclear(character: str, width: float, height: float, down: float, *, is_first: bool) -> bool:
    """Whether a character of Arabic-Indic digits may be a zero, a dot or a short dash at middle height, as well as a
    point or comma, short strokes at the foot or the top, or a minus, a dash before the first digit.

    Args:
        width, height, down: as of `edge_lpdpl.number.evidence.characters_in_line`.

    >>> [is_unclear(*one, is_first=False) for one in (("٠", -2, -2, 0.1), ("٠", -2, -2, 0.4), ("٫", -2, -1.2, 0.4))]
    [False, True, False]
    """
    if character == ZERO:
        return abs(down) > ZERO_DOWN or (is_first and width - height > DASH)
    if character == "-":
        return width < SHORT_MINUS
    return character in POINTS and (abs(down) < MARK_DOWN or (height < DOT_HEIGHT and width - height > -DASH))


def has_point(digit: Candidate, table: Sequence[Row], size: int) -> bool:
    """Whether a digit was put together with a part that may be a decimal point: small, compact, and at its foot, or
    beside all its other parts and not at its head.

    Args:
        table: the parts of the frame.
        size: of the digits, in pixels of the reduced frame.
    """
    for place, _, _ in digit.members if len(digit.members) > 1 else ():
        left, top, right, bottom, area, *_ = table[place]
        if longer_side(table[place]) > POINT * size or 2 * area < (right - left) * (bottom - top):
            continue
        rest = box_of([table[other] for other, _, _ in digit.members if other != place])
        is_beside = right <= rest[part.LEFT] or left >= rest[part.RIGHT]
        upper, lower = digit.row[part.TOP], digit.row[part.BOTTOM]
        if (top + bottom) / 2 - upper >= (LOW if is_beside else FOOT) * (lower - upper):
            return True
    return False


def may_be_thin_mark(
    ink: Unread, digits: Sequence[Box], number: Box, strength: float, *, has_zero: bool, boxed: bool
) -> bool:
    """Whether ink too thin for the pen of a number may be a minus, a point or a comma of it: at least half as dark as
    its digits, before or between them, not at their heads, and not like a rest of a printed box.

    Args:
        strength: mean of the digits'.
        has_zero: whether a speck may be a zero, too: behind the other digits, and upright.
        boxed: whether the number is in printed boxes, which leave flat rests at its foot, too.
    """
    (left, top, width, height), size = ink.box, longest_side(digits)
    if ink.strength < AS_STRONG * strength or max(width, height) < LEAST_MARK * size:
        return False
    lowest = 1 - HIGH if boxed and width > 2 * height else 1 + HIGH
    is_low = HIGH <= (top + height / 2 - number.y) / number.height <= lowest
    if (height > 2 * width and not has_zero) or not is_low:
        return False
    behind = BESIDE * size if has_zero else 0
    if not number.x - BESIDE * size <= left + width / 2 <= number.right + behind:
        return False
    over = max(min(left + width, box.right) - max(left, box.x) for box in digits)
    return 2 * over <= width
