"""Parts of ink to lines of writing: rows from left to right, at any small tilt."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from operator import mul

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.rules_table import NEAR

Row = Sequence[int]
Edges = Sequence[float]
"""LEFT, TOP, RIGHT and BOTTOM of a part or a box, in pixels of the reduced frame."""

WIDEST_GAP = 1.25
"""Free width between neighbours in a line over the size of its characters, at most."""
WIDEST_GAP_DOWN = 2.0
"""The same in columns, where a bar leaves most of its place free."""
STEEPEST = 0.6
"""Height difference of the middles of two neighbours over that size, at most."""
TALLEST = 2.1
"""Greatest height of two parts of one character, one above the other, plus the gap between them, in sizes of a
character."""
SAME_COLUMN = 0.7
"""Parts that overlap across by this share of the narrower one are above each other, in one column."""
UNEVEN = 1.5
"""Distance between two characters across a wall of a table over that of others, above which it divides two numbers."""
LEAST_STROKE = 0.15
"""Longer side of ink over the size of the numerals, from which on it may be writing, or hold some."""
LEAST_MARK = 0.1
"""Longer side of the smallest point over the size of the numerals."""
THINNEST = 0.6
"""Thickness of the thinnest ink that the pen of a line may have left, over the mean width of its strokes: what is left
of a printed rule, and dirt, is mostly thinner."""


def longer_side(row: Row) -> int:
    """Longer side of a part, in pixels of the reduced frame.

    >>> longer_side([10, 20, 90, 24])
    80
    """
    return max(row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP])


def character_side(row: Row) -> int:
    """Longer side of a part, or its height where its strokes are as long as those of several characters that touch.

    >>> character_side([10, 20, 90, 24, 320, 4, 240])
    80
    """
    width, height = row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP]
    length = row[part.RUNS] + row[part.AREA] - row[part.SHARED]
    return height if 2 * (length - height) > 3 * width else max(width, height)


def character_size(table: Sequence[Row]) -> int:
    """Size of the characters that parts belong to, in pixels of the reduced frame.

    The longest parts that together have three tenths of all length are characters or their longest strokes; the
    shortest of them tells. Small strokes may be many, so they count little.

    >>> character_size([[*box, *[0] * 6] for box in ([0, 0, 20, 40], [30, 0, 50, 44], [60, 0, 65, 5])])
    44
    """
    return size_from(list(map(character_side, table)))


def size_from(sides: Sequence[int]) -> int:
    """Size of the characters that parts with these sides belong to: see `character_size`."""
    if len(sides) == 1:
        return sides[0]
    sides = sorted(sides, reverse=True)
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
    and outline, at most its own. A dot, which fills half of its box, is as thick as it is wide in the mean.

    >>> thickness_of([0, 0, 4, 80, 320, 80, 316, 8000, 0, 80]), thickness_of([0, 0, 4, 4, 16, 4, 12, 400, 0, 4])
    (4.0, 4.0)
    """
    width, height, area = row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP], row[part.AREA]
    pen = area / (row[part.RUNS] + area - row[part.SHARED])
    longer, shorter = max(width, height), min(width, height)
    bar = min(pen * longer / (longer - pen), shorter) if pen < longer else float(shorter)
    return max(bar, area / longer) if 2 * area >= width * height else bar


def find_lines(
    table: Sequence[Row], entries: Sequence[Row] = (), dividers: Sequence[Row] = (), turned: bool = False
) -> list[list[int]]:
    """The parts of each line, in reading order: from the topmost line down, those beside each other from the left.
    Crumbs are in no line.

    Two parts are neighbours where they are beside each other, or above each other within a character, or in
    neighbouring boxes of a printed row of boxes, one for each character. The rules and walls of a table divide a line.

    Args:
        table: the parts.
        entries: rows of such boxes, as `Locator.entries` gives them.
        dividers: of tables, as `Locator.dividers` gives them.
        turned: whether the lines are columns of a page that was turned by a quarter.

    >>> find_lines([[0, 0, 20, 40, *[0] * 6], [30, 2, 50, 42, *[0] * 6], [0, 120, 20, 160, *[0] * 6]])
    [[0, 1], [2]]
    """
    if len(table) < 2:
        return [[0]] if table else []
    size = character_size(table)
    places = without_crumbs(table, size)
    if len(places) < len(table):
        lines = find_lines([table[place] for place in places], entries, dividers, turned)
        return [[places[one] for one in line] for line in lines]
    rows = [entry_of(row, entries) for row in table] if entries else []
    walls = walls_of(dividers)
    lying = [one for one in dividers if one not in walls]
    widest_gap = WIDEST_GAP_DOWN if turned else WIDEST_GAP
    lines = _lines_of(table, size, entries, rows, lying, widest_gap)
    # A character may consist of strokes that are all shorter than it.
    whole = [box_of([table[place] for place in column]) for line in lines for column in columns_of(table, line)]
    if len(whole) < len(table) and (larger := character_size(whole)) > size:
        size = larger
        lines = _lines_of(table, size, entries, rows, lying, widest_gap)
    if walls:
        lines = [piece for line in lines for piece in in_cells(table, line, walls)]
    return in_reading_order(lines, table, size)


