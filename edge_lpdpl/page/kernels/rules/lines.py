"""Long straight lines in thin strokes, by a Hough transform (Duda and Hart, 1972), broken ones too.

Strokes are cut across into runs of ink, those of the columns or, if `upright`, those of the rows. Short runs belong to
thin strokes. `edge_lpdpl.page.rules_table` explains the lines.
"""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.kernels.rules.across import run_across, thickness
from edge_lpdpl.page.rules_table import ONE, THICKEST

ALONG, TWICE, FREE = range(3)
"""Rows of `Buffers.thin`: where a run is; twice its middle, across; whether it belongs to no line yet."""


@kernel
def find_lines(count, limits, buffers):
    """Write the long straight lines in `count` thin strokes into `buffers.rules`, the uppermost first; returns how many
    there are."""
    thin, votes, lines = buffers.thin, buffers.votes, buffers.rules
    for slot in range(rule.VOTES):
        votes[slot] = 0
    for one in range(count):
        vote(one, 1, limits, thin, votes)
    found = 0
    for _ in range(rule.MOST_RULES):
        peak = highest_pair(votes)
        both = votes[peak] + votes[peak + 1]
        if both < rule.LEAST:
            break
        line = lines[found]
        line[rule.SLOPE] = (peak // rule.SLOTS - rule.STEEPEST) * (ONE // rule.STEPS)
        line[rule.LEVEL] = 2 * (peak % rule.SLOTS - rule.ABOVE) * ONE + ONE // 2 + 2 * votes[peak + 1] * ONE // both
        extend(line, limits, buffers)
        if line[rule.END] - line[rule.START] >= rule.SEED:
            for _ in range(rule.FITS):
                slope, level = line[rule.SLOPE], line[rule.LEVEL]
                fit(line, count, limits, thin)
                if line[rule.SLOPE] == slope and line[rule.LEVEL] == level:
                    break
                extend(line, limits, buffers)
        near = 0
        if line[rule.END] - line[rule.START] >= rule.SHORTEST:
            for one in range(count):
                near += is_near(line, one, limits, thin)
        good = near >= rule.LEAST
        for one in range(count):
            slot = slot_of(one, peak // rule.SLOTS, limits, thin)
            own = is_near(line, one, limits, thin) if good else thin[FREE, one] != 0 and peak <= slot <= peak + 1
            if own:
                vote(one, -1, limits, thin, votes)
                thin[FREE, one] = 0
        found += good
    sort_lines(found, rule.LEVEL, lines)
    return found


@kernel
def find_thin(upright, limits, buffers):
    """Write the short runs of ink of the columns, or if `upright` of the rows, into `buffers.thin`, and the contrast
    into `buffers.own`; returns their number, or -1 if there are too many. Rows are divided at valleys, where `own` is
    0: walls side by side, which blur into one run of ink, are two again."""
    own, thin, width = buffers.own, buffers.thin, limits.width
    for place in range(limits.height * width):
        own[place] = 0
    for y in range(limits.height):
        row = buffers.contrast[buffers.starts[y] : buffers.starts[y] + width]
        for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
            for x in range(buffers.borders[2 * run], buffers.borders[2 * run + 1]):
                own[y * width + x] = 0 if upright and is_valley(row, x) else row[x]
    count = 0
    for y in range(limits.height):
        for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
            for x in range(buffers.borders[2 * run], buffers.borders[2 * run + 1]):
                if own[y * width + x] == 0:
                    continue
                if upright:
                    count = add_peak(own, y * width + x, 1, x, width, y, count, thin)
                else:
                    count = add_peak(own, y * width + x, width, y, limits.height, x, count, thin)
        if count < 0:
            return -1
    return count


@kernel
def add_peak(levels, place, step, across, size, along, count, thin):
    """Add the run of ink around a pixel to `count` short ones, if it is short and that is its darkest pixel; returns
    how many there are, or -1 if there is no room. A run goes as far as it is half as dark: blur and shadows are
    fainter."""
    level, before, after = int(levels[place]), 0, 0
    total = level
    while before < across:
        other = int(levels[place - step * (before + 1)])
        if 2 * other < level:
            break
        before, total = before + 1, total + other
        if other >= level or before == THICKEST:
            return count
    while across + after + 1 < size:
        other = int(levels[place + step * (after + 1)])
        if 2 * other < level:
            break
        after, total = after + 1, total + other
        if other > level or before + after == THICKEST:
            return count
    if 2 * total > rule.BOLDEST * level:
        return count
    if count < 0 or count == thin.shape[1]:
        return -1
    thin[ALONG, count], thin[TWICE, count], thin[FREE, count] = along, 2 * across - before + after, 1
    return count + 1


@kernel
def is_valley(row, x):
    """Whether a pixel of a row is fainter than one of the two before it, and than one of the two behind it."""
    level, before, behind = int(row[x]), 0, 0
    for away in range(1, 3):
        before = max(before, int(row[x - away]) if x >= away else 0)
        behind = max(behind, int(row[x + away]) if x + away < len(row) else 0)
    return rule.SHALLOWEST * level <= (rule.SHALLOWEST - 1) * min(before, behind)


@kernel
def extend(line, limits, buffers):
    """Find the stretch of a lying line that has the most places of a thin line beyond those without ink."""
    best, total, first, sum_here, thin_here = 0, 0, 0, 0, 0
    line[rule.START], line[rule.END], line[rule.THICK] = 0, 0, 0
    for along in range(limits.width):
        length = run_across(line, along, False, limits, buffers)
        if total <= 0:
            total, first, sum_here, thin_here = 0, along, 0, 0
        if length == 0:
            total -= 1
        elif length <= THICKEST:
            total, sum_here, thin_here = total + 1, sum_here + length, thin_here + 1
        if total > best:
            best = total
            line[rule.START], line[rule.END], line[rule.THICK] = first, along + 1, thickness(sum_here, thin_here)


@kernel
def is_near(line, one, limits, thin):
    """Whether a thin stroke belongs to a line, and to no other one."""
    along = thin[ALONG, one]
    off = int(thin[TWICE, one]) * (ONE // 2) - line[rule.LEVEL] - line[rule.SLOPE] * (along - limits.width // 2)
    inside = line[rule.START] <= along < line[rule.END]
    return inside and thin[FREE, one] != 0 and -rule.NEAR * ONE <= off <= rule.NEAR * ONE


@kernel
def fit(line, count, limits, thin):
    """Fit a line to the thin strokes along it: least squares."""
    found, sum_x, sum_xx, sum_y, sum_xy = 0, 0, 0, 0, 0
    for one in range(count):
        if is_near(line, one, limits, thin):
            x, twice = int(thin[ALONG, one]) - limits.width // 2, int(thin[TWICE, one])
            found += 1
            sum_x, sum_xx, sum_y, sum_xy = sum_x + x, sum_xx + x * x, sum_y + twice, sum_xy + x * twice
    spread = found * sum_xx - sum_x * sum_x
    if spread != 0:
        line[rule.SLOPE] = (found * sum_xy - sum_x * sum_y) * (ONE // 2) // spread
        line[rule.LEVEL] = (sum_y * (ONE // 2) - line[rule.SLOPE] * sum_x) // found


@kernel
def slot_of(one, step, limits, thin):
    """The slot of votes in which a thin stroke votes for lines of a slope."""
    x = int(thin[ALONG, one]) - limits.width // 2
    place = rule.STEPS * int(thin[TWICE, one]) - 2 * (step - rule.STEEPEST) * x
    return place // (4 * rule.STEPS) + rule.ABOVE + step * rule.SLOTS


@kernel
def vote(one, worth, limits, thin, votes):
    """Add the votes of a thin stroke for the lines of all slopes through it."""
    for step in range(2 * rule.STEEPEST + 1):
        votes[slot_of(one, step, limits, thin)] += worth


@kernel
def highest_pair(votes):
    """The first of the neighbouring slots that have the most votes together."""
    most, best = votes[0] + votes[1], 0
    for slot in range(1, rule.VOTES - 1):
        if votes[slot] + votes[slot + 1] > most:
            most, best = votes[slot] + votes[slot + 1], slot
    return best


@kernel
def copy_line(source, target):
    for column in range(rule.COLUMNS):
        target[column] = source[column]


@kernel
def sort_lines(count, by, lines):
    """Sort the first lines by a column; those that have the same in it keep their order."""
    for last in range(1, count):
        place = last
        while place > 0 and lines[place - 1, by] > lines[place, by]:
            for column in range(rule.COLUMNS):
                lines[place - 1, column], lines[place, column] = lines[place, column], lines[place - 1, column]
            place -= 1


@kernel
def leaves(line, limits):
    """Whether a rule leaves the frame."""
    return line[rule.START] < rule.MARGIN or line[rule.END] > limits.width - rule.MARGIN
