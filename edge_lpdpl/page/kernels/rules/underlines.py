"""Whether a lone rule is the underline of what is written on it."""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.kernels.rules.across import level_at, place_at, widest_gap
from edge_lpdpl.page.kernels.rules.lines import leaves
from edge_lpdpl.page.rules_table import THICKEST


@kernel
def is_underline(line, limits, buffers):
    """Whether all that is written on a rule is much lower than the rule is long, and nothing hangs from it."""
    start, end = line[rule.START], line[rule.END]
    length = end - start
    above, other = buffers.votes[:length], buffers.votes[length : 2 * length]
    if not 0 < limits.shortest_underline <= length or leaves(line, limits):
        return False
    if widest_gap(line, start, end, limits, buffers) > THICKEST:
        return False
    find_upright(line, -1, start, end, above, limits, buffers)
    near, far = 0, 0
    for away in range(length):
        if above[away] != 0:
            if far > 0 and away - far > far // 4 + 1:
                break
            near, far = away if near == 0 else near, away
    if far <= rule.TALL or 2 * near > far or 8 * far > rule.LOWER * length:
        return False
    find_upright(line, 1, start, end, other, limits, buffers)
    if other[far // 4 : far // 2].any():
        return False
    find_upright(line, -1, start - far, start, other, limits, buffers)
    if other[far // 4 : far].any():
        return False
    find_upright(line, -1, end, end + far, other, limits, buffers)
    return not other[far // 4 : far].any()


@kernel
def find_upright(line, side, start, end, found, limits, buffers):
    """Write into `found` whether there are upright strokes at each distance from a stretch of a rule on one side."""
    length = len(found)
    for away in range(length):
        found[away] = 0
    for along in range(start, end):
        exact, away = place_at(line, along, limits.width // 2), line[rule.THICK] // 2 + 1
        while away < length:
            first = last = away
            while level_at(exact + side * last, along, False, limits, buffers) != 0:
                last += 1
            while last > away and level_at(exact + side * (first - 1), along, False, limits, buffers) != 0:
                first -= 1
            if last - first > rule.TALL:
                for one in range(away, min(last, length)):
                    found[one] = 1
            away = last + 1