def without_crumbs(table: Sequence[Row], size: int) -> list[int]:
    """The places of the parts that are no crumbs: too small and too thin even for a point, such as what is left of the
    crossings of squared paper. They would chain rows of writing together.

    Args:
        size: of the characters.

    >>> without_crumbs([[0, 0, 4, 80, 320, 80, 316, *[0] * 3], [9, 9, 11, 10, 2, 1, 0, *[0] * 3]], 80)
    [0]
    """
    sides = list(map(longer_side, table))
    most, places = LEAST_MARK * size, list(range(len(table)))
    if not sides or min(sides) >= most:
        return places
    large = [row for row, side in zip(table, sides, strict=True) if side >= most]
    thinnest = THINNEST * pen_of(large) if large else 0.0
    return [place for place in places if sides[place] >= most or thickness_of(table[place]) >= thinnest]


def entry_of(row: Row, entries: Sequence[Row]) -> int:
    """The row of printed boxes that the middle of a part is in, -1 for none.

    >>> boxes = [[0, 0, 200, 40, part.RULES, 0, 0, 50]]
    >>> entry_of([20, 5, 40, 35], boxes), entry_of([20, 45, 40, 75], boxes)
    (0, -1)
    """
    across, down = row[part.LEFT] + row[part.RIGHT], row[part.TOP] + row[part.BOTTOM]
    for place, (left, top, right, bottom, *_) in enumerate(entries):
        if 2 * left <= across < 2 * right and 2 * top <= down < 2 * bottom:
            return place
    return -1


def are_divided(one: Edges, other: Edges, dividers: Sequence[Row]) -> bool:
    """Whether what divides the cells of a table is between the middles of two boxes.

    >>> are_divided([10, 5, 40, 35], [50, 5, 80, 35], [[44, 0, 46, 40]])
    True
    """
    (x, y), (to_x, to_y) = _middle_of(one), _middle_of(other)
    for left, top, right, bottom in dividers:
        is_between = _turns(left, top, right, bottom, x, y) != _turns(left, top, right, bottom, to_x, to_y)
        if is_between and _turns(x, y, to_x, to_y, left, top) != _turns(x, y, to_x, to_y, right, bottom):
            return True
    return False


def crosses_wall(row: Row, walls: Sequence[Row]) -> bool:
    """Whether a part goes on beyond a wall between two cells of a table.

    >>> crosses_wall([30, 5, 60, 35], [[44, 0, 46, 40]]), crosses_wall([30, 5, 46, 35], [[44, 0, 46, 40]])
    (True, False)
    """
    left, top, right, bottom = row[: part.AREA]
    ends = (left + NEAR, top, left + NEAR, bottom), (right - NEAR, top, right - NEAR, bottom)
    return are_divided(*ends, walls)


def walls_of(dividers: Sequence[Row]) -> list[Row]:
    """The upright ones."""
    return [one for one in dividers if one[part.BOTTOM] - one[part.TOP] > one[part.RIGHT] - one[part.LEFT]]


def is_divided(table: Sequence[Row], line: Sequence[int], walls: Sequence[Row]) -> bool:
    """Whether a wall of a table is between two characters of a line.

    >>> table = [[left, 0, left + 20, 40, *[0] * 6] for left in (0, 30, 75)]
    >>> is_divided(table, [0, 1, 2], [[60, 0, 60, 50]]), is_divided(table, [0, 1, 2], [])
    (True, False)
    """
    return any(divided for _, divided, _ in _steps(table, line, walls)) if walls else False


def in_cells(table: Sequence[Row], line: list[int], walls: Sequence[Row]) -> list[list[int]]:
    """A line, divided at the walls of a table, unless it is not much more uneven there than elsewhere.

    >>> table = [[left, 0, left + 20, 40, *[0] * 6] for left in (0, 30, 75, 80)]
    >>> in_cells(table, [0, 1, 2], [[60, 0, 60, 50]]), in_cells(table, [0, 1, 3], [[60, 0, 60, 50]])
    ([[0, 1, 2]], [[0, 1], [3]])
    """
    steps = _steps(table, line, walls)
    if _unevenness(steps) <= UNEVEN:
        return [line]
    pieces: list[list[int]] = [[]]
    for column, divided, _ in steps:
        if divided:
            pieces.append([])
        pieces[-1] += column
    return pieces


