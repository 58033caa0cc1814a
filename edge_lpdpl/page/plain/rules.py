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
from edge_lpdpl.page.plain.walls import find_walls
from edge_lpdpl.page.rules_table import THICKEST


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
                _take_frame(rise, divided, ruled, top, bottom, walls)
                boxes = np.concatenate([boxes, _box_of(ruled & ~before)])
                framed |= {place, other}
                break
    for place, line in enumerate(lines):
        if place not in framed and is_underline(across, line, shortest):
            before = ruled.copy()
            _take_out(rise, ruled, line, line.start - rule.NEAR, line.end + rule.NEAR + 1)
            boxes = np.concatenate([boxes, _box_of(ruled & ~before)])
    return ruled, boxes


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


def _take_frame(rise: Picture, divided: Picture, ruled: Flags, top: Line, bottom: Line, walls: list[Line]) -> None:
    """Add the pixels of a frame to `ruled`: the walls first, or they would seem strokes that cross the rules."""
    height, width = rise.shape
    before = ruled.copy()
    for wall in walls:
        _take_out(divided.T, ruled.T, wall, wall.start, wall.end)
    between = (rise != 0) & (divided == 0) & (on_both_sides(ruled.astype(np.int64)) != 0)
    for left, upper, right, lower, *_ in _box_of(ruled & ~before).tolist():
        area = slice(upper, lower), slice(left, right)
        ruled[area] |= between[area]
    for line in (top, bottom):
        ends = [wall.across(line.across(wall.place, width // 2), height // 2) for wall in walls]
        _take_out(rise, ruled, line, min(ends) - rule.NEAR, max(ends) + rule.NEAR + 1)


def _take_out(rise: Picture, ruled: Flags, line: Line, start: int, end: int) -> None:
    """Add the pixels of a rule to `ruled` (across, along), but not those of writing that crosses it."""
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
    alone, half = before + after <= line.thick, max(line.thick // 2, 1)
    faintest = rule.FAINTER * darkest // rule.DARKER
    crosses = is_across(half + 1, faintest) | (is_across(half + 1) & is_across(half + rule.ONWARD))
    first = np.where(alone, across - before, exact - half)
    last = np.where(alone, across + after, np.where(crosses, first - 1, exact + half))
    for away in range(-THICKEST - 2, THICKEST + 3):
        place = exact + away
        own = (place >= first) & (place <= last) & ink(place, along)
        own &= rise[np.clip(place, 0, most - 1), along] <= darkest
        ruled[place[own], along[own]] = True


def _box_of(taken: Flags) -> Whole:
    """Row of these pixels, (1, UNREAD_COLUMNS), or nothing where there are none."""
    ys, xs = np.nonzero(taken)
    if not len(ys):
        return np.zeros((0, part.UNREAD_COLUMNS), np.int64)
    return np.array([[xs.min(), ys.min(), xs.max() + 1, ys.max() + 1, part.RULES, 0]])
