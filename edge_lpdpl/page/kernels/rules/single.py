"""A box that is alone, and may be as narrow as high: it is closed, straight, and something is written in it."""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.kernels.rules.across import is_at, level_at, place_at
from edge_lpdpl.page.kernels.rules.lines import copy_line
from edge_lpdpl.page.rules_table import THICKEST


@kernel
def keep_single(count, top, bottom, high, walls, limits, buffers):
    """Keep the walls at both ends of two rules, if they are a single box; returns 2, or 0 where they are none."""
    left = right = -1
    for place in range(count):
        wall = walls[place]
        if wall[rule.GRADE] >= rule.CLEAR:
            if is_at(wall, top, top[rule.START], limits) and is_at(wall, bottom, bottom[rule.START], limits):
                left = place
            elif is_at(wall, top, top[rule.END] - 1, limits) and is_at(wall, bottom, bottom[rule.END] - 1, limits):
                right = place
    if left < 0 or right < 0:
        return 0
    one, other = walls[left], walls[right]
    if 5 * (other[rule.PLACE] - one[rule.PLACE]) < rule.NARROWEST_CELL * high:
        return 0
    if not holds_writing(one, other, top, bottom, limits, buffers):
        return 0
    copy_line(one, walls[0])
    copy_line(other, walls[1])
    return 2


@kernel
def holds_writing(left, right, top, bottom, limits, buffers):
    """Whether ink goes down a third of a box, away from its walls and rules: a zero is empty."""
    margin, half = THICKEST + rule.NEAR, limits.width // 2
    first, last = left[rule.PLACE], right[rule.PLACE]
    start = max(place_at(top, first, half), place_at(top, last, half)) + margin
    end = min(place_at(bottom, first, half), place_at(bottom, last, half)) - margin
    seen = most = 0
    for y in range(start, end):
        inside = False
        for x in range(place_at(left, y, limits.height // 2) + margin, place_at(right, y, limits.height // 2) - margin):
            inside |= level_at(x, y, True, limits, buffers) != 0
        seen = seen + 1 if inside else 0
        most = max(most, seen)
    return 3 * most >= end - start > 0
