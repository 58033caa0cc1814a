"""Parts of ink to lines of writing: rows from left to right, at any small tilt; dots at their foot.

A number that is read without a mark is ten times as large as the one that was written if there is a point that nobody
saw: one too small to be a part, or joined to a digit by the blur of the camera.
"""

from collections.abc import Sequence
from operator import mul

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.page import parts_table as part

Row = Sequence[int]

WIDEST_GAP = 1.25
"""Free width between neighbours in a line over the size of its characters, at most."""
STEEPEST = 0.6
"""Height difference of the middles of two neighbours over that size, at most."""
TALLEST = 1.8
"""Height of two parts of a character that are above each other, and once more what is free between them, over that
size, at most."""
SAME_COLUMN = 0.7
"""Parts that overlap across by this share of the narrower one are above each other, in one column."""
THINNEST = 0.6
"""Thickness of the thinnest ink that the pen of a line may have left, over the mean width of its strokes: what is left
of a printed rule, and dirt, is mostly thinner."""
FOOT = 0.62
"""How far down a digit the band begins in which a point is looked for, of its height."""
BELOW = 0.3
"""How far below its foot the band ends."""
LEVELS = ((0.62, 0.87), (0.25, 0.3))
"""Contrasts above which a dot stands apart, each with the least of its darkest pixel, over that of the middle of the
strokes: a dot that is joined to a digit is as dark as it; what is less dark is a piece of a stroke that fades."""
LARGEST, LEAST_SIDE = 0.3, 3
"""Side of the largest dot over the size of the digits, and in pixels of the reduced frame."""
LONGEST = 3
"""Longer side of a dot over its shorter one; what is longer is left of a ruled line or a crease."""
LEAST_INK, OF_PEN = 0.5, 0.05
"""Sum of the contrast of the smallest dot over that of the strokes, and the same over the square of their width too,
because the pen that wrote the digits makes no much smaller dot."""


def character_side(row: Row) -> int:
    """Longer side of a part, or its height where its strokes are as long as those of several characters that touch.

    >>> character_side([10, 20, 90, 24, 320, 4, 240])
    80
    """
    width, height = row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP]
    length = row[part.RUNS] + row[part.AREA] - row[part.SHARED]
    return height if 2 * length > 3 * width else max(width, height)


def character_size(table: Sequence[Row]) -> int:
    """Size of the characters that parts belong to, in pixels of the reduced frame.

    The longest parts that together have three tenths of all length are characters or their longest strokes; the
    shortest of them tells. Small strokes may be many, so they count little.

    >>> character_size([[*box, *[0] * 6] for box in ([0, 0, 20, 40], [30, 0, 50, 44], [60, 0, 65, 5])])
    44
    """
    sides = sorted(map(character_side, table), reverse=True)
    total, seen = sum(sides), 0
    for side in sides:
        seen += side
        if 10 * seen >= 3 * total:
            return side
    return 0


def pen_of(rows: Sequence[Row]) -> float:
    """Mean width of the strokes of parts, in pixels of the reduced frame.

    >>> pen_of([[0, 0, 4, 80, 320, 80, 316, 8000, 0, 80]])
    3.8095238095238093
    """
    return sum(row[part.AREA] for row in rows) / sum(row[part.RUNS] + row[part.AREA] - row[part.SHARED] for row in rows)


def thickness_of(row: Row) -> float:
    """How thick a part is if it is one stroke, in pixels of the reduced frame: the shorter side of a bar with its area
    and outline, at most its own.

    >>> thickness_of([0, 0, 4, 80, 320, 80, 316, 8000, 0, 80]), thickness_of([0, 0, 4, 4, 16, 4, 12, 400, 0, 4])
    (4.0, 4.0)
    """
    width, height, pen = row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP], pen_of([row])
    longer, shorter = max(width, height), min(width, height)
    return min(pen * longer / (longer - pen), shorter) if pen < longer else float(shorter)


