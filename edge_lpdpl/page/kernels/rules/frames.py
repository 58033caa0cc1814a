"""Rules are taken out of the ink: rows of boxes for entries, long fields, tables, underlines.

Two parallel lines with upright walls between them are a printed frame if it is wide, if walls divide it into equal
cells, or if it is closed and something is written in it: no hand writes that. A line with equally long teeth is a comb,
and one that is much longer than what is written on it is high is an underline. A page without rules costs a pass over
its ink and the search for lines.
"""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.buffers import DIVIDER_COUNT, UNREAD_COUNT, WALLS_TRIED
from edge_lpdpl.page.kernels.parts import empty_box
from edge_lpdpl.page.kernels.rules.across import ink_at, place_at, place_of_wall
from edge_lpdpl.page.kernels.rules.cells import cell_of, ends_of, list_dividers
from edge_lpdpl.page.kernels.rules.combs import find_comb
from edge_lpdpl.page.kernels.rules.lines import find_lines, find_thin
from edge_lpdpl.page.kernels.rules.taking import add_to_box, take_out, usual_ink
from edge_lpdpl.page.kernels.rules.underlines import is_underline
from edge_lpdpl.page.kernels.rules.walls import find_walls
from edge_lpdpl.page.rules_table import BEFORE, INK, NOW


