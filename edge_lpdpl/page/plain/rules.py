"""Rules are taken out, with array operations: what the kernels of `rules` do, in whole numbers."""

from typing import NamedTuple

import numpy as np

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.plain.combs import find_comb
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
from edge_lpdpl.page.plain.walls import cell_of, find_walls
from edge_lpdpl.page.rules_table import ONE, THICKEST

EXTENTS = ((part.TOP, part.BOTTOM, part.LEFT, part.RIGHT), (part.LEFT, part.RIGHT, part.TOP, part.BOTTOM))
"""Across rules that lie and along them; across upright ones and along them."""


def find_hidden(row: Whole, contrast: Picture, ruled: Flags, taken: Whole) -> Flags:
    """The pixels of printed rules with which strokes of a group may have been taken out.

    Args:
        row: measures of the group.
        contrast: of the ink that is left, 0 elsewhere.
        ruled: the pixels of rules.
        taken: share of the paper's light that each pixel takes, in 255ths.
    """
    side = max(int(row[part.RIGHT] - row[part.LEFT]), int(row[part.BOTTOM] - row[part.TOP]))
    half_outline = row[part.RUNS] + row[part.AREA] - row[part.SHARED]
    pen = int(row[part.RIDGE] * row[part.AREA] // (row[part.RUNS] * half_outline))
    taken, written = np.where(ruled, taken, 0), contrast != 0
    hidden = np.zeros_like(ruled)
    for extent in EXTENTS:
        first, last, low, high = (int(row[side]) for side in extent)
        for edge, outside in ((first, first - 1), (last - 1, last)):
            if 0 <= outside < len(ruled) and (written[edge] & _beside(ruled[outside]))[low:high].any():
                start, end = _heavy_stretch(taken, outside, low, high, pen // rule.HEAVIER)
                if end - start > THICKEST and rule.LEAST_HIDDEN * (end - start) > side:
                    hidden[max(outside - THICKEST, 0) : outside + THICKEST + 1, start:end] = True
        written, ruled, taken, hidden = written.T, ruled.T, taken.T, hidden.T
    return hidden & ruled


def is_rest(row: Whole, ruled: Flags) -> bool:
    """Whether a group may be what is left of a rule that was not taken out whole: a bar from one rule to another one,
    as a wall is, or a speck at one."""
    side = max(int(row[part.RIGHT] - row[part.LEFT]), int(row[part.BOTTOM] - row[part.TOP]))
    for extent in EXTENTS:
        first, last, low, high = (int(row[side]) for side in extent)
        ends = (first - 1, first + THICKEST + 1), (last - 1 - THICKEST, last + 1)
        met = sum(ruled[max(start, 0) : end, max(low - 1, 0) : high + 1].any() for start, end in ends)
        if (met == 2 and rule.SLIM * (high - low) <= last - first) or (met and side <= rule.TALL):
            return True
        ruled = ruled.T
    return False


def _beside(flags: Flags) -> Flags:
    """Flags of a row that are set, or have a neighbour that is."""
    padded = np.pad(flags, 1)
    return padded[:-2] | padded[1:-1] | padded[2:]


def _heavy_stretch(taken: Whole, place: int, low: int, high: int, more: int) -> tuple[int, int]:
    """Start and end of the longest stretch of a rule, along `low` to `high` or from there on, with more ink than around
    it by more than `more`."""
    reach = high - low + rule.TALL
    start = max(low - reach, 0)
    across = taken[max(place - THICKEST, 0) : place + THICKEST + 1, start : high + reach].sum(axis=0)
    heavy = np.pad(across > _ink_around(across) + more, 1)
    firsts, ends = np.flatnonzero(heavy[:-1] != heavy[1:]).reshape(-1, 2).T
    near = (start + ends >= low) & (start + firsts <= high)
    if not near.any():
        return 0, 0
    longest = np.argmax(np.where(near, ends - firsts, 0))
    return start + int(firsts[longest]), start + int(ends[longest])


def find_ruled(rise: Picture, shortest: int, single: bool) -> tuple[Flags, Whole, Whole]:
    """The pixels of printed rules, the box and reason (k, UNREAD_COLUMNS) of each frame, and what divides the cells
    of tables (n, DIVIDER_COLUMNS).

    Args:
        rise: how far the ink rises above the paper, 0 without ink.
        shortest: length of the shortest underline; 0 takes out none.
        single: whether a single box may be printed.
    """
    ruled, dividers = np.zeros(rise.shape, np.bool_), np.zeros((0, rule.DIVIDER_COLUMNS), np.int64)
    boxes = np.zeros((0, part.UNREAD_COLUMNS), np.int64)
    divided = divide(rise)
    across, upright = strokes_of(rise.T), strokes_of(divided)
    if max(len(across.along), len(upright.along)) > rule.MOST_THIN:
        return ruled, boxes, dividers
    lines, tried, framed = find_rules(across), 0, set[int]()
    for place, top in enumerate(lines):
        for other, bottom in enumerate(lines[place + 1 :], place + 1):
            walls, more = find_walls(across, upright, top, bottom, place in framed, single, rule.MOST_TRIED - tried)
            tried += more
            if walls:
                before = ruled.copy()
                high = (bottom.level - top.level) // ONE
                _take_frame(rise, divided, ruled, top, bottom, walls, high)
                cell = cell_of(walls, high)
                boxes = np.concatenate([boxes, _box_of(ruled & ~before, cell)])
                if not cell:
                    dividers = np.concatenate([dividers, _dividers(top, bottom, walls, rise.shape)])
                framed |= {place, other}
                break
    for place, line in enumerate(lines):
        if place in framed:
            continue
        teeth, more = find_comb(across, upright, line, rule.MOST_TRIED - tried)
        tried += more
        if teeth:
            before = ruled.copy()
            _take_frame(rise, divided, ruled, line, line, teeth, teeth[0].end - teeth[0].start)
            boxes = np.concatenate([boxes, _box_of_comb(ruled & ~before, line, teeth)])
        elif is_underline(across, line, shortest):
            before = ruled.copy()
            start, end = line.start - rule.NEAR, line.end + rule.NEAR + 1
            _take_out(Ink(rise, ruled), line, start, end, (end - start) // 4, 0)
            boxes = np.concatenate([boxes, _box_of(ruled & ~before, 0)])
    return ruled, boxes, dividers


def _box_of_comb(taken: Flags, line: Line, teeth: list[Line]) -> Whole:
    """The box of a comb, whose boxes are open above: they are taken to be as high as wide."""
    cell = (teeth[-1].place - teeth[0].place) // (len(teeth) - 1)
    box, middle = _box_of(taken, cell), taken.shape[1] // 2
    foot = min(line.across(end, middle) for end in (line.start, line.end))
    box[:, part.TOP] = np.maximum(np.minimum(box[:, part.TOP], foot - cell), 0)
    return box


def _dividers(top: Line, bottom: Line, walls: list[Line], shape: tuple[int, ...]) -> Whole:
    """The rules and the walls of a table, or the ends of fields in a row, but for its ends, (n, DIVIDER_COLUMNS)."""
    height, width = shape
    places = [wall.place for wall in walls]
    ends = min(places), max(places)
    between = [wall for wall in walls if ends[0] < wall.place < ends[1]]
    if walls[0].grade == rule.FIELD:
        between = [wall for wall in between if wall.grade == rule.FIELD]
    lying = [[[x, line.across(x, width // 2)] for x in ends] for line in (top, bottom)]
    upright = [[[wall.across(y, height // 2), y] for y in (wall.start, wall.end)] for wall in between]
    return np.array(lying + upright, np.int64).reshape(-1, rule.DIVIDER_COLUMNS)


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
    width, most = strokes.levels.shape
    along = np.arange(max(start, 0), min(end, width))
    exact, runs = line.at(along, width // 2), _run_lengths(strokes.levels[along] > 0)
    found = np.zeros(line.end - line.start, np.bool_)
    for away in range(line.thick // 2 + 1, len(found)):
        place = exact + side * away
        lengths = runs[along - max(start, 0), np.clip(place, 0, most - 1)]
        found[away] = ((place >= 0) & (place < most) & (lengths > rule.TALL)).any()
    return found


def _run_lengths(inside: Flags) -> Whole:
    """(along, across): of the run of ink that each pixel is in, 0 without."""
    step = np.diff(np.pad(inside, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    starts, ends = np.nonzero(step == 1)[1], np.nonzero(step == -1)[1]
    lengths = np.zeros(inside.shape, np.int64)
    lengths[inside] = np.repeat(ends - starts, ends - starts)
    return lengths


class Ink(NamedTuple):
    """Ink that may belong to a rule."""

    rise: Picture
    """(across, along)."""
    ruled: Flags
    """(across, along): what has been taken out."""

    def at(self, across: Whole, along: Whole) -> Whole:
        """The contrast of ink that belongs to no rule, 0 outside of the frame and without ink."""
        most, long = self.rise.shape
        inside = (across >= 0) & (across < most) & (along >= 0) & (along < long)
        place = np.clip(across, 0, most - 1), np.clip(along, 0, long - 1)
        return np.where(inside & ~self.ruled[place], self.rise[place], 0).astype(np.int64)

    def centre(self, exact: Whole, along: Whole) -> tuple[Whole, Whole]:
        """Where a rule has ink, at its exact place or beside that where it is more than twice as dark; and how dark."""
        best, most = exact, np.zeros_like(exact)
        for place in (exact, exact - 1, exact + 1):
            level = self.at(place, along)
            best, most = np.where(level > 2 * most, place, best), np.where(level > 2 * most, level, most)
        return best, most

    def beyond(self, across: Whole, along: Whole, step: int) -> Whole:
        """How many pixels that are at least half as dark follow, at most one more than a rule is thick."""
        level, count = self.at(across, along), np.zeros_like(across)
        for away in range(1, THICKEST + 2):
            count += (count == away - 1) & (2 * self.at(across + step * away, along) >= level)
        return count

    def with_rim(self, centre: Whole, count: Whole, along: Whole, step: int) -> Whole:
        """How many pixels of a rule there are on one side of its centre: so many, and ink behind them that fades."""
        for _ in range(THICKEST + 1):
            fainter, level = (self.at(centre + step * (count + more), along) for more in (1, 0))
            count = count + ((count <= THICKEST) & (fainter > 0) & (fainter <= level))
        return count

    def amounts(self, centre: Whole, along: Whole) -> Whole:
        """How much ink a rule has across at each of these places, up to a valley behind which another stroke begins."""
        whole = self.at(centre, along)
        for step in (-1, 1):
            highest = lowest = self.at(centre, along)
            goes_on = np.ones(len(along), np.bool_)
            for away in range(1, THICKEST + 2):
                level = self.at(centre + step * away, along)
                goes_on &= (level > 0) & (2 * lowest > np.minimum(highest, level))
                whole = whole + np.where(goes_on, level, 0)
                lowest = np.where(level >= highest, level, np.minimum(lowest, level))
                highest = np.maximum(highest, level)
        return whole

    def core(self, centre: Whole, along: Whole) -> Whole:
        """How much ink there is across that is at least half as dark as the centre of a rule."""
        before, after = (self.beyond(centre, along, step) for step in (-1, 1))
        total = np.zeros_like(centre)
        for away in range(-THICKEST - 1, THICKEST + 2):
            inside = (-before <= away) & (away <= after)
            total += np.where(inside, self.at(centre + away, along), 0)
        return total

    def is_free(self, centre: Whole, along: Whole) -> Flags:
        """Whether the ink across a rule ends on both sides."""
        free = np.ones(len(along), np.bool_)
        for step in (-1, 1):
            ends = np.zeros(len(along), np.bool_)
            for away in range(1, rule.ONWARD + 1):
                ends |= self.at(centre + step * away, along) == 0
            free &= ends
        return free

    def strongest_across(self, exact: Whole, away: int, along: Whole) -> Whole:
        """The contrast of ink that is so far away on both sides of a rule, opposite or aslant; 0 where there is
        none."""
        strongest = np.zeros_like(exact)
        for aside in range(-rule.CROSSING, rule.CROSSING + 1):
            ends = self.at(exact - away, along - aside), self.at(exact + away, along + aside)
            strongest = np.maximum(strongest, np.minimum(*ends))
        return strongest


def _take_frame(
    rise: Picture, divided: Picture, ruled: Flags, top: Line, bottom: Line, walls: list[Line], high: int
) -> None:
    """Add the pixels of a frame to `ruled`: the walls first, or they would seem strokes that cross the rules."""
    height, width = rise.shape
    lying, before = Ink(rise, ruled), ruled.copy()
    usual = max(_usual(lying, line) for line in (top, bottom))
    for wall in walls:
        _take_out(Ink(divided.T, ruled.T), wall, wall.start, wall.end, high, usual)
    between = (rise != 0) & (divided == 0) & (on_both_sides(ruled.astype(np.int64)) != 0)
    for left, upper, right, lower, *_ in _box_of(ruled & ~before, 0).tolist():
        area = slice(upper, lower), slice(left, right)
        ruled[area] |= between[area]
    for line in (top, bottom):
        ends = [wall.across(line.across(wall.place, width // 2), height // 2) for wall in walls]
        darkest = _take_out(lying, line, min(ends) - rule.NEAR, max(ends) + rule.NEAR + 1, high, 0)
        for column in ends:
            row = line.across(column, width // 2)
            near, far = -rule.NEAR, rule.NEAR + 1
            area = slice(max(row + near, 0), max(row + far, 0)), slice(max(column + near, 0), max(column + far, 0))
            ruled[area] |= (rise[area] != 0) & (rise[area] <= darkest)


def _measure(ink: Ink, line: Line, start: int, end: int) -> tuple[Whole, Whole, int]:
    """How much ink a rule has across at each place, how far that goes to one side, and its highest contrast."""
    long = ink.rise.shape[1]
    along = np.arange(max(start, 0), max(min(end, long), max(start, 0)))
    centre, level = ink.centre(line.at(along, long // 2), along)
    before, after = (np.where(level > 0, ink.beyond(centre, along, step), 0) for step in (-1, 1))
    thin = (level > 0) & (before + after < THICKEST)
    darkest = rule.DARKER * int(level[thin].sum()) // (4 * max(int(thin.sum()), 1))
    return np.where(level > 0, ink.amounts(centre, along), 0), np.maximum(before, after), darkest


def _usual(ink: Ink, line: Line) -> int:
    """How much ink a lying rule usually has across."""
    whole, _, _ = _measure(ink, line, line.start, line.end)
    return _ink_around(whole)


def _take_out(ink: Ink, line: Line, start: int, end: int, reach: int, usual: int) -> int:
    """Add the pixels of a rule to those taken out, but not those of writing that crosses it or lies on it. How much ink
    it has is compared with so far around each place, and with what is usual unless that is 0. Returns the highest
    contrast of the rule."""
    long = ink.rise.shape[1]
    whole, farthest, darkest = _measure(ink, line, start, end)
    along = np.arange(max(start, 0), max(start, 0) + len(whole))
    exact = line.at(along, long // 2)
    centre, level = ink.centre(exact, along)
    unusual = np.zeros(len(along), np.bool_)
    if usual > 0:
        unusual = (level > 0) & ink.is_free(centre, along) & (4 * ink.core(centre, along) > rule.DARKER * usual)
    taken = (level > 0) & ~_written(whole, farthest, reach, unusual) & ~_crossed(ink, line, along, darkest)
    along, exact, centre = along[taken], exact[taken], centre[taken]
    before, after = (ink.beyond(centre, along, step) for step in (-1, 1))
    alone, half = before + after <= line.thick, max(line.thick // 2, 1)
    first = np.where(alone, centre - ink.with_rim(centre, before, along, -1), exact - half)
    last = np.where(alone, centre + ink.with_rim(centre, after, along, 1), exact + half)
    for away in range(-THICKEST - 2, THICKEST + 3):
        place = exact + away
        level = ink.at(place, along)
        own = (place >= first) & (place <= last) & (level > 0) & (level <= darkest)
        ink.ruled[place[own], along[own]] = True
    return darkest


def _crossed(ink: Ink, line: Line, along: Whole, darkest: int) -> Flags:
    """Whether a stroke crosses a rule at each place: there is ink on both sides, and the rule is thicker there; or
    fainter ink goes on, in a stretch that is no longer than a stroke is wide."""
    exact, half = line.at(along, ink.rise.shape[1] // 2), max(line.thick // 2, 1)
    beyond = (ink.strongest_across(exact, half + away, along) for away in (1, rule.ONWARD // 2, rule.ONWARD))
    near, middle, far = beyond
    goes_on = (near > 0) & (middle > 0) & (far > 0)
    is_short = goes_on.copy()
    for first, end in stretches(goes_on):
        is_short[first:end] = end - first <= rule.TALL
    centre, _ = ink.centre(exact, along)
    thicker = ink.beyond(centre, along, -1) + ink.beyond(centre, along, 1) > line.thick
    strong = near >= max(rule.FAINTER * darkest // rule.DARKER, 1)
    return np.where(thicker, strong | goes_on, is_short)


def _written(whole: Whole, beyond: Whole, reach: int, unusual: Flags) -> Flags:
    """Whether a stroke lies on a rule at each place, for longer than a stroke that crosses it: it has much more ink
    across than around, and goes on beyond it somewhere; or its core stands free, and has much more than is usual."""
    much = np.zeros(len(whole), np.bool_)
    for place in np.flatnonzero(whole).tolist():
        around = _ink_around(whole[max(place - reach, 0) : place + reach + 1])
        much[place] = unusual[place] or 4 * whole[place] > rule.DARKER * around
    written = np.zeros(len(whole), np.bool_)
    for first, end in stretches(much):
        goes_on = beyond[first:end].max() > THICKEST or np.count_nonzero(unusual[first:end]) > rule.TALL
        written[first:end] = end - first > rule.TALL and goes_on
    return written


def stretches(flags: Flags) -> list[tuple[int, int]]:
    """Start and end of each stretch of them."""
    changes = np.flatnonzero(np.diff(np.pad(flags, 1).astype(np.int8)))
    return list(zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True))


def _ink_around(whole: Whole) -> int:
    """Mean ink across a rule, of the places that have at most the mean."""
    around = whole[whole > 0]
    if not len(around):
        return 0
    around = around[around <= around.sum() // len(around)]
    return int(around.sum()) // len(around)


def _box_of(taken: Flags, cell: int) -> Whole:
    """Row of these pixels, (1, UNREAD_COLUMNS), or nothing where there are none."""
    ys, xs = np.nonzero(taken)
    if not len(ys):
        return np.zeros((0, part.UNREAD_COLUMNS), np.int64)
    return np.array([[xs.min(), ys.min(), xs.max() + 1, ys.max() + 1, part.RULES, 0, 0, cell]])