def find_lines(table: Sequence[Row]) -> list[list[int]]:
    """The parts of each line, in reading order: from the topmost line down, those beside each other from the left.

    Two parts are neighbours where they are beside each other, or above each other within a character.

    >>> find_lines([[0, 0, 20, 40, *[0] * 6], [30, 2, 50, 42, *[0] * 6], [0, 120, 20, 160, *[0] * 6]])
    [[0, 1], [2]]
    """
    size = character_size(table)
    lines = _lines_of(table, size)
    # A character may consist of strokes that are all shorter than it.
    whole = [box_of([table[place] for place in column]) for line in lines for column in columns_of(table, line)]
    size, found = max(size, character_size(whole)), size
    lines = _lines_of(table, size) if size > found else lines
    return _in_reading_order(lines, table, size)


def _lines_of(table: Sequence[Row], size: int) -> list[list[int]]:
    reach = TALLEST * size
    lines: list[tuple[int, int, list[int]]] = []  # each with its top and bottom, or 256 parts are compared with all
    for place, row in enumerate(table):
        joined, top, bottom = [place], row[part.TOP], row[part.BOTTOM]
        near = [one for one in lines if one[1] >= row[part.TOP] - reach and one[0] <= row[part.BOTTOM] + reach]
        for one in [one for one in near if any(_adjacent(row, table[other], size) for other in one[2])]:
            lines.remove(one)
            top, bottom, joined = min(one[0], top), max(one[1], bottom), one[2] + joined
        lines.append((top, bottom, joined))
    return [line for _, _, line in lines]


def _in_reading_order(lines: Sequence[list[int]], table: Sequence[Row], size: int) -> list[list[int]]:
    def middle(line: list[int]) -> float:
        return sum(table[place][part.TOP] + table[place][part.BOTTOM] for place in line) / 2 / len(line)

    rows: list[list[list[int]]] = []
    for line in sorted(lines, key=middle):
        if rows and middle(line) - middle(rows[-1][0]) <= STEEPEST * size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [
        line for row in rows for line in sorted(row, key=lambda line: min(table[place][part.LEFT] for place in line))
    ]


def columns_of(table: Sequence[Row], line: Sequence[int]) -> list[list[int]]:
    """The parts of a line from left to right; those above each other are together."""
    columns = [(table[place][part.LEFT], table[place][part.RIGHT], [place]) for place in line]
    while True:
        columns.sort(key=_middle)
        pair = _one_column(columns)
        if pair is None:
            return [places for _, _, places in columns]
        one, other = pair
        (left, right, places), (start, end, more) = columns[one], columns[other]
        columns[one] = min(left, start), max(right, end), places + more
        del columns[other]


_Column = tuple[int, int, list[int]]


def _middle(column: _Column) -> int:
    return column[0] + column[1]


def _one_column(columns: Sequence[_Column]) -> tuple[int, int] | None:
    """The first two of these columns, sorted by their middles, that are above each other."""
    for place, (left, right, _) in enumerate(columns):
        for other in range(place + 1, min(place + 4, len(columns))):
            start, end, _ = columns[other]
            shared = (right if right < end else end) - (left if left > start else start)
            width, wide = right - left, end - start
            if shared >= SAME_COLUMN * (width if width < wide else wide):
                return place, other
    return None


def tilt_of(table: Sequence[Row], size: int) -> float:
    """How far a line of columns goes down for every pixel to the right.

    The slope of a short line is mostly chance: it is pulled towards 0.
    """
    weights = [character_side(row) for row in table]
    total = sum(weights) or 1
    across = [(row[part.LEFT] + row[part.RIGHT]) / 2 for row in table]
    down = [(row[part.TOP] + row[part.BOTTOM]) / 2 for row in table]
    centre = sum(map(mul, weights, across)) / total
    middle = sum(map(mul, weights, down)) / total
    spread = sum(weight * (x - centre) ** 2 for weight, x in zip(weights, across, strict=True)) + total * size**2
    together = zip(weights, across, down, strict=True)
    rise = sum(weight * (x - centre) * (y - middle) for weight, x, y in together)
    return float(rise / (spread or 1))


def box_of(rows: Sequence[Row]) -> Row:
    """Measures of parts above each other: the box of all, and the strokes of the widest one.

    The strokes of all together, such as the bars of 二, would be as long as those of characters that touch.
    """
    if len(rows) == 1:
        return rows[0]
    edges = min(row[part.LEFT] for row in rows), min(row[part.TOP] for row in rows)
    ends = max(row[part.RIGHT] for row in rows), max(row[part.BOTTOM] for row in rows)
    widest = max(rows, key=lambda row: row[part.RIGHT] - row[part.LEFT])
    return [*edges, *ends, *widest[part.AREA :]]


