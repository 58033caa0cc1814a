"""Rules are taken out, with array operations: what the kernels of `rules` do, in whole numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.rules_table import ONE, THICKEST

Picture = NDArray[np.uint8]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Line(NamedTuple):
    """A straight line; see `edge_lpdpl.page.rules_table`."""

    slope: int
    level: int
    start: int
    end: int
    thick: int = 0
    place: int = 0
    grade: int = 0

    def at(self, along: Whole, middle: int) -> Whole:
        """Where it is across."""
        across: Whole = (self.level + self.slope * (along - middle) + ONE // 2) >> 16
        return across

    def across(self, along: int, middle: int) -> int:
        """The same for one place."""
        return (self.level + self.slope * (along - middle) + ONE // 2) >> 16


class Strokes(NamedTuple):
    """Strokes cut across into runs of ink, along columns or along rows."""

    lengths: Whole
    """(along, across): of the run that each pixel is in, 0 without ink."""
    along: Whole
    """Where each thin run is."""
    twice: Whole
    """Twice the middle of each, across."""


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
    if not 0 < shortest <= length or _leaves(line, len(strokes.lengths)):
        return False
    if _widest_gap(_crossed(strokes, line, start, end)) > THICKEST:
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


def strokes_of(inside: Flags) -> Strokes:
    """The runs of ink in every row of `inside` (along, across)."""
    step = np.diff(np.pad(inside, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (along, starts), ends = np.nonzero(step == 1), np.nonzero(step == -1)[1]
    lengths = np.zeros(inside.shape, np.int64)
    lengths[inside] = np.repeat(ends - starts, ends - starts)
    thin = ends - starts <= THICKEST
    return Strokes(lengths, along[thin], (starts + ends - 1)[thin])


def divide(rise: Picture) -> Picture:
    """The rise, 0 in valleys: at pixels that are fainter than one of the two before them in their row, and than one of
    the two behind. Walls side by side, which blur into one run of ink, are two again."""
    level = rise.astype(np.int64)
    is_valley = rule.SHALLOWEST * level <= (rule.SHALLOWEST - 1) * _on_both_sides(level)
    return np.where(is_valley, 0, rise).astype(np.uint8)


def _on_both_sides(level: Whole) -> Whole:
    """The higher of the two levels before each pixel in its row, or of the two behind it, whichever is lower."""
    padded = np.pad(level, ((0, 0), (2, 2)))
    before, behind = np.maximum(padded[:, :-4], padded[:, 1:-3]), np.maximum(padded[:, 3:-1], padded[:, 4:])
    lower: Whole = np.minimum(before, behind)
    return lower


def find_rules(strokes: Strokes) -> list[Line]:
    """Long straight lines in thin strokes, by a Hough transform, from top to bottom."""
    width = len(strokes.lengths)
    middle, slots, above = width // 2, rule.SLOTS, rule.ABOVE
    slopes = np.arange(-rule.STEEPEST, rule.STEEPEST + 1)
    places = (rule.STEPS * strokes.twice - 2 * slopes[:, None] * (strokes.along - middle)) // (4 * rule.STEPS) + above
    places += np.arange(len(slopes))[:, None] * slots
    votes = np.bincount(places.ravel(), minlength=len(slopes) * slots)
    left = np.ones(len(strokes.along), np.bool_)
    lines = list[Line]()
    for _ in range(rule.MOST_RULES):
        pairs = votes[:-1] + votes[1:]
        peak = int(pairs.argmax())
        if pairs[peak] < rule.LEAST:
            break
        step, slot = divmod(peak, slots)
        level = (2 * (slot - above) + 1) * ONE + ONE // 2
        line = _extend(strokes, Line((step - rule.STEEPEST) * (ONE // rule.STEPS), level, 0, width))
        for _ in range(rule.FITS if line.end - line.start >= rule.SEED else 0):
            line = _extend(strokes, _fit(strokes, left, line))
        near = _near(strokes, left, line)
        if line.end - line.start >= rule.SHORTEST and np.count_nonzero(near) >= rule.LEAST:
            lines.append(line)
        else:
            near = left & (places[step] >= peak) & (places[step] <= peak + 1)
        np.subtract.at(votes, places[:, near].ravel(), 1)
        left &= ~near
    return sorted(lines, key=lambda line: line.level)


def _near(strokes: Strokes, left: Flags, line: Line) -> Flags:
    """The thin strokes along a line."""
    off = strokes.twice * (ONE // 2) - line.level - line.slope * (strokes.along - len(strokes.lengths) // 2)
    near: Flags = left & (abs(off) <= rule.NEAR * ONE) & (strokes.along >= line.start) & (strokes.along < line.end)
    return near


def _fit(strokes: Strokes, left: Flags, line: Line) -> Line:
    """The line fitted to the thin strokes along it: least squares."""
    near = _near(strokes, left, line)
    x, twice, count = strokes.along[near] - len(strokes.lengths) // 2, strokes.twice[near], int(near.sum())
    spread = count * int((x * x).sum()) - int(x.sum()) ** 2
    if spread == 0:
        return line
    slope = (count * int((x * twice).sum()) - int(x.sum()) * int(twice.sum())) * (ONE // 2) // spread
    return line._replace(slope=slope, level=(int(twice.sum()) * (ONE // 2) - slope * int(x.sum())) // count)


def _crossed(strokes: Strokes, line: Line, start: int, end: int) -> Whole:
    """The length of the run of ink that the line crosses at each place, or that is beside it, 0 without."""
    along = np.arange(start, end)
    across, most = line.at(along, len(strokes.lengths) // 2), strokes.lengths.shape[1]
    found = np.zeros(len(along), np.int64)
    for aside in (0, -1, 1):
        place = across + aside
        lengths = strokes.lengths[along, np.clip(place, 0, most - 1)]
        found = np.where((found == 0) & (place >= 0) & (place < most), lengths, found)
    return found


def _extend(strokes: Strokes, line: Line) -> Line:
    """The stretch of a line that has the most places of a thin line beyond those without ink."""
    found = _crossed(strokes, line, 0, len(strokes.lengths))
    best, total, first, start, end = 0, 0, 0, 0, 0
    for place, worth in enumerate(np.where(found == 0, -1, found <= THICKEST).tolist()):
        if total <= 0:
            total, first = 0, place
        total += worth
        if total > best:
            best, start, end = total, first, place + 1
    return line._replace(start=start, end=end, thick=_thickness(found[start:end]))


def _thickness(found: Whole) -> int:
    """The mean of the thin ones, rounded."""
    thin = found[(found > 0) & (found <= THICKEST)]
    return (2 * int(thin.sum()) + len(thin)) // (2 * max(len(thin), 1))


def find_walls(across: Strokes, strokes: Strokes, top: Line, bottom: Line, most: int) -> tuple[list[Line], int]:
    """The walls between two rules, none where they are not the top and the bottom of a printed frame; and how many,
    of `most`, were looked for."""
    width = strokes.lengths.shape[1]
    start, end = max(top.start, bottom.start), min(top.end, bottom.end)
    upper, lower = (line.across((start + end) // 2, width // 2) for line in (top, bottom))
    high = lower - upper
    thick = max(top.thick, bottom.thick, rule.THINNEST)
    wide = min(top.end - top.start, bottom.end - bottom.start)
    if end - start < rule.SHORTEST or wide * 8 < high * 9 or high < rule.FLATTEST * thick:
        return [], 0
    if abs(top.slope - bottom.slope) > ONE // rule.ASIDE or (_leaves(top, width) and _leaves(bottom, width)):
        return [], 0
    leans = _leans(top.slope + bottom.slope, high)
    start, end = start - high // 4, end + high // 4
    places = _wall_places(strokes, top, bottom, start - high, end + high, leans)
    walls = list[Line]()
    tried = 0
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
        walls += [wall] if wall and _is_whole(across, top, bottom, first, last, high) else []
        places = places[:, (places[lean] < place - 1) | (places[lean] > place + 2)]
    walls = _regular(walls, high, start, end)
    ends = [wall.place for wall in walls] or [0]
    return (walls if _is_whole(across, top, bottom, min(ends), max(ends), high) else []), tried


def _is_whole(across: Strokes, top: Line, bottom: Line, start: int, end: int, high: int) -> bool:
    """Whether a stretch of both rules has no wide gap."""
    gaps = (_widest_gap(_crossed(across, line, start, end)) for line in (top, bottom))
    return max(gaps) * rule.GAP <= high


def _widest_gap(found: Whole) -> int:
    """The longest stretch without ink."""
    ends = np.flatnonzero(np.concatenate([[1], found, [1]]))
    return int(np.diff(ends).max()) - 1


def _leaves(line: Line, width: int) -> bool:
    """Whether a rule leaves the frame."""
    return line.start < rule.MARGIN or line.end > width - rule.MARGIN


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
    found = _crossed(strokes, wall, wall.start, max(wall.end, wall.start))
    free, thin, span = int((found == 0).sum()), int(((found > 0) & (found <= THICKEST)).sum()), len(found)
    ends = 2 + high // 32
    if not thin or not found[:ends].any() or not found[-ends:].any():
        return None
    grade = rule.FLAWLESS if (thin - free) * 8 >= 7 * span else rule.CLEAR if (thin - free) * 2 >= span else rule.MERGED
    if grade == rule.MERGED and free * 8 > span:
        return None
    return wall._replace(thick=_thickness(found), grade=grade)


def _regular(walls: list[Line], high: int, start: int, end: int) -> list[Line]:
    """Those that are the ends of a printed frame, or divide it into equal cells; none where there is no such frame."""
    clear = [wall.place for wall in walls if wall.grade >= rule.CLEAR and start <= wall.place < end]
    left, right = min(clear, default=0), max(clear, default=0)
    wide = right - left
    if wide * 8 < high * 9:
        return []
    best, cells = 0, 1
    for count in range(2, min(2 * wide // high, rule.MOST_CELLS) + 1):
        seen = sum(any(_divides(wall, left, wide, count, at) for wall in walls) for at in range(1, count))
        if 2 * seen - (count - 1) > best:
            best, cells = 2 * seen - (count - 1), count
    if wide * 5 < high * 8 and cells == 1:
        return []
    while cells > 1:
        ends = (-1, cells + 1)
        beyond = [wall.place for wall in walls if any(_divides(wall, left, wide, cells, at) for at in ends)]
        if not beyond:
            break
        left, right, cells = min(left, beyond[0]), max(right, beyond[0]), cells + 1
        wide = right - left
    walls = [wall for wall in walls if left <= wall.place <= right]
    kept = [any(_divides(wall, left, wide, cells, at) for at in range(cells + 1)) for wall in walls]
    return [wall for wall, on in zip(walls, kept, strict=True) if on or (cells == 1 and wall.grade == rule.FLAWLESS)]


def _divides(wall: Line, left: int, wide: int, cells: int, at: int) -> bool:
    return abs((wall.place - left) * cells - at * wide) * rule.OFF_GRID <= wide


def _take_frame(rise: Picture, divided: Picture, ruled: Flags, top: Line, bottom: Line, walls: list[Line]) -> None:
    """Add the pixels of a frame to `ruled`: the walls first, or they would seem strokes that cross the rules."""
    height, width = rise.shape
    before = ruled.copy()
    for wall in walls:
        _take_out(divided.T, ruled.T, wall, wall.start, wall.end)
    between = (rise != 0) & (divided == 0) & (_on_both_sides(ruled.astype(np.int64)) != 0)
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
