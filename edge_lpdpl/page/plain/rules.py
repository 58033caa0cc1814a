"""Rules are taken out, with array operations: what the kernels of `rules` do, in whole numbers."""

import numpy as np

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.plain.lines import (
    Flags,
    Line,
    Picture,
    Strokes,
    Whole,
    crossed,
    divide,
    find_rules,
    leaves,
    on_both_sides,
    strokes_of,
    widest_gap,
)
from edge_lpdpl.page.plain.walls import cells_of, find_walls
from edge_lpdpl.page.rules_table import ONE, THICKEST


def find_ruled(rise: Picture, shortest: int) -> tuple[Flags, Whole]:
    """The pixels of printed rules, and the box and reason (k, UNREAD_COLUMNS) of each frame.

    Args:
        rise: how far the ink rises above the paper, 0 without ink.
        shortest: length of the shortest underline; 0 takes out none.
    """
    ruled = np.zeros(rise.shape, np.bool_)
    boxes = np.zeros((0, part.UNREAD_COLUMNS), np.int64)
    divided = divide(rise)
    across, upright = strokes_of(rise.T != 0), strokes_of(divided != 0)
    if max(len(across.along), len(upright.along)) > rule.MOST_THIN:
        return ruled, boxes
    lines, tried, framed = find_rules(across), 0, set[int]()
    for place, top in enumerate(lines):
        for other, bottom in enumerate(lines[place + 1 :], place + 1):
            walls, more = find_walls(across, upright, top, bottom, rule.MOST_TRIED - tried)
            tried += more
            if walls:
                before = ruled.copy()
                high = (bottom.level - top.level) // ONE
                _take_frame(rise, divided, ruled, top, bottom, walls, high)
                boxes = np.concatenate([boxes, _box_of(ruled & ~before, cell_of(walls, high))])
                framed |= {place, other}
                break
    for place, line in enumerate(lines):
        if place not in framed and is_underline(across, line, shortest):
            before = ruled.copy()
            start, end = line.start - rule.NEAR, line.end + rule.NEAR + 1
            _take_out(rise, ruled, line, start, end, (end - start) // 4)
            boxes = np.concatenate([boxes, _box_of(ruled & ~before, 0)])
    return ruled, boxes


def cell_of(walls: list[Line], high: int) -> int:
    """Width of the equal cells of a frame if each is for one character, 0 if not."""
    left, right = min(wall.place for wall in walls), max(wall.place for wall in walls)
    cells = cells_of(walls, left, right - left, high)
    wide = (right - left) // cells
    return wide if cells > 1 and 2 * wide <= rule.WIDEST_CELL * high else 0


def is_underline(strokes: Strokes, line: Line, shortest: int) -> bool:
    """Whether all that is written on a rule is much lower than the rule is long, and nothing hangs from it."""
    start, end, length = line.start, line.end, line.end - line.start
    if not 0 < shortest <= length or leaves(line, len(strokes.lengths)):
        return False
    if widest_gap(crossed(strokes, line, start, end)) > THICKEST:
        return False
    near = far = 0
    for away in np.flatnonzero(_upright_ink(strokes, line, -1, start, end)).tolist():
        if far and away - far > far // 4 + 1:
            break
        near, far = near or away, away
    if far <= rule.TALL or 2 * near > far or 8 * far > rule.LOWER * length:
        return False
    below = _upright_ink(strokes, line, 1, start, end)[far // 4 : far // 2]
    ends = ((start - far, start), (end, end + far))
    beside = [_upright_ink(strokes, line, -1, *stretch)[far // 4 : far] for stretch in ends]
    return not any(one.any() for one in (below, *beside))


def _upright_ink(strokes: Strokes, line: Line, side: int, start: int, end: int) -> Flags:
    """Whether there are upright strokes at each distance from a stretch of a rule on one side, (its length,)."""
    width, most = strokes.lengths.shape
    along = np.arange(max(start, 0), min(end, width))
    exact = line.at(along, width // 2)
    found = np.zeros(line.end - line.start, np.bool_)
    for away in range(line.thick // 2 + 1, len(found)):
        place = exact + side * away
        lengths = strokes.lengths[along, np.clip(place, 0, most - 1)]
        found[away] = ((place >= 0) & (place < most) & (lengths > rule.TALL)).any()
    return found


def _take_frame(
    rise: Picture, divided: Picture, ruled: Flags, top: Line, bottom: Line, walls: list[Line], high: int
) -> None:
    """Add the pixels of a frame to `ruled`: the walls first, or they would seem strokes that cross the rules."""
    height, width = rise.shape
    before = ruled.copy()
    for wall in walls:
        _take_out(divided.T, ruled.T, wall, wall.start, wall.end, high)
    between = (rise != 0) & (divided == 0) & (on_both_sides(ruled.astype(np.int64)) != 0)
    for left, upper, right, lower, *_ in _box_of(ruled & ~before, 0).tolist():
        area = slice(upper, lower), slice(left, right)
        ruled[area] |= between[area]
    for line in (top, bottom):
        ends = [wall.across(line.across(wall.place, width // 2), height // 2) for wall in walls]
        _take_out(rise, ruled, line, min(ends) - rule.NEAR, max(ends) + rule.NEAR + 1, high)


def _take_out(rise: Picture, ruled: Flags, line: Line, start: int, end: int, reach: int) -> None:
    """Add the pixels of a rule to `ruled` (across, along), but not those of writing that crosses it or lies on it. How
    much ink it has is measured so far around each place."""
    most, long = rise.shape
    inside = (rise != 0) & ~ruled

    def ink(across: Whole, along: Whole, least: int = 0) -> Flags:
        there: Flags = (across >= 0) & (across < most) & (along >= 0) & (along < long)
        place = np.clip(across, 0, most - 1), np.clip(along, 0, long - 1)
        there &= inside[place] & (rise[place] >= least)
        return there

    def is_across(away: int, least: int = 0) -> Flags:
        """Whether there is ink so far away on both sides of the rule, opposite or aslant."""
        found = np.zeros(len(along), np.bool_)
        for aside in range(-rule.CROSSING, rule.CROSSING + 1):
            found |= ink(exact - away, along - aside, least) & ink(exact + away, along + aside, least)
        return found

    along = np.arange(max(start, 0), min(end, long))
    exact = line.at(along, long // 2)
    across = np.where(ink(exact, along), exact, np.where(ink(exact - 1, along), exact - 1, exact + 1))
    there = ink(across, along)
    along, exact, across = along[there], exact[there], across[there]
    before, after = np.zeros_like(along), np.zeros_like(along)
    for away in range(1, THICKEST + 2):
        before += (before == away - 1) & ink(across - away, along)
        after += (after == away - 1) & ink(across + away, along)
    thin = before + after < THICKEST
    if not thin.any():
        return
    darkest = rule.DARKER * int(rise[across[thin], along[thin]].sum(dtype=np.int64)) // (4 * int(thin.sum()))
    amounts = _amounts(rise, across, along, before, after)
    whole, beyond = np.zeros((2, max(min(end, long) - max(start, 0), 0)), np.int64)
    whole[along - max(start, 0)], beyond[along - max(start, 0)] = amounts, np.maximum(before, after)
    written = _written(whole, beyond, reach)[along - max(start, 0)]
    alone, half = before + after <= line.thick, max(line.thick // 2, 1)
    faintest = rule.FAINTER * darkest // rule.DARKER
    crosses = is_across(half + 1, faintest) | (is_across(half + 1) & is_across(half + rule.ONWARD))
    first = np.where(alone, across - before, exact - half)
    last = np.where(alone, across + after, np.where(crosses, first - 1, exact + half))
    for away in range(-THICKEST - 2, THICKEST + 3):
        place = exact + away
        own = (place >= first) & (place <= last) & ink(place, along)
        own &= (rise[np.clip(place, 0, most - 1), along] <= darkest) & ~written
        ruled[place[own], along[own]] = True


def _amounts(rise: Picture, across: Whole, along: Whole, before: Whole, after: Whole) -> Whole:
    """How much ink a rule has across at each of these places, up to a valley behind which another stroke begins."""
    whole = rise[across, along].astype(np.int64)
    for step, reach in ((-1, before), (1, after)):
        highest = lowest = rise[across, along].astype(np.int64)
        goes_on = np.ones(len(along), np.bool_)
        for away in range(1, THICKEST + 2):
            goes_on &= away <= reach
            level = np.where(goes_on, rise[np.clip(across + step * away, 0, len(rise) - 1), along], 0).astype(np.int64)
            goes_on &= 2 * lowest > np.minimum(highest, level)
            whole += np.where(goes_on, level, 0)
            lowest = np.where(level >= highest, level, np.minimum(lowest, level))
            highest = np.maximum(highest, level)
    return whole


def _written(whole: Whole, beyond: Whole, reach: int) -> Flags:
    """Whether a stroke lies on a rule at each place: it has much more ink across than around, for longer than a stroke
    that crosses it, and goes on beyond it somewhere."""
    much = np.zeros(len(whole) + 2, np.bool_)
    for place in np.flatnonzero(whole).tolist():
        around = whole[max(place - reach, 0) : place + reach + 1]
        around = around[around > 0]
        around = around[around <= around.sum() // len(around)]
        much[place + 1] = 4 * whole[place] > rule.DARKER * (int(around.sum()) // len(around))
    written = np.zeros(len(whole), np.bool_)
    changes = np.flatnonzero(much[1:] != much[:-1])
    for first, end in zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True):
        written[first:end] = end - first > rule.TALL and beyond[first:end].max() > THICKEST
    return written


def _box_of(taken: Flags, cell: int) -> Whole:
    """Row of these pixels, (1, UNREAD_COLUMNS), or nothing where there are none."""
    ys, xs = np.nonzero(taken)
    if not len(ys):
        return np.zeros((0, part.UNREAD_COLUMNS), np.int64)
    return np.array([[xs.min(), ys.min(), xs.max() + 1, ys.max() + 1, part.RULES, 0, 0, cell]])