@kernel
def take_rules(limits, buffers):
    """Clear the printed rules in `buffers.contrast` and mark them in `buffers.mask`; returns whether there are any. The
    boxes of their frames come first in `buffers.unread`, what divides tables is in `buffers.dividers`."""
    buffers.found[UNREAD_COUNT] = buffers.found[WALLS_TRIED] = buffers.found[DIVIDER_COUNT] = 0
    count = find_thin(False, limits, buffers)
    lines = find_lines(count, limits, buffers) if count >= rule.LEAST else 0
    count = find_thin(True, limits, buffers) if lines >= 1 else -1
    if count < 0:
        return False
    for place in range(limits.height * limits.width):
        buffers.mask[place] = INK
    rules = buffers.rules[:lines]
    for line in rules:
        line[rule.GRADE] = rule.LONE
    for top in range(lines):
        for bottom in range(top + 1, lines):
            walls = find_walls(rules[top], rules[bottom], count, limits, buffers)
            if walls > 0:
                high = (rules[bottom, rule.LEVEL] - rules[top, rule.LEVEL]) // rule.ONE
                cell = cell_of(buffers.rules[rule.MOST_RULES : rule.MOST_RULES + walls], high)
                _take_frame(rules[top], rules[bottom], walls, high, cell, limits, buffers)
                rules[top, rule.GRADE] = rules[bottom, rule.GRADE] = rule.FRAMED
                break
    for line in rules:
        teeth = find_comb(line, count, limits, buffers) if line[rule.GRADE] == rule.LONE else 0
        if teeth > 0:
            _take_comb(line, teeth, limits, buffers)
            line[rule.GRADE] = rule.FRAMED
        if line[rule.GRADE] == rule.LONE and is_underline(line, limits, buffers):
            box = new_box(limits, buffers)
            start, end = line[rule.START] - rule.NEAR, line[rule.END] + rule.NEAR + 1
            take_out(line, start, end, False, (end - start) // 4, 0, box, limits, buffers)
            buffers.found[UNREAD_COUNT] += box[part.RIGHT] > 0
    mark_rules(0, limits, buffers)
    return buffers.found[UNREAD_COUNT] > 0


@kernel
def mark_rules(contrast, limits, buffers):
    """Set the contrast of all pixels of rules."""
    if buffers.found[UNREAD_COUNT] > 0:
        for y in range(limits.height):
            if buffers.starts[y] > 0:
                row = buffers.contrast[buffers.starts[y] : buffers.starts[y] + limits.width]
                marks = buffers.mask[y * limits.width : (y + 1) * limits.width]
                for x in range(limits.width):
                    row[x] = contrast if marks[x] != INK else row[x]


@kernel
def _take_frame(top, bottom, count, high, cell, limits, buffers):
    """Mark the pixels of a frame and list its box: the walls first, or they would seem strokes that cross the rules. A
    1 may stand on a wall, so a wall is compared with the top and the bottom, too."""
    box = new_box(limits, buffers)
    walls = buffers.rules[rule.MOST_RULES : rule.MOST_RULES + count]
    box[part.CELL] = cell
    if cell == 0:
        list_dividers(top, bottom, walls, limits, buffers)
    usual = max(usual_ink(top, limits, buffers), usual_ink(bottom, limits, buffers))
    for wall in walls:
        take_out(wall, wall[rule.START], wall[rule.END], True, high, usual, box, limits, buffers)
    take_valleys(box, limits, buffers)
    for line in (top, bottom):
        left, right = limits.width, 0
        for wall in walls:
            end = place_of_wall(wall, line, limits)
            left, right = min(left, end), max(right, end)
        darkest = take_out(line, left - rule.NEAR, right + rule.NEAR + 1, False, high, 0, box, limits, buffers)
        for wall in walls:
            take_corner(line, wall, darkest, box, limits, buffers)
    buffers.found[UNREAD_COUNT] += box[part.RIGHT] > 0


@kernel
def _take_comb(line, count, limits, buffers):
    """The same for a comb. Its boxes are open above: they are taken to be as high as wide."""
    box = buffers.unread[buffers.found[UNREAD_COUNT]]
    teeth = buffers.rules[rule.MOST_RULES : rule.MOST_RULES + count]
    first, last = ends_of(teeth)
    cell, high = (last - first) // (count - 1), teeth[0, rule.END] - teeth[0, rule.START]
    _take_frame(line, line, count, high, cell, limits, buffers)
    if box[part.RIGHT] > 0:
        foot = min(
            place_at(line, line[rule.START], limits.width // 2), place_at(line, line[rule.END], limits.width // 2)
        )
        box[part.TOP] = max(min(box[part.TOP], foot - cell), 0)


@kernel
def take_valleys(box, limits, buffers):
    """Mark the ink between two walls that are side by side, in the box of the walls."""
    for y in range(box[part.TOP], box[part.BOTTOM]):
        row = buffers.contrast[buffers.starts[y] : buffers.starts[y] + limits.width]
        own = buffers.own[y * limits.width : (y + 1) * limits.width]
        marks = buffers.mask[y * limits.width : (y + 1) * limits.width]
        for x in range(box[part.LEFT], box[part.RIGHT]):
            if marks[x] == INK and row[x] != 0 and own[x] == 0:
                before, behind = False, False
                for away in range(1, 3):
                    before |= x >= away and marks[x - away] == BEFORE
                    behind |= x + away < limits.width and marks[x + away] == BEFORE
                marks[x] = NOW if before and behind else INK
        for x in range(box[part.LEFT], box[part.RIGHT]):
            marks[x] = BEFORE if marks[x] == NOW else marks[x]


@kernel
def take_corner(line, wall, darkest, box, limits, buffers):
    """Mark what is left of a rule and a wall where they meet, and is not darker than they are."""
    column = place_of_wall(wall, line, limits)
    row = place_at(line, column, limits.width // 2)
    for y in range(max(row - rule.NEAR, 0), min(row + rule.NEAR + 1, limits.height)):
        for x in range(max(column - rule.NEAR, 0), min(column + rule.NEAR + 1, limits.width)):
            if 0 < ink_at(y, x, False, limits, buffers) <= darkest:
                buffers.mask[y * limits.width + x] = BEFORE
                add_to_box(box, y, x)


@kernel
def new_box(limits, buffers):
    """The next row of `buffers.unread`, for rules, with nothing in its box yet."""
    box = buffers.unread[buffers.found[UNREAD_COUNT]]
    empty_box(box, part.RULES, limits)
    return box
