"""Long straight lines in thin strokes, with array operations: what the kernels of `lines` do, in whole numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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

    levels: Whole
    """(along, across): the contrast, 0 without ink."""
    lengths: Whole
    """(along, across): of the run around each pixel that is at least half as dark, 0 without ink; long ones as THICKEST
    + 1."""
    along: Whole
    """Where each thin run is."""
    twice: Whole
    """Twice the middle of each, across."""


def strokes_of(rise: Picture) -> Strokes:
    """The runs of ink in every row of `rise` (along, across). A thin one is that around its darkest pixel."""
    levels, most = rise.astype(np.int64), THICKEST + 1
    width = levels.shape[1]
    padded = np.pad(levels, ((0, 0), (most, most)))
    reaches, is_peak, total = [], levels > 0, levels
    for step in (-1, 1):
        reach = np.zeros_like(levels)
        for away in range(1, most + 1):
            other = padded[:, most + step * away :][:, :width]
            inside = (reach == away - 1) & (2 * other >= levels)
            reach += inside
            total = total + np.where(inside, other, 0)
            is_peak &= ~inside | (other < levels if step < 0 else other <= levels)
        reaches.append(reach)
    before, after = reaches
    along, peaks = np.nonzero(is_peak & (before + after < THICKEST) & (2 * total <= rule.BOLDEST * levels))
    twice = 2 * peaks - before[along, peaks] + after[along, peaks]
    return Strokes(levels, np.where(levels > 0, np.minimum(1 + before + after, most), 0), along, twice)


def divide(rise: Picture) -> Picture:
    """The rise, 0 in valleys: at pixels that are fainter than one of the two before them in their row, and than one of
    the two behind. Walls side by side, which blur into one run of ink, are two again."""
    level = rise.astype(np.int64)
    is_valley = rule.SHALLOWEST * level <= (rule.SHALLOWEST - 1) * on_both_sides(level)
    return np.where(is_valley, 0, rise).astype(np.uint8)


def on_both_sides(level: Whole) -> Whole:
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
        level = 2 * (slot - above) * ONE + ONE // 2 + 2 * int(votes[peak + 1]) * ONE // int(pairs[peak])
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


def crossed(strokes: Strokes, line: Line, start: int, end: int) -> Whole:
    """The length of the run of ink that the line crosses at each place, or that is beside it and more than twice as
    dark, 0 without."""
    along = np.arange(start, end)
    exact, most = line.at(along, len(strokes.lengths) // 2), strokes.lengths.shape[1]
    found, highest = np.zeros((2, len(along)), np.int64)
    for place in (exact, exact - 1, exact + 1):
        at = along, np.clip(place, 0, most - 1)
        level = np.where((place >= 0) & (place < most), strokes.levels[at], 0)
        better = level > 2 * highest
        found, highest = np.where(better, strokes.lengths[at], found), np.where(better, level, highest)
    return found


def _extend(strokes: Strokes, line: Line) -> Line:
    """The stretch of a line that has the most places of a thin line beyond those without ink."""
    found = crossed(strokes, line, 0, len(strokes.lengths))
    best, total, first, start, end = 0, 0, 0, 0, 0
    for place, worth in enumerate(np.where(found == 0, -1, found <= THICKEST).tolist()):
        if total <= 0:
            total, first = 0, place
        total += worth
        if total > best:
            best, start, end = total, first, place + 1
    return line._replace(start=start, end=end, thick=thickness(found[start:end]))


def thickness(found: Whole) -> int:
    """The mean of the thin ones, rounded."""
    thin = found[(found > 0) & (found <= THICKEST)]
    return (2 * int(thin.sum()) + len(thin)) // (2 * max(len(thin), 1))


def widest_gap(found: Whole) -> int:
    """The longest stretch without ink."""
    ends = np.flatnonzero(np.concatenate([[1], found, [1]]))
    return int(np.diff(ends).max()) - 1


def leaves(line: Line, width: int) -> bool:
    """Whether a rule leaves the frame."""
    return line.start < rule.MARGIN or line.end > width - rule.MARGIN
