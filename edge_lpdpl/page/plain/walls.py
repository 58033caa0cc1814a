"""The walls between two rules, with array operations: what the kernels of `walls` do."""

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.plain.lines import Line, Strokes, Whole, crossed, leaves, thickness, widest_gap
from edge_lpdpl.page.rules_table import ONE, THICKEST

Rows = tuple[int, int, int, int]
"""The first one above the numerals of a gap, their top, their bottom, and the end of those below."""


def find_walls(
    across: Strokes, strokes: Strokes, top: Line, bottom: Line, below: bool, single: bool, most: int
) -> tuple[list[Line], int]:
    """The walls between two rules, none where they are not the top and the bottom of a printed frame; and how many,
    of `most`, were looked for.

    Args:
        below: whether the top belongs to another frame, too.
        single: whether a single box may be printed.
    """
    width = strokes.lengths.shape[1]
    start, end = max(top.start, bottom.start), min(top.end, bottom.end)
    upper, lower = (line.across((start + end) // 2, width // 2) for line in (top, bottom))
    high = lower - upper
    thick = max(top.thick, bottom.thick, rule.THINNEST)
    wide = min(top.end - top.start, bottom.end - bottom.start)
    narrow = wide * 5 < high * rule.NARROWEST_CELL if single else wide * 8 < high * 9
    if end - start < rule.SHORTEST or narrow or high < rule.FLATTEST * thick:
        return [], 0
    if abs(top.slope - bottom.slope) > ONE // rule.ASIDE or (leaves(top, width) and leaves(bottom, width)):
        return [], 0
    start, end = start - high // 4, end + high // 4
    walls, tried = search_walls(across, strokes, top, bottom, top, start, end, high, most)
    separate = _separate(across, top, bottom, walls, high, len(strokes.levels))
    walls = (
        separate or _regular(walls, high, start, end) or (_single(strokes, top, bottom, walls, high) if single else [])
    )
    ends = [wall.place for wall in walls] or [0]
    is_frame = bool(separate) or _is_whole(across, top, bottom, min(ends), max(ends), high)
    is_frame &= below or 2 * going_on(strokes, top, walls, -1) <= len(walls)
    is_frame &= not leaves(bottom, width) or 2 * going_on(strokes, bottom, walls, 1) <= len(walls)
    return (walls if is_frame else []), tried


def search_walls(
    across: Strokes, strokes: Strokes, top: Line, bottom: Line, rim: Line, start: int, end: int, high: int, most: int
) -> tuple[list[Line], int]:
    """All lines that go from one line to another one, from left to right; and how many, of `most`, were looked for.

    Args:
        rim: one of both, which has no wide gap, nor has the bottom, up to walls beyond [start, end).
    """
    width = strokes.lengths.shape[1]
    leans = _leans(top.slope + bottom.slope, high)
    places = _wall_places(strokes, top, bottom, start - high, end + high, leans)
    walls, tried = list[Line](), 0
    for _ in range(min(rule.MOST_WALLS, most)):
        inside = np.where((places >= 0) & (places < width), places, width)
        votes = np.array([np.bincount(one, minlength=width + 1) for one in inside])
        votes[:, width] = 0
        pairs = votes[:, :-1] + votes[:, 1:]
        lean, place = divmod(int(pairs.argmax()), width)
        if pairs[lean, place] * 4 < high:
            break
        tried += 1
        wall = _wall_at(strokes, top, bottom, place, int(leans[lean]), high)
        first, last = (place, start) if place < start else (min(end, place), place)
        walls += [wall] if wall and _is_whole(across, rim, bottom, first, last, high) else []
        places = places[:, (places[lean] < place) | (places[lean] > place + 1)]
    return sorted(walls, key=lambda wall: wall.place), tried


def going_on(strokes: Strokes, line: Line, walls: list[Line], step: int) -> int:
    """How many of the walls go on beyond a rule."""
    height, width = strokes.lengths.shape
    going, first = 0, line.thick // 2 + 2
    for wall in walls:
        border = line.across(wall.place, width // 2)
        start = border + first if step > 0 else border - first - THICKEST + 1
        if start >= 0 and start + THICKEST <= height:
            found = crossed(strokes, wall, start, start + THICKEST)
            going += bool(((found > 0) & (found <= THICKEST)).all())
    return going


def _is_whole(across: Strokes, top: Line, bottom: Line, start: int, end: int, high: int) -> bool:
    """Whether a stretch of both rules has no wide gap."""
    gaps = (widest_gap(crossed(across, line, start, end)) for line in (top, bottom))
    return max(gaps) * rule.GAP <= high


def _separate(across: Strokes, top: Line, bottom: Line, walls: list[Line], high: int, height: int) -> list[Line]:
    """The ends of boxes in a row that do not touch, one for each character; or those of fields, and flawless walls in
    them; none where there are no such boxes."""
    boxes, first = list[list[Line]](), 0
    for place, (one, other) in enumerate(pairwise(walls), 1):
        between = _between(across, top, bottom, one, other, high, height)
        if between == rule.BROKEN:
            return []
        if between == rule.OPEN:
            boxes.append(walls[first:place])
            first = place
    if not boxes:
        return []
    boxes.append(walls[first:])
    wide = [box[-1].place - box[0].place for box in boxes]
    if rule.NARROWEST_CELL * high > 5 * min(wide):
        return []
    mean = sum(wide) // len(wide)
    if 2 * max(wide) > rule.WIDEST_CELL * high:
        kept = list[Line]()
        for first_wall, *inner, last_wall in boxes:
            kept.append(first_wall._replace(grade=rule.FIELD))
            kept += [wall for wall in inner if wall.grade == rule.FLAWLESS]
            kept.append(last_wall._replace(grade=rule.FIELD))
        return kept
    is_even = all(abs(one - mean) * rule.OFF_GRID <= mean for one in wide)
    return [wall._replace(grade=rule.SEPARATE) for box in boxes for wall in (box[0], box[-1])] if is_even else []


def _between(across: Strokes, top: Line, bottom: Line, one: Line, other: Line, high: int, height: int) -> int:
    """How the rules go on from one wall to another one."""
    width, gaps, spans = len(across.lengths), [], []
    for line in (top, bottom):
        ends = [wall.across(line.across(wall.place, width // 2), height // 2) for wall in (one, other)]
        start, end = max(ends[0], 0), min(ends[1], width)
        gaps.append(widest_gap(crossed(across, line, start, max(end, start))))
        spans.append(end - start)
    if max(gaps) * rule.GAP <= high:
        return rule.WHOLE
    is_open = all(gap >= span - 2 * THICKEST for gap, span in zip(gaps, spans, strict=True))
    return rule.OPEN if is_open else rule.BROKEN


def _leans(slopes: int, high: int) -> Whole:
    """How far a wall may go aside from the top to the bottom: about perpendicular to its rules."""
    step = 1 + high // 64
    reach = high // rule.ASIDE // step
    leans: Whole = -slopes * high // (2 * ONE) + step * np.arange(-reach, reach + 1)
    return leans


def _wall_places(strokes: Strokes, top: Line, bottom: Line, start: int, end: int, leans: Whole) -> Whole:
    """(leans, runs): the column of the middle of the wall that each thin run between the rules may belong to, also one
    outside of the frame."""
    width = strokes.lengths.shape[1]
    x, y = strokes.twice // 2, strokes.along
    upper, lower = top.at(x, width // 2), bottom.at(x, width // 2)
    inside = (y > upper) & (y < lower) & (x >= start) & (x < end)
    twice, down, high = strokes.twice[inside], (2 * y - upper - lower)[inside], (lower - upper)[inside]
    places: Whole = (twice - leans[:, None] * down // high + 1) // 2
    return places


def _wall_at(strokes: Strokes, top: Line, bottom: Line, place: int, lean: int, high: int) -> Line | None:
    """The wall with its middle right of a column, if it goes from rule to rule."""
    height, width = strokes.lengths.shape
    upper = top.across(place, width // 2) + max(top.thick // 2, 1) + 1
    lower = bottom.across(place, width // 2) - max(bottom.thick // 2, 1)
    slope = lean * ONE // high
    level = place * ONE + ONE // 2 - slope * ((upper + lower) // 2 - height // 2)
    wall = Line(slope, level, max(upper, 0), min(lower, height), place=place)
    found = crossed(strokes, wall, wall.start, max(wall.end, wall.start))
    free, thin, span = int((found == 0).sum()), int(((found > 0) & (found <= THICKEST)).sum()), len(found)
    ends = 2 + high // 32
    if not thin or not found[:ends].any() or not found[-ends:].any():
        return None
    grade = rule.FLAWLESS if (thin - free) * 8 >= 7 * span else rule.CLEAR if (thin - free) * 2 >= span else rule.MERGED
    if grade == rule.MERGED and free * 8 > span:
        return None
    return wall._replace(thick=thickness(found), grade=grade)


def _regular(walls: list[Line], high: int, start: int, end: int) -> list[Line]:
    """Those that are the ends of a printed frame, or divide it into equal cells, and flawless ones of a table; none
    where there is no such frame."""
    clear = [wall.place for wall in walls if wall.grade >= rule.CLEAR and start <= wall.place < end]
    left, right = min(clear, default=0), max(clear, default=0)
    wide = right - left
    if wide * 8 < high * 9:
        return []
    cells = cells_of(walls, left, wide, high)
    if wide * 5 < high * 8 and cells == 1:
        return []
    while cells > 1:
        ends = (-1, cells + 1)
        beyond = [wall.place for wall in walls if any(_divides(wall, left, wide, cells, at) for at in ends)]
        if not beyond:
            break
        left, right, cells = min(left, beyond[0]), max(right, beyond[0]), cells + 1
        wide = right - left
    return _dividing(walls, left, wide, cells, not is_for_characters(wide, cells, high))


def _dividing(walls: list[Line], left: int, wide: int, cells: int, is_table: bool) -> list[Line]:
    """The walls that are the ends of a frame, or divide it into equal cells; of a table, the flawless ones between its
    ends, too. There is one in each place, or two where most cells do not touch."""
    inside = [left <= wall.place <= left + wide for wall in walls]
    kept = [is_table and on and wall.grade == rule.FLAWLESS for on, wall in zip(inside, walls, strict=True)]
    kept = [on or wall.place in (left, left + wide) for on, wall in zip(kept, walls, strict=True)]
    places = [[n for n, wall in enumerate(walls) if _divides(wall, left, wide, cells, at)] for at in range(1, cells)]
    most = 2 if 2 * sum(len(place) > 1 for place in places) > cells - 1 else 1
    for place in places:
        for _ in range(most):
            free = [number for number in place if not kept[number]]
            if free:
                kept[max(free, key=lambda number: walls[number].grade)] = True
    return [wall for wall, on in zip(walls, kept, strict=True) if on]


def _single(strokes: Strokes, top: Line, bottom: Line, walls: list[Line], high: int) -> list[Line]:
    """The walls at both ends of two rules, if they are a single box in which something is written."""
    clear, shape = [wall for wall in walls if wall.grade >= rule.CLEAR], strokes.lengths.shape
    left = [wall for wall in clear if all(is_at(wall, line, line.start, shape) for line in (top, bottom))]
    right = [wall for wall in clear if all(is_at(wall, line, line.end - 1, shape) for line in (top, bottom))]
    right = [wall for wall in right if wall not in left]
    if not left or not right or 5 * (right[-1].place - left[-1].place) < rule.NARROWEST_CELL * high:
        return []
    ends = left[-1], right[-1]
    return list(ends) if _holds_writing(strokes, *ends, top, bottom) else []


def _holds_writing(strokes: Strokes, left: Line, right: Line, top: Line, bottom: Line) -> bool:
    """Whether ink goes down a third of a box, away from its walls and rules."""
    (height, width), margin = strokes.lengths.shape, THICKEST + rule.NEAR
    start = max(top.across(wall.place, width // 2) for wall in (left, right)) + margin
    end = min(bottom.across(wall.place, width // 2) for wall in (left, right)) - margin
    seen = most = 0
    for y in range(start, end):
        first, last = (wall.across(y, height // 2) for wall in (left, right))
        within = slice(max(first + margin, 0), max(last - margin, 0))
        seen = seen + 1 if 0 <= y < height and strokes.levels[y, within].any() else 0
        most = max(most, seen)
    return 3 * most >= end - start > 0


def is_at(wall: Line, line: Line, end: int, shape: tuple[int, ...]) -> bool:
    """Whether a wall meets a rule at an end, which is as far as the middle of the wall or half a wall before it."""
    height, width = shape
    foot = wall.across(line.across(wall.place, width // 2), height // 2)
    return abs(foot - end) <= rule.NEAR + wall.thick // 2


def cell_of(walls: list[Line], high: int) -> int:
    """Width of the equal cells of a frame if each is for one character, with the gap to the next one, 0 if not."""
    left, right = min(wall.place for wall in walls), max(wall.place for wall in walls)
    if walls[0].grade == rule.SEPARATE:
        return (walls[-2].place - left) // (len(walls) // 2 - 1)
    if walls[0].grade == rule.FIELD:
        return 0
    cells = cells_of(walls, left, right - left, high)
    return (right - left) // cells if is_for_characters(right - left, cells, high) else 0


def is_for_characters(wide: int, cells: int, high: int) -> bool:
    """Whether a frame of equal cells is a row of boxes, one for each character; those of a table are wider."""
    return cells > 1 and 2 * (wide // cells) <= rule.WIDEST_CELL * high


def cells_of(walls: list[Line], left: int, wide: int, high: int) -> int:
    """Into how many equal cells the walls divide a frame."""
    best, cells = 0, 1
    for count in range(2, min(2 * wide // high, rule.MOST_CELLS) + 1):
        seen = sum(any(_divides(wall, left, wide, count, at) for wall in walls) for at in range(1, count))
        if 2 * seen - (count - 1) > best:
            best, cells = 2 * seen - (count - 1), count
    return cells


def _divides(wall: Line, left: int, wide: int, cells: int, at: int) -> bool:
    return abs((wall.place - left) * cells - at * wide) * rule.OFF_GRID <= wide


def find_wall_in_gap(ink: NDArray[np.uint8], gap: Sequence[int], perpendicular: int, behind: bool) -> int:
    """The column in which a wall stands in the middle of a gap between two numerals, -1 without one.

    Args:
        ink: (height, width), the reduced frame, light ink on dark.
        gap: LEFT, TOP, RIGHT and BOTTOM.
        perpendicular: lean of a wall that is perpendicular to the line of the numerals, in STEPS-ths.
        behind: whether the numerals may hide it.
    """
    levels, height = ink.astype(np.int64), len(ink)
    top = min(max(gap[1], 0), height)
    bottom = min(max(gap[3], top), height)
    margin = max((bottom - top) // rule.BEYOND, rule.LEAST_BEYOND)
    upper, lower, middle = max(top - margin, 0), min(bottom + margin, height), (top + bottom) // 2
    pieces = max((bottom - top) // rule.PIECE, 1)
    ends = [top + piece * (bottom - top) // pieces for piece in range(pieces + 1)]
    reach = (bottom - top) // rule.BEHIND if behind else rule.NEAR
    aside = rule.STEPS // rule.ASIDE
    leans = range(perpendicular - aside, perpendicular + aside + 1, rule.STEPS // rule.LEANS)
    best, found, slope = (rule.FAINTEST // 2 if behind else rule.FAINTEST) - 1, -1, 0
    for lean, place in product(leans, range(gap[0] - reach, gap[2] + reach)):
        seen = min(_stands_out(levels, place, lean, middle, *rows) for rows in ((upper, top), (bottom, lower)))
        if seen > best:
            between = [_stands_out(levels, place, lean, middle, *rows) >= rule.FAINTEST for rows in pairwise(ends)]
            if behind or 5 * sum(between) >= 2 * pieces:
                best, found, slope = seen, place, lean
    if behind or found < 0:
        return found
    rows = upper, top, bottom, lower
    if not _crosses_frame(levels, found, slope, middle, rows):
        return found
    before, after = (_neighbour_of(levels, found, slope, side, best, middle, rows) for side in (-1, 1))
    is_even = (abs(after - before) - 1) * rule.OFF_GRID <= max(before, after)
    return -1 if min(before, after) > 0 and is_even else found


def _crosses_frame(levels: Whole, place: int, lean: int, middle: int, rows: Rows) -> bool:
    directions = (rows[0], -1), (rows[3] - 1, 1)
    return all(_reaches_border(levels, place, lean, middle, *direction) for direction in directions)


def _neighbour_of(levels: Whole, place: int, lean: int, side: int, strength: int, middle: int, rows: Rows) -> int:
    """How far the next line beside one is that crosses the frame, too, and is half as strong at least; 0 without."""
    upper, top, bottom, lower = rows
    least = max(strength, rule.FAINTEST) // 2
    for away in range((bottom - top) // rule.NARROWEST_SQUARE, (bottom - top) * rule.WIDEST_SQUARE):
        other = place + side * away
        seen = max(_stands_out(levels, other, lean, middle, *some) for some in ((upper, top), (bottom, lower)))
        if seen >= least and _crosses_frame(levels, other, lean, middle, rows):
            return away
    return 0


def _place_on_lean(place: int, lean: int, middle: int, y: Whole | int) -> Any:
    return place + ((y - middle) * lean + rule.STEPS // 2) // rule.STEPS


def _stands_out(levels: Whole, place: int, lean: int, middle: int, start: int, end: int) -> int:
    """How many levels a line is darker than what is on both of its sides, in these rows in the mean; -1 outside."""
    y = np.arange(start, end)
    x = _place_on_lean(place, lean, middle, y)
    if not len(y) or x.min() < rule.BESIDE or x.max() >= levels.shape[1] - rule.BESIDE:
        return -1
    sides = levels[y, x - rule.BESIDE], levels[y, x + rule.BESIDE]
    return min(int((levels[y, x] - side).sum()) for side in sides) // len(y)


def _reaches_border(levels: Whole, place: int, lean: int, middle: int, y: int, step: int) -> bool:
    """Whether a line goes on from a row to the border; it may be a little off, and hidden in some pieces."""
    (height, width), hidden = levels.shape, 0
    while rule.PIECE <= y < height - rule.PIECE:
        if not 2 * rule.BESIDE <= _place_on_lean(place, lean, middle, y) < width - 2 * rule.BESIDE:
            return True
        rows = (y, y + rule.PIECE) if step > 0 else (y - rule.PIECE + 1, y + 1)
        seen = [_stands_out(levels, place + aside, lean, middle, *rows) for aside in (-1, 0, 1)]
        is_seen = max(seen) >= rule.FAINTEST // 2
        hidden = 0 if is_seen else hidden + 1
        if hidden > rule.MOST_HIDDEN:
            return False
        place, y = place + (seen.index(max(seen)) - 1 if is_seen else 0), y + step * rule.PIECE
    return True
