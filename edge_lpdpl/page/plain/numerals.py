"""Parts of ink to numerals, with array operations over all pairs of rows: what `numerals` does, without a compiler."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.settings import Limits

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


def find_numerals(table: Whole, rise: Whole, limits: Limits) -> tuple[Whole, Whole, Whole]:
    """Numerals (n, COLUMNS) from parts (m, COLUMNS), in the order of their first parts; the numeral of each part, -1
    for none; and what was left out (k, UNREAD_COLUMNS).

    Args:
        rise: (height, width) contrast of every pixel, however faint.
    """
    reasons = why_no_writing(table, limits)
    strongest = int(_peaks(table)[reasons == 0].max(initial=0))
    strong = (strongest >= limits.least_peak) & is_strong(table, strongest, limits.weak_stroke, limits)
    reasons[(reasons == 0) & ~strong] = part.TOO_FAINT
    unread, written = [left_out(table, reasons)], reasons == 0
    rows = np.where(written, written.cumsum() - 1, -1)
    table = table[written]
    for step in range(3):
        table, places = merged(table, near(table) if step == 0 else one_character(table, limits))
        rows = np.where(rows >= 0, np.append(places, -1)[rows], -1)
    reasons = why_no_numeral(table, limits)
    reasons[(reasons == 0) & ~is_strong(table, strongest, 256, limits)] = part.TOO_FAINT
    reasons[(reasons == 0) & np.array([goes_on(row, rise) for row in table], np.bool_)] = part.A_LINE
    chosen = reasons == 0
    places = np.append(np.where(chosen, chosen.cumsum() - 1, -1), -1)
    unread.append(left_out(table, reasons))
    return table[chosen], np.where(rows >= 0, places[rows], -1), np.concatenate(unread)


def left_out(table: Whole, reasons: Whole) -> Whole:
    """Boxes and reasons (k, UNREAD_COLUMNS) of the rows that have a reason."""
    rows: Whole = np.column_stack([table[:, : part.REASON], reasons])[reasons != 0]
    return rows


def sizes(table: Whole) -> tuple[Whole, Whole, Whole]:
    """Widths, heights and longer sides."""
    widths, heights = table[:, part.RIGHT] - table[:, part.LEFT], table[:, part.BOTTOM] - table[:, part.TOP]
    return widths, heights, np.maximum(widths, heights)


def half_outline(table: Whole) -> Whole:
    """Half the length of the outline in pixels, steps and all."""
    return table[:, part.RUNS] + table[:, part.AREA] - table[:, part.SHARED]


def not_bold(table: Whole, limits: Limits) -> Flags:
    """Strokes are narrow for the whole."""
    widths, heights, side = sizes(table)
    bar = np.minimum(widths, heights) * 5 <= side * 2
    thick = table[:, part.AREA] > limits.thickest * half_outline(table)
    boldest = np.where(bar, limits.boldest_bar, limits.boldest)
    narrow: Flags = ~thick & (table[:, part.AREA] * 256 <= boldest * (side + 2) * half_outline(table))
    return narrow | (limits.largest_dot > 0)


def why_no_writing(table: Whole, limits: Limits) -> Whole:
    """Reason why each part cannot belong to a numeral, 0 where it can."""
    side, border = sizes(table)[2], limits.border
    cut = (table[:, part.LEFT] < border) | (table[:, part.TOP] < border)
    cut |= (table[:, part.RIGHT] > limits.width - border) | (table[:, part.BOTTOM] > limits.height - border)
    bold = ((side > limits.largest_mark) & ~not_bold(table, limits)) | ~is_whole(table, 20)
    outside = [(cut, part.TOUCHES_BORDER), (is_straight(table), part.A_LINE)]
    return first_reason([*outside, (side > limits.largest, part.TOO_LARGE), (bold, part.TOO_BOLD)])


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


def gaps(table: Whole) -> tuple[Whole, Whole]:
    """Free pixels across and down between every two boxes; negative where they overlap."""
    left, right, top, bottom = (table[:, column] for column in (part.LEFT, part.RIGHT, part.TOP, part.BOTTOM))
    across = np.maximum(left[:, None], left) - np.minimum(right[:, None], right)
    down = np.maximum(top[:, None], top) - np.minimum(bottom[:, None], bottom)
    return across, down


def near(table: Whole) -> Flags:
    """Which two parts all but touch."""
    side = sizes(table)[2]
    room = np.maximum(np.maximum(side[:, None], side) // 10, 2)
    close: Flags = np.maximum(*gaps(table)) <= room
    return close


def one_character(table: Whole, limits: Limits) -> Flags:
    """Which two groups of strokes are one character: above each other, or beside, or leaning apart, or two halves."""
    if not len(table):
        return np.zeros((0, 0), np.bool_)
    widths, heights, sides = sizes(table)
    longest = np.sort(sides)[::-1]
    size = longest[np.argmax(longest.cumsum() * 10 >= longest.sum() * 3)]
    across, down = gaps(table)
    wide, tall = widths[:, None] + widths + across, heights[:, None] + heights + down
    above = -across * 2 >= np.minimum(widths[:, None], widths)
    stacked = (down * 20 <= np.minimum(np.maximum(widths[:, None], widths), size) * 17) & (tall <= size * 2)
    level = -down * 3 >= np.minimum(heights[:, None], heights)
    stroke = (table[:, part.RUNS] * 10 <= heights * 11) & (widths <= heights * 2)
    left_fall = stroke & ((table[:, part.HEAD] - table[:, part.FOOT]) * 4 >= heights)
    right_fall = stroke & ((table[:, part.FOOT] - table[:, part.HEAD]) * 4 >= heights)
    first = np.arange(len(table))
    left = table[:, part.LEFT]
    is_left = (left[:, None] < left) | ((left[:, None] == left) & (first[:, None] < first))
    apart = np.where(is_left, left_fall[:, None] & right_fall, right_fall[:, None] & left_fall)
    beside = level & (across * 20 <= size * np.where(apart, 13, 4)) & (wide * 10 <= size * np.where(apart, 20, 16))
    beside |= level & (across * 256 < limits.widest_gap * size) & _are_halves(widths, heights, wide, is_left)
    together: Flags = np.where(above, stacked, beside)
    return together


def _are_halves(widths: Whole, heights: Whole, wide: Whole, is_left: Flags) -> Flags:
    """Which two are halves of a character: the left one narrow, both about as high, and no wider than it together."""
    higher, lower = np.maximum(heights[:, None], heights), np.minimum(heights[:, None], heights)
    narrow = widths * 10 <= heights * 7
    return np.where(is_left, narrow[:, None], narrow) & (wide * 10 <= higher * 17) & (lower * 2 >= higher)


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
        (~dot & (filled | ~not_bold(table, limits)), part.TOO_BOLD),
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


def merged(table: Whole, joined: Flags) -> tuple[Whole, Whole]:
    """One row for all rows that hang together, and the place of each old row among the new ones."""
    group = np.arange(len(table))
    linked = joined | np.eye(len(table), dtype=np.bool_)
    while len(table):
        lowest = np.where(linked, group[None, :], len(table)).min(axis=1)
        if np.array_equal(lowest, group):
            break
        group = lowest
    firsts, places = np.unique(group, return_inverse=True)
    result = table[firsts]
    for row, first in zip(result, firsts, strict=True):
        members = table[group == first]
        row[[part.LEFT, part.TOP]] = members[:, [part.LEFT, part.TOP]].min(axis=0)
        row[[part.RIGHT, part.BOTTOM]] = members[:, [part.RIGHT, part.BOTTOM]].max(axis=0)
        row[part.FOOT] = members[members[:, part.BOTTOM].argmax(), part.FOOT]
        row[part.LONGEST] = members[:, part.LONGEST].max()
        row[part.SUMMED] = members[:, part.SUMMED].sum(axis=0)
    return result, places
