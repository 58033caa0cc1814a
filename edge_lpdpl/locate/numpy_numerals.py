"""Parts of ink to numerals, with array operations over all pairs of parts."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.locate.limits import Limits
from edge_lpdpl.locate.parts_table import AREA, BOTTOM, LEFT, RIDGE, RIGHT, RUNS, SHARED, TOP

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


def find_numerals(parts: Whole, height: int, width: int, limits: Limits) -> Whole:
    """Tables of numerals (n, COLUMNS) from those of parts (m, COLUMNS); order is that of their first parts.

    Three steps: what cannot be writing is left out, strokes that touch are put together, then what stands above or
    beside each other as closely as the parts of one character do.
    """
    parts = parts[is_writing(parts, height, width, limits)]
    strokes = merged(parts, near(parts))
    numerals = merged(strokes, belong_together(strokes))
    return numerals[is_numeral(numerals, limits)]


def sides(table: Whole) -> Whole:
    """Longer side of every row."""
    longer: Whole = np.maximum(table[:, RIGHT] - table[:, LEFT], table[:, BOTTOM] - table[:, TOP])
    return longer


def is_writing(parts: Whole, height: int, width: int, limits: Limits) -> Flags:
    """Not cut by the border of the frame, not too long, not too bold."""
    inside = (parts[:, LEFT] > 0) & (parts[:, TOP] > 0) & (parts[:, RIGHT] < width) & (parts[:, BOTTOM] < height)
    dot = sides(parts) <= limits.largest_dot
    return (
        inside & (sides(parts) <= limits.largest) & (dot | (stroke_width(parts) * 256 <= limits.boldest * sides(parts)))
    )


def stroke_width(table: Whole) -> Whole:
    """Mean width of the strokes in pixels: twice the area over the outline."""
    outline = table[:, RUNS] + table[:, AREA] - table[:, SHARED]
    mean: Whole = table[:, AREA] // np.maximum(outline, 1)
    return mean


def gaps(table: Whole) -> tuple[Whole, Whole]:
    """Free pixels across and down between every two boxes; negative where they overlap."""
    across = np.maximum(table[:, None, LEFT], table[None, :, LEFT]) - np.minimum(
        table[:, None, RIGHT], table[None, :, RIGHT]
    )
    down = np.maximum(table[:, None, TOP], table[None, :, TOP]) - np.minimum(
        table[:, None, BOTTOM], table[None, :, BOTTOM]
    )
    return across, down


def near(parts: Whole) -> Flags:
    """Which two parts are so near that the pen hardly left the paper: a tenth of the longer side of the larger."""
    across, down = gaps(parts)
    longer = np.maximum(sides(parts)[:, None], sides(parts)[None, :])
    close: Flags = np.maximum(across, down) <= np.maximum(longer // 10, 2)
    return close


def belong_together(strokes: Whole) -> Flags:
    """Which two groups of strokes are one character, told by the size of the characters in view."""
    size = character_size(strokes)
    across, down = gaps(strokes)
    widths, heights = strokes[:, RIGHT] - strokes[:, LEFT], strokes[:, BOTTOM] - strokes[:, TOP]
    narrower = np.minimum(widths[:, None], widths[None, :])
    wider = np.maximum(widths[:, None], widths[None, :])
    shorter = np.minimum(heights[:, None], heights[None, :])
    tall = heights[:, None] + heights[None, :] + down
    wide = widths[:, None] + widths[None, :] + across
    fits = (tall * 10 <= size * 13) & (wide * 10 <= size * 13)
    stacked = (-across * 2 >= narrower) & (down * 20 <= np.minimum(wider, size) * 13)
    beside = (-down * 3 >= shorter) & (across * 20 <= size * 3)
    together: Flags = fits & (stacked | beside)
    return together


def character_size(strokes: Whole) -> int:
    """Longer side of the characters in view, in pixels: the upper quartile of the groups of strokes."""
    if not len(strokes):
        return 0
    return int(np.sort(sides(strokes))[::-1][len(strokes) // 4])


def merged(table: Whole, joined: Flags) -> Whole:
    """One row for all rows that hang together."""
    if not len(table):
        return table
    group = np.arange(len(table))
    while True:
        lowest = np.where(joined, group[None, :], len(table)).min(axis=1)
        lowest = np.minimum(lowest, group)[group]
        if np.array_equal(lowest, group):
            break
        group = lowest
    rows = []
    for first in np.unique(group):
        members = table[group == first]
        row = members.sum(axis=0)
        row[[LEFT, TOP]] = members[:, [LEFT, TOP]].min(axis=0)
        row[[RIGHT, BOTTOM]] = members[:, [RIGHT, BOTTOM]].max(axis=0)
        rows.append(row)
    return np.array(rows)


def is_numeral(numerals: Whole, limits: Limits) -> Flags:
    """Large enough, or a dot, and as strong as the strongest."""
    if not len(numerals):
        return np.zeros(0, np.bool_)
    side = sides(numerals)
    widths, heights = numerals[:, RIGHT] - numerals[:, LEFT], numerals[:, BOTTOM] - numerals[:, TOP]
    compact = (numerals[:, AREA] * 2 >= widths * heights) & (np.minimum(widths, heights) * 2 >= side)
    dot = compact & (side >= limits.smallest_dot) & (side <= limits.largest_dot)
    stroked = (
        (side >= limits.smallest) & (side <= limits.largest) & (stroke_width(numerals) * 256 <= limits.boldest * side)
    )
    peak = numerals[:, RIDGE] // numerals[:, RUNS]
    strong = (peak >= limits.least_peak) & (peak * 256 >= limits.faintest * peak.max())
    numeral: Flags = (dot | stroked) & strong
    return numeral