_Step = tuple[list[int], bool, float]
"""A column of a line, whether a wall divides it from the one before it, and how far its middle is from that one's."""


def _unevenness(steps: Sequence[_Step]) -> float:
    """How far apart two characters of a line are across a wall, over those that no wall divides; 0 where no wall
    divides the line."""
    across = max((step for _, divided, step in steps[1:] if divided), default=0.0)
    within = max((step for _, divided, step in steps[1:] if not divided), default=0.0)
    if not across:
        return 0.0
    return across / within if within else inf


def _steps(table: Sequence[Row], line: Sequence[int], walls: Sequence[Row]) -> list[_Step]:
    columns = columns_of(table, line)
    boxes = [box_of([table[place] for place in column]) for column in columns]
    steps = [
        (are_divided(one, other, walls), _middle_of(other)[0] - _middle_of(one)[0]) for one, other in pairwise(boxes)
    ]
    return [(column, *step) for column, step in zip(columns, [(False, 0.0), *steps], strict=True)]


def _middle_of(edges: Edges) -> tuple[float, float]:
    left, top, right, bottom = edges[: part.AREA]
    return (left + right) / 2, (top + bottom) / 2


def _turns(x: float, y: float, to_x: float, to_y: float, at_x: float, at_y: float) -> bool:
    """On which side of the straight line through two points a third one is."""
    return (to_x - x) * (at_y - y) > (to_y - y) * (at_x - x)


def _lines_of(
    table: Sequence[Row],
    size: int,
    entries: Sequence[Row],
    rows: Sequence[int],
    lying: Sequence[Row],
    widest_gap: float,
) -> list[list[int]]:
    def is_next(one: int, other: int) -> bool:
        gap, steepest = widest_gap * size, STEEPEST * size
        if rows and rows[one] == rows[other] >= 0:
            entry = entries[rows[one]]
            gap, steepest = max(gap, _widest_gap_in_boxes(table[one], table[other], entry)), entry[part.CELL]
        is_near = _adjacent(table[one], table[other], size, gap, steepest)
        return is_near and not (lying and are_divided(table[one], table[other], lying))

    reach = TALLEST * size
    lines: list[tuple[int, int, list[int]]] = []  # each with its top and bottom, or 256 parts are compared with all
    for place, row in enumerate(table):
        joined, top, bottom = [place], row[part.TOP], row[part.BOTTOM]
        for line in list(lines):
            upper, lower, others = line
            in_reach = lower >= row[part.TOP] - reach and upper <= row[part.BOTTOM] + reach
            if in_reach and any(is_next(place, other) for other in others):
                lines.remove(line)
                top, bottom, joined = min(upper, top), max(lower, bottom), others + joined
        lines.append((top, bottom, joined))
    return [line for _, _, line in lines]


def _widest_gap_in_boxes(one: Row, other: Row, entry: Row) -> float:
    """Free width between two parts at most if they are in neighbouring boxes of a row: their middles are in them, or
    nearer to one box's width apart than to two."""
    cell = entry[part.CELL]
    first, second = ((row[part.LEFT] + row[part.RIGHT] - 2 * entry[part.LEFT]) // (2 * cell) for row in (one, other))
    if abs(first - second) == 1:
        return 2 * cell
    return (3 * cell - (one[part.RIGHT] - one[part.LEFT]) - (other[part.RIGHT] - other[part.LEFT])) / 2


def in_reading_order(lines: Sequence[list[int]], table: Sequence[Row], size: int) -> list[list[int]]:
    """Lines, as `find_lines` gives them, in reading order; `size` is that of their characters."""

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
    while len(columns) > 1:
        columns.sort(key=lambda column: column[0] + column[1])
        pair = _one_column(columns)
        if pair is None:
            break
        one, other = pair
        (left, right, places), (start, end, more) = columns[one], columns[other]
        columns[one] = min(left, start), max(right, end), places + more
        del columns[other]
    return [places for _, _, places in columns]


_Column = tuple[int, int, list[int]]


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
    if len(table) < 2:
        return 0.0
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


def _adjacent(one: Row, other: Row, size: int, gap: float, steepest: float) -> bool:
    left, top, right, bottom = one[: part.AREA]
    start, upper, end, lower = other[: part.AREA]
    across = (left if left > start else start) - (right if right < end else end)
    if across > gap:
        return False
    if abs(top + bottom - upper - lower) / 2 <= steepest:
        return True
    apart, height = max(top, upper) - min(bottom, lower), max(bottom, lower) - min(top, upper)
    return across < 0 and height + max(apart, 0) <= TALLEST * size
