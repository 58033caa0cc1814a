"""Which walls divide a printed frame into cells: boxes for one character each, fields, or a table."""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.buffers import DIVIDER_COUNT
from edge_lpdpl.page.kernels.rules.across import place_at, place_of_wall, widest_gap
from edge_lpdpl.page.kernels.rules.lines import copy_line
from edge_lpdpl.page.rules_table import ONE, THICKEST


@kernel
def keep_regular(count, high, start, end, walls):
    """Keep the walls that are the ends of a printed frame, or divide it into equal cells, and flawless ones of a
    table; returns how many there are, 0 where there is no such frame. Its cells go on beyond [start, end) while there
    are walls."""
    left, right = ONE, 0
    for wall in walls[:count]:
        if wall[rule.GRADE] >= rule.CLEAR and start <= wall[rule.PLACE] < end:
            left, right = min(left, wall[rule.PLACE]), max(right, wall[rule.PLACE])
    wide = right - left
    if wide * 8 < high * 9:
        return 0
    cells = cells_of(walls[:count], left, wide, high)
    if wide * 5 < high * 8 and cells == 1:
        return 0
    goes_on = cells > 1
    while goes_on:
        goes_on = False
        for wall in walls[:count]:
            if divides(wall, left, wide, cells, -1) or divides(wall, left, wide, cells, cells + 1):
                left, right = min(left, wall[rule.PLACE]), max(right, wall[rule.PLACE])
                wide, cells, goes_on = right - left, cells + 1, True
                break
    mark_dividers(walls[:count], left, wide, cells, not is_for_characters(wide, cells, high))
    kept = 0
    for place in range(count):
        if walls[place, rule.DIVIDES] != 0:
            copy_line(walls[place], walls[kept])
            kept += 1
    return kept


@kernel
def mark_dividers(walls, left, wide, cells, is_table):
    """Mark the walls that are the ends of a frame, or divide it into equal cells; of a table, the flawless ones between
    its ends, too. There is one in each place, or two where most cells do not touch: what else is there is a 1."""
    doubled = 0
    for at in range(1, cells):
        doubled += walls_at(walls, left, wide, cells, at) > 1
    most = 2 if 2 * doubled > cells - 1 else 1
    for wall in walls:
        inside = left <= wall[rule.PLACE] <= left + wide
        wall[rule.DIVIDES] = is_table and inside and wall[rule.GRADE] == rule.FLAWLESS
        wall[rule.DIVIDES] |= wall[rule.PLACE] == left or wall[rule.PLACE] == left + wide
    for at in range(1, cells):
        for _ in range(most):
            best = -1
            for place in range(len(walls)):
                wall = walls[place]
                if divides(wall, left, wide, cells, at) and wall[rule.DIVIDES] == 0:
                    best = place if best < 0 or wall[rule.GRADE] > walls[best, rule.GRADE] else best
            if best >= 0:
                walls[best, rule.DIVIDES] = 1


@kernel
def walls_at(walls, left, wide, cells, at):
    """How many walls are where they would divide a frame into equal cells."""
    seen = 0
    for wall in walls:
        seen += divides(wall, left, wide, cells, at)
    return seen


@kernel
def keep_separate(count, top, bottom, high, walls, limits, buffers):
    """Keep the ends of boxes in a row that do not touch, one for each character; or those of fields, and flawless walls
    in them; returns how many there are, 0 where there are no such boxes, and `walls` is as before then."""
    ends, boxes, first = buffers.votes, 0, 0  # `ends`: the first and the last wall of each box
    narrowest, widest, total = limits.width, 0, 0
    for place in range(count):
        between = rule.OPEN
        if place + 1 < count:
            between = rules_between(top, bottom, walls[place], walls[place + 1], high, limits, buffers)
        if between == rule.BROKEN:
            return 0
        if between == rule.OPEN:
            ends[2 * boxes], ends[2 * boxes + 1] = first, place
            wide = walls[place, rule.PLACE] - walls[first, rule.PLACE]
            narrowest, widest, total = min(narrowest, wide), max(widest, wide), total + wide
            boxes, first = boxes + 1, place + 1
    if boxes < 2:
        return 0
    mean = total // boxes
    is_even = (mean - narrowest) * rule.OFF_GRID <= mean and (widest - mean) * rule.OFF_GRID <= mean
    are_fields = 2 * widest > rule.WIDEST_CELL * high
    if rule.NARROWEST_CELL * high > 5 * narrowest or not (are_fields or is_even):
        return 0
    kept, end = 0, 0
    for place in range(count):
        is_end = place == ends[end]
        if is_end or (are_fields and walls[place, rule.GRADE] == rule.FLAWLESS):
            copy_line(walls[place], walls[kept])
            if is_end:
                walls[kept, rule.GRADE] = rule.FIELD if are_fields else rule.SEPARATE
                end = min(end + 1, 2 * boxes - 1)
            kept += 1
    return kept


