"""Combs, boxes open above: a rule on which equally long teeth stand, evenly apart, the outermost at its ends."""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.kernels.rules.across import is_at, place_at, run_across, widest_gap
from edge_lpdpl.page.kernels.rules.cells import cells_of
from edge_lpdpl.page.kernels.rules.lines import copy_line, leaves
from edge_lpdpl.page.kernels.rules.walls import going_on, search_walls
from edge_lpdpl.page.rules_table import ONE, THICKEST


@kernel
def find_comb(line, count, limits, buffers):
    """Write the teeth of a comb that stands on a rule into `buffers.rules`, from MOST_RULES on, from left to right;
    returns how many there are, 0 where it is none. A numeral may cover the tooth at one end, or lengthen it."""
    if leaves(line, limits):
        return 0
    top, found = buffers.rules[len(buffers.rules) - 1], buffers.rules[rule.MOST_RULES :]
    least = max(rule.TALL, rule.STUMPIEST * line[rule.THICK])
    start, end = line[rule.START], line[rule.END] - 1
    for place in (start, end):
        if ink_above(line, place, THICKEST + 1, least, limits, buffers) < least:
            return 0
    if widest_gap(line, start, end + 1, limits, buffers) > THICKEST:
        return 0
    one = ink_above(line, start, THICKEST, limits.height, limits, buffers)
    other = ink_above(line, end, THICKEST, limits.height, limits, buffers)
    for high in (min(one, other), max(one, other)):
        if high < least:
            continue
        copy_line(line, top)
        top[rule.LEVEL], top[rule.THICK] = line[rule.LEVEL] - (high + 1) * ONE, 0
        teeth = search_walls(top, line, line, start - rule.NEAR, end + rule.NEAR, high + 1, count, limits, buffers)
        teeth = keep_teeth(teeth, line, high + 1, found, limits)
        if teeth > 0 and 4 * going_on(top, teeth, -1, limits, buffers) <= teeth:
            for tooth in found[:teeth]:
                lengthen(tooth, limits, buffers)
            return teeth
    return 0


@kernel
def ink_above(line, end, widest, most, limits, buffers):
    """How far above a rule the highest line goes that stands on it near to one end, about perpendicular to it, and is
    at most so wide; THICKEST + 1 is any width. It is not followed for more than `most` rows."""
    best, half = 0, limits.width // 2
    wall = buffers.rules[rule.MOST_RULES]
    for place in range(end - THICKEST, end + THICKEST + 1, 2):
        foot = place_at(line, place, half) - max(line[rule.THICK] // 2, 1) - 1
        for lean in range(-2, 3):
            wall[rule.SLOPE] = -line[rule.SLOPE] + lean * ONE // (2 * rule.ASIDE)
            wall[rule.LEVEL] = place * ONE - wall[rule.SLOPE] * (foot - limits.height // 2)
            y = foot
            while y >= max(foot - most, 0) and 0 < run_across(wall, y, True, limits, buffers) <= widest:
                y -= 1
            best = max(best, place_at(line, place_at(wall, y + 1, limits.height // 2), half) - y - 1)
    return best


@kernel
def keep_teeth(count, line, high, walls, limits):
    """Keep the walls that divide a rule into equal cells, one for each end of a cell; returns how many there are, 0
    where one is missing, or the outermost are not at the ends of the rule."""
    if count < 3:
        return 0
    first, last = walls[0, rule.PLACE], walls[count - 1, rule.PLACE]
    wide = last - first
    starts = is_at(walls[0], line, line[rule.START], limits)
    ends = is_at(walls[count - 1], line, line[rule.END] - 1, limits)
    cells = cells_of(walls[:count], first, wide, high) if starts and ends else 1
    if cells == 1:
        return 0
    for at in range(cells + 1):
        nearest = at
        for place in range(at, count):
            if off_grid(walls[place], first, wide, cells, at) < off_grid(walls[nearest], first, wide, cells, at):
                nearest = place
        if off_grid(walls[nearest], first, wide, cells, at) * rule.OFF_GRID > wide:
            return 0
        copy_line(walls[nearest], walls[at])
    return cells + 1


@kernel
def off_grid(wall, first, wide, cells, at):
    """How far a wall is from where it would divide a rule into equal cells, in `cells`-ths of a pixel."""
    return abs((wall[rule.PLACE] - first) * cells - at * wide)


@kernel
def lengthen(tooth, limits, buffers):
    """Let a tooth go on to where its ink ends, by a few pixels."""
    last = max(tooth[rule.START] - 2 * rule.NEAR, 0)
    while tooth[rule.START] > last and 0 < run_across(tooth, tooth[rule.START] - 1, True, limits, buffers) <= THICKEST:
        tooth[rule.START] -= 1