def _adjacent(one: Row, other: Row, size: int) -> bool:
    left, top, right, bottom = one[: part.AREA]
    start, upper, end, lower = other[: part.AREA]
    across = (left if left > start else start) - (right if right < end else end)
    if across > WIDEST_GAP * size:
        return False
    if abs(top + bottom - upper - lower) / 2 <= STEEPEST * size:
        return True
    apart, height = max(top, upper) - min(bottom, lower), max(bottom, lower) - min(top, upper)
    return across < 0 and height + max(apart, 0) <= TALLEST * size


def foot_of(rows: list[Row]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the band at the foot of these digits, between the middles of the outer two, in
    pixels of the reduced frame."""
    tallest = max(row[part.BOTTOM] - row[part.TOP] for row in rows)
    digits = [row for row in rows if 2 * (row[part.BOTTOM] - row[part.TOP]) >= tallest]  # no ٠, a dot
    tops, bottoms = [row[part.TOP] for row in digits], [row[part.BOTTOM] for row in digits]
    height = float(np.median(np.subtract(bottoms, tops)))
    left, right = ((row[part.LEFT] + row[part.RIGHT]) // 2 for row in (rows[0], rows[-1]))
    return left, int(min(bottoms) - (1 - FOOT) * height), max(right, left + 1), int(max(bottoms) + BELOW * height)


def has_dot(contrast: NDArray[np.uint8], size: int, strength: float, pen: float) -> bool:
    """Whether there is a dot in a band at the foot of a number.

    Args:
        contrast: (height, width), 255 for all of the paper's light, 0 where there is no ink.
        size: of the digits, in pixels.
        strength: contrast of the middle of their strokes, 0 to 1.
        pen: width of these strokes, in pixels.

    >>> band = np.zeros((12, 30), np.uint8)
    >>> band[:8, 10:14] = 200
    >>> has_dot(band, 30, 0.78, 4.0)
    False
    >>> band[6:9, 16:19] = 200
    >>> has_dot(band, 30, 0.78, 4.0)
    True
    """
    most, strong = max(LARGEST * size, LEAST_SIDE), 255 * strength
    least = strong * max(LEAST_INK, OF_PEN * pen**2)
    for level, darkest in LEVELS:
        for ys, xs in _apart(contrast >= level * strong):
            ink, shorter, longer = contrast[ys, xs], *sorted((np.ptp(ys) + 1, np.ptp(xs) + 1))
            is_dot = longer <= most and longer <= LONGEST * shorter
            if is_dot and ink.max() >= darkest * strong and ink.sum() >= least:
                return True
    return False


def _apart(ink: NDArray[np.bool_]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows and columns of the pixels of each part of the ink that does not touch the border, corners joined."""
    height, width = ink.shape
    edges = np.diff(np.pad(ink, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (rows, starts), ends = np.nonzero(edges == 1), np.nonzero(edges == -1)[1]
    rows_, starts_, ends_ = rows.tolist(), starts.tolist(), ends.tolist()
    parent = list(range(len(rows_)))

    def root(run: int) -> int:
        while parent[run] != run:
            run = parent[run]
        return run

    above = first = 0
    for run, (row, start, end) in enumerate(zip(rows_, starts_, ends_, strict=True)):
        if run == 0 or rows_[run - 1] != row:
            above, first = (first, run) if run and rows_[run - 1] == row - 1 else (run, run)
        for other in range(above, first):
            if starts_[other] <= end and ends_[other] >= start:
                one, two = sorted((root(run), root(other)))
                parent[two] = one
    runs: dict[int, list[int]] = {}
    for run in range(len(rows_)):
        runs.setdefault(root(run), []).append(run)
    found = []
    for members in runs.values():
        inside = all(rows_[run] not in (0, height - 1) and starts_[run] > 0 and ends_[run] < width for run in members)
        if inside:
            ys = np.concatenate([np.full(ends_[run] - starts_[run], rows_[run]) for run in members])
            xs = np.concatenate([np.arange(starts_[run], ends_[run]) for run in members])
            found.append((ys, xs))
    return found