@kernel
def rules_between(top, bottom, one, other, high, limits, buffers):
    """How two rules go on from one wall to another one: WHOLE, OPEN or BROKEN."""
    widest, is_open = 0, True
    for line in (top, bottom):
        start = max(place_of_wall(one, line, limits), 0)
        end = min(place_of_wall(other, line, limits), limits.width)
        gap = widest_gap(line, start, end, limits, buffers)
        widest, is_open = max(widest, gap), is_open and gap >= end - start - 2 * THICKEST
    if widest * rule.GAP <= high:
        return rule.WHOLE
    return rule.OPEN if is_open else rule.BROKEN


@kernel
def cell_of(walls, high):
    """Width of the equal cells of a frame if each is for one character, with the gap to the next one, 0 if not."""
    first, last = ends_of(walls)
    if walls[0, rule.GRADE] == rule.SEPARATE:
        return (walls[len(walls) - 2, rule.PLACE] - first) // (len(walls) // 2 - 1)
    if walls[0, rule.GRADE] == rule.FIELD:
        return 0
    cells = cells_of(walls, first, last - first, high)
    return (last - first) // cells if is_for_characters(last - first, cells, high) else 0


@kernel
def cells_of(walls, left, wide, high):
    """Into how many equal cells the walls divide a frame."""
    cells, best = 1, 0
    for tried in range(2, min(2 * wide // high, rule.MOST_CELLS) + 1):
        seen = 0
        for at in range(1, tried):
            there = False
            for wall in walls:
                there |= divides(wall, left, wide, tried, at)
            seen += there
        if 2 * seen - (tried - 1) > best:
            best, cells = 2 * seen - (tried - 1), tried
    return cells


@kernel
def divides(wall, left, wide, cells, at):
    """Whether a wall is where it would divide a frame into equal cells."""
    return abs((wall[rule.PLACE] - left) * cells - at * wide) * rule.OFF_GRID <= wide


@kernel
def is_for_characters(wide, cells, high):
    """Whether a frame of equal cells is a row of boxes, one for each character; those of a table are wider."""
    return cells > 1 and 2 * (wide // cells) <= rule.WIDEST_CELL * high


@kernel
def ends_of(walls):
    """The columns of the first and the last of these walls."""
    left, right = ONE, 0
    for wall in walls:
        left, right = min(left, wall[rule.PLACE]), max(right, wall[rule.PLACE])
    return left, right


@kernel
def list_dividers(top, bottom, walls, limits, buffers):
    """Add the rules and the walls of a table to `buffers.dividers`, or the ends of fields in a row; not its ends."""
    left, right = ends_of(walls)
    for line in (top, bottom):
        upper, lower = place_at(line, left, limits.width // 2), place_at(line, right, limits.width // 2)
        list_divider(left, upper, right, lower, buffers)
    are_fields = walls[0, rule.GRADE] == rule.FIELD
    for wall in walls:
        if left < wall[rule.PLACE] < right and (wall[rule.GRADE] == rule.FIELD or not are_fields):
            start, end = wall[rule.START], wall[rule.END]
            upper, lower = place_at(wall, start, limits.height // 2), place_at(wall, end, limits.height // 2)
            list_divider(upper, start, lower, end, buffers)


@kernel
def list_divider(left, top, right, bottom, buffers):
    listed = buffers.dividers[buffers.found[DIVIDER_COUNT]]
    listed[part.LEFT], listed[part.TOP], listed[part.RIGHT], listed[part.BOTTOM] = left, top, right, bottom
    buffers.found[DIVIDER_COUNT] += 1
