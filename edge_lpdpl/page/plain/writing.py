"""What no pen has written, with array operations over all rows: what the kernels of `writing` do."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.settings import Limits

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


def keep_writing(table: Whole, limits: Limits) -> tuple[Whole, Whole, Whole, int]:
    """The parts (n, COLUMNS) of those in the table that may belong to numerals; the new row of each part, -1 for none;
    what was left out (k, UNREAD_COLUMNS); and the contrast of the strongest part."""
    reasons = why_no_writing(table, limits)
    bold = is_broad(table, limits.boldest, limits)
    strongest = int(_peaks(table)[(reasons == 0) & ~bold].max(initial=0))
    strong = (strongest >= limits.least_peak) & is_strong(table, strongest, limits.weak_stroke, limits)
    weak = (reasons == 0) & ~strong
    reasons[weak] = np.where(bold[weak], part.TOO_BOLD, part.TOO_FAINT)
    kept = reasons == 0
    return table[kept], np.where(kept, kept.cumsum() - 1, -1), left_out(table, reasons), strongest


def why_no_group(row: Whole, strongest: int, rise: Whole, limits: Limits) -> int:
    """Reason why a group of parts, a row (COLUMNS,), is no numeral, 0 where it may be one.

    Args:
        strongest: contrast of the strongest part.
        rise: (height, width) contrast of every pixel, however faint.
    """
    reason = int(why_no_numeral(row[None], limits)[0])
    if reason == 0 and not is_strong(row[None], strongest, 256, limits)[0]:
        return part.TOO_FAINT
    return part.A_LINE if reason == 0 and goes_on(row, rise) else reason


def left_out(table: Whole, reasons: Whole) -> Whole:
    """Rows (k, UNREAD_COLUMNS) of what has a reason."""
    pens, nothing = 256 * table[:, part.AREA] // np.maximum(half_outline(table), 1), np.zeros_like(reasons)
    rows: Whole = np.column_stack([table[:, : part.REASON], reasons, _peaks(table), pens, nothing])[reasons != 0]
    return rows


def sizes(table: Whole) -> tuple[Whole, Whole, Whole]:
    """Widths, heights and longer sides."""
    widths, heights = table[:, part.RIGHT] - table[:, part.LEFT], table[:, part.BOTTOM] - table[:, part.TOP]
    return widths, heights, np.maximum(widths, heights)


def half_outline(table: Whole) -> Whole:
    """Half the length of the outline in pixels, steps and all."""
    return table[:, part.RUNS] + table[:, part.AREA] - table[:, part.SHARED]


def is_bold(table: Whole, boldest: int, limits: Limits) -> Flags:
    """Strokes are wider than `boldest`/256 of the whole."""
    widths, heights, side = sizes(table)
    bar = np.minimum(widths, heights) * 5 <= side * 2
    thick = table[:, part.AREA] > limits.thickest * half_outline(table)
    most = np.where(bar, max(limits.boldest_bar, boldest), boldest)
    bold: Flags = thick | (table[:, part.AREA] * 256 > most * (side + 2) * half_outline(table))
    return bold & (limits.largest_dot == 0)


def is_broad(table: Whole, boldest: int, limits: Limits) -> Flags:
    """Larger than the marks whose boldness is not limited, and bold."""
    broad: Flags = (sizes(table)[2] > limits.largest_mark) & is_bold(table, boldest, limits)
    return broad


def character_side(table: Whole) -> Whole:
    """Longer side of the characters in each part: the height of one with the strokes of several."""
    widths, heights, side = sizes(table)
    sides: Whole = np.where(half_outline(table) * 2 > widths * 3, heights, side)
    return sides


def why_no_writing(table: Whole, limits: Limits) -> Whole:
    """Reason why each part cannot belong to a number, 0 where it can."""
    border = limits.border
    cut = (table[:, part.LEFT] < border) | (table[:, part.TOP] < border)
    cut |= (table[:, part.RIGHT] > limits.width - border) | (table[:, part.BOTTOM] > limits.height - border)
    bold = is_broad(table, limits.boldest_beside, limits) | ~is_whole(table, 20)
    outside = [(cut, part.TOUCHES_BORDER), (is_straight(table), part.A_LINE)]
    return first_reason([*outside, (character_side(table) > limits.largest, part.TOO_LARGE), (bold, part.TOO_BOLD)])


def first_reason(rules: list[tuple[Flags, int]]) -> Whole:
    """The reason of the first rule that holds for each row, 0 where none does."""
    return np.select([holds for holds, _ in rules], [reason for _, reason in rules]).astype(np.int64)


def is_whole(table: Whole, granted: int | Whole) -> Flags:
    """No rim of something darker: the darkness ends where the ink ends."""
    return table[:, part.OPEN] * 5 <= table[:, part.RUNS] + granted


def is_straight(table: Whole) -> Flags:
    """A line so thin for its length that no hand drew it."""
    widths, heights, side = sizes(table)
    thin = np.minimum(widths, heights)
    straight: Flags = (thin * 24 < side) | ((thin == 1) & (side > 8))
    return straight


def is_sliver(table: Whole) -> Flags:
    """A bar of two pixels, as the rim of something larger may leave it."""
    widths, heights, side = sizes(table)
    thin = np.minimum(widths, heights)
    return (thin <= 2) & (side >= 8 * thin)


def is_strong(table: Whole, strongest: int, share: int, limits: Limits) -> Flags:
    """As strong as ink, and not much fainter than the strongest writing in view, or as share/256 of that."""
    peaks = _peaks(table) * 256
    return (peaks >= limits.faintest_peak * share) & (peaks * 256 >= limits.faintest * strongest * share)


def _peaks(table: Whole) -> Whole:
    return table[:, part.RIDGE] // table[:, part.RUNS]


def why_no_numeral(table: Whole, limits: Limits) -> Whole:
    """Reason why each group of strokes is no numeral, 0 where it may be one."""
    widths, heights, side = sizes(table)
    compact = (table[:, part.AREA] * 2 >= widths * heights) & (np.minimum(widths, heights) * 2 >= side)
    dot = compact & (side >= limits.smallest_dot) & (side <= limits.largest_dot)
    length = half_outline(table)
    word = (widths > 3 * heights) & (length * 4 > (widths + heights) * 5)
    word |= (widths > 2 * heights) & (length * 5 > (widths + heights) * 9)
    filled = (table[:, part.AREA] * 100 >= widths * heights * 48) & (length * 10 <= (widths + heights) * 11)
    filled &= np.minimum(widths, heights) * 5 > side * 2
    filled &= np.minimum(widths, heights) >= limits.smallest_shape
    granted = np.where(np.minimum(widths, heights) * 3 <= side, 3, 8)
    rules = [
        (is_straight(table) | is_sliver(table), part.A_LINE),
        (~is_whole(table, granted), part.TOO_BOLD),
        (word | (table[:, part.LONGEST] * 256 < limits.longest_part * side), part.PRINT),
        (dot & (table[:, part.RIDGE] < limits.faintest_dot * table[:, part.RUNS]), part.TOO_FAINT),
        (~dot & (side < limits.smallest), part.TOO_SMALL),
        (~dot & (side > limits.largest), part.TOO_LARGE),
        (~dot & (filled | is_bold(table, limits.boldest, limits)), part.TOO_BOLD),
    ]
    return first_reason(rules)


def goes_on(row: Whole, rise: Whole) -> bool:
    """A bar goes on beyond both of its ends, though fainter, or what is no more than a cross beyond all four sides."""
    left, top, right, bottom = (int(row[column]) for column in (part.LEFT, part.TOP, part.RIGHT, part.BOTTOM))
    lying, upright = (bottom - top) * 3 <= right - left, (right - left) * 3 <= bottom - top
    least = int(row[part.RIDGE] // row[part.RUNS] * 3 // 8)
    if not (lying or upright or half_outline(row[None])[0] * 10 <= (right - left + bottom - top) * 13):
        return False
    return (upright or _strokes_on(top, bottom, left, right, rise, least)) and (
        lying or _strokes_on(left, right, top, bottom, rise.T, least)
    )


def _strokes_on(low: int, high: int, start: int, end: int, rise: Whole, least: int) -> bool:
    """Whether there is contrast of at least `least` 3, 5 and 7 columns before `start` and beyond `end`, somewhere in
    the rows from `low` to `high`."""
    most = rise[max(low - 2, 0) : high + 2].max(axis=0)
    columns = np.array([[start - away, end - 1 + away] for away in (3, 5, 7)])
    outside = (columns < 0) | (columns >= most.size)
    strong = outside | (most[np.clip(columns, 0, most.size - 1)] >= least)
    return bool(strong.all())
