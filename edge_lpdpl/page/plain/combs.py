"""Combs, with array operations: what the kernels of `rules/combs` do."""

from itertools import product

from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.plain.lines import Line, Strokes, crossed, leaves, widest_gap
from edge_lpdpl.page.plain.walls import cells_of, going_on, is_at, search_walls
from edge_lpdpl.page.rules_table import ONE, THICKEST


def find_comb(across: Strokes, strokes: Strokes, line: Line, most: int) -> tuple[list[Line], int]:
    """The teeth of a comb that stands on a rule, none where it is none; and how many walls, of `most`, were tried."""
    width, tried = strokes.lengths.shape[1], 0
    if leaves(line, width) or widest_gap(crossed(across, line, line.start, line.end)) > THICKEST:
        return [], 0
    ends, least = (line.start, line.end - 1), max(rule.TALL, rule.STUMPIEST * line.thick)
    if min(_ink_above(strokes, line, end, THICKEST + 1, least) for end in ends) < least:
        return [], 0
    for high in sorted(_ink_above(strokes, line, end, THICKEST, len(strokes.lengths)) for end in ends):
        if high < least:
            continue
        top = line._replace(level=line.level - (high + 1) * ONE, thick=0)
        start, end = ends[0] - rule.NEAR, ends[1] + rule.NEAR
        walls, more = search_walls(across, strokes, top, line, line, start, end, high + 1, most - tried)
        tried += more
        teeth = _teeth(walls, line, high + 1, strokes.lengths.shape)
        if teeth and 4 * going_on(strokes, top, teeth, -1) <= len(teeth):
            return [_lengthened(strokes, tooth) for tooth in teeth], tried
    return [], tried


def _ink_above(strokes: Strokes, line: Line, end: int, widest: int, most: int) -> int:
    """How far above a rule the highest line goes that stands on it near to one end, and is at most so wide; it is not
    followed for more than `most` rows."""
    (height, width), best = strokes.lengths.shape, 0
    for place, lean in product(range(end - THICKEST, end + THICKEST + 1, 2), range(-2, 3)):
        foot = line.across(place, width // 2) - max(line.thick // 2, 1) - 1
        slope = -line.slope + lean * ONE // (2 * rule.ASIDE)
        wall = Line(slope, place * ONE - slope * (foot - height // 2), 0, height)
        end_row = _end_of(strokes, wall, foot, max(foot - most, 0), widest)
        best = max(best, line.across(wall.across(end_row, height // 2), width // 2) - end_row)
    return best


def _end_of(strokes: Strokes, wall: Line, y: int, last: int, widest: int = THICKEST) -> int:
    """The last row in which a wall is no wider, from a row up to another one; the row below where there is none."""
    while last <= y < len(strokes.lengths) and 0 < int(crossed(strokes, wall, y, y + 1)[0]) <= widest:
        y -= 1
    return y + 1


def _teeth(walls: list[Line], line: Line, high: int, shape: tuple[int, ...]) -> list[Line]:
    """The walls that divide a rule into equal cells, one for each end of a cell; none where one is missing, or the
    outermost are not at the ends of the rule."""
    if len(walls) < 3:
        return []
    if not (is_at(walls[0], line, line.start, shape) and is_at(walls[-1], line, line.end - 1, shape)):
        return []
    first, wide = walls[0].place, walls[-1].place - walls[0].place
    cells = cells_of(walls, first, wide, high)
    if cells == 1:
        return []
    off = [[abs((wall.place - first) * cells - at * wide) for wall in walls] for at in range(cells + 1)]
    nearest = [min(range(len(walls)), key=one.__getitem__) for one in off]
    is_even = all(one[place] * rule.OFF_GRID <= wide for one, place in zip(off, nearest, strict=True))
    return [walls[place] for place in nearest] if is_even else []


def _lengthened(strokes: Strokes, tooth: Line) -> Line:
    """A tooth that goes on to where its ink ends, by a few pixels."""
    last = max(tooth.start - 2 * rule.NEAR, 0)
    return tooth._replace(start=_end_of(strokes, tooth, tooth.start - 1, last))
