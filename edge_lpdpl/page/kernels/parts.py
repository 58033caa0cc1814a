"""What hangs together in a map of ink: runs along rows, joined where they touch, corners included, and measured.

Two passes over the runs suffice for any shape (He, Chao and Suzuki, "A run-based two-scan labeling algorithm", 2008).
"""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.buffers import PART_COUNT, UNREAD_COUNT
from edge_lpdpl.page.kernels.contrast import add_runs, paper_at


@kernel
def number_parts(height, borders, firsts, parts):
    """Number the parts that the runs belong to in the order of their first runs; returns how many parts there are."""
    join_runs(height, borders, firsts, parts)
    found = 0
    for run in range(firsts[height]):
        first = parts[run]
        if first == run:
            parts[run] = found
            found += 1
        else:
            parts[run] = parts[first]  # its first run has its number already
    return found


@kernel
def join_runs(height, borders, firsts, parents):
    """Join the runs that touch, if only by a corner; parents[k] (runs,) int32 becomes the first run of the part
    that run k belongs to."""
    for run in range(firsts[height]):
        parents[run] = run
    for y in range(1, height):
        above, run = firsts[y - 1], firsts[y]
        last_above, last = firsts[y], firsts[y + 1]
        while above < last_above and run < last:
            end_above, end = borders[2 * above + 1], borders[2 * run + 1]
            if borders[2 * above] <= end and borders[2 * run] <= end_above:
                join(parents, above, run)
            if end_above < end:
                above += 1
            else:
                run += 1
    for run in range(firsts[height]):
        parents[run] = parents[parents[run]]


@kernel
def join(parents, one, other):
    """Make one of the two groups that `one` and `other` belong to; the member that comes first stands for all."""
    while parents[one] != one:
        parents[one] = parents[parents[one]]
        one = parents[one]
    while parents[other] != other:
        parents[other] = parents[parents[other]]
        other = parents[other]
    parents[max(one, other)] = min(one, other)


@kernel
def find_runs_again(contrast, starts, limits, borders, firsts):
    """The runs of what is left of the ink."""
    count = 0
    for y in range(limits.height):
        firsts[y] = count // 2
        if starts[y] > 0:
            count = add_runs(contrast[starts[y] : starts[y] + limits.stride], borders, count)
    firsts[limits.height] = count // 2


@kernel
def keep_cores(limits, buffers):
    """Turn what rises above the paper in `buffers.contrast` into contrast, 255 for all of the paper's light, and clear
    what is too faint for its part: see `core` and `ground` of the settings. Parts of the border of which nothing
    is left are added to `buffers.unread`."""
    found = number_parts(limits.height, buffers.borders, buffers.firsts, buffers.parts)
    measure_light(found, limits, buffers)
    decide_needs(found, limits, buffers)
    clear_faint(limits, buffers)
    find_runs_again(buffers.contrast, buffers.starts, limits, buffers.borders, buffers.firsts)


@kernel
def measure_light(found, limits, buffers):
    """Turn the rises into contrast, and write three numbers of each part into `buffers.measures`: its strongest
    contrast, the sum of the strongest that its runs have at the border, and how many runs are there."""
    borders, blocks, starts = buffers.borders, buffers.blocks, buffers.starts
    strongest, ground, border_runs = buffers.measures
    for number in range(found):
        strongest[number], ground[number], border_runs[number] = 0, 0, 0
    for y in range(limits.height):
        base = blocks[y // part.BLOCK * limits.block_stride :]
        for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
            number, start, end = buffers.parts[run], borders[2 * run], borders[2 * run + 1]
            row = buffers.contrast[starts[y] : starts[y] + end]
            peak = take_contrast(row, start, base, buffers.scale)
            strongest[number] = max(strongest[number], peak)
            level = 0
            if y == 0 or y == limits.height - 1:
                level = peak
            if start == 0:
                level = max(level, row[0])
            if end == limits.width:
                level = max(level, row[end - 1])
            if level > 0:
                ground[number] += level
                border_runs[number] += 1


@kernel
def decide_needs(found, limits, buffers):
    """Write into the first of `buffers.measures`, for each part, the least contrast that is kept of it, and into the
    last its place in `buffers.unread`, -1 where it has none."""
    strongest, ground, border_runs = buffers.measures
    cleared = buffers.found[UNREAD_COUNT]
    most = cleared + part.MOST_PARTS
    for number in range(found):
        need, place = strongest[number] * limits.core, -1
        if border_runs[number] > 0:
            level = ground[number] // border_runs[number]
            if level <= limits.darkest_ground:
                need = max(need, 256 * level + (255 - level) * limits.ground)
            else:
                need = 256 * 256
                if cleared < most:
                    place, cleared = cleared, cleared + 1
                    empty_box(buffers.unread[place], part.TOUCHES_BORDER, limits)
                    buffers.unread[place, part.STRENGTH] = strongest[number]
        strongest[number], border_runs[number] = (need + 255) >> 8, place
    buffers.found[UNREAD_COUNT] = cleared


@kernel
def clear_faint(limits, buffers):
    """Clear what has less contrast than its part needs, and write the boxes of unread parts."""
    borders, needs, places = buffers.borders, buffers.measures[0], buffers.measures[2]
    for y in range(limits.height):
        for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
            start, end = borders[2 * run], borders[2 * run + 1]
            need, place = needs[buffers.parts[run]], places[buffers.parts[run]]
            if place >= 0:
                widen(buffers.unread[place], y, start, end)
            row = buffers.contrast[buffers.starts[y] + start : buffers.starts[y] + end]
            for x in range(len(row)):
                if row[x] < need:
                    row[x] = 0


@kernel
def take_contrast(row, start, base, scale):
    """Turn the rises above the paper of a row from `start` on into shares of the paper's light, 255 for all of it;
    returns the most. `base` is the paper of its blocks."""
    most = 0
    for x in range(start, len(row)):
        taken = (np.uint32(row[x]) * scale[base[x // part.BLOCK]]) >> np.uint32(8)
        row[x] = taken
        most = max(most, taken)
    return most


@kernel
def measure_parts(limits, buffers):
    """Fill `buffers.table` with the parts of at least `limits.least_area` pixels, in the order of their first pixels,
    and `buffers.row_of` with the row of each; returns their number. Of too many parts the largest are kept, and the
    others are unread."""
    borders, firsts, parts, table = buffers.borders, buffers.firsts, buffers.parts, buffers.table
    row_of, areas = buffers.row_of, buffers.measures[0]
    contrast, starts, ink, blocks = buffers.contrast, buffers.starts, buffers.ink, buffers.blocks
    found = number_parts(limits.height, borders, firsts, parts)
    buffers.found[PART_COUNT] = found
    for number in range(found):
        areas[number] = 0
    for run in range(firsts[limits.height]):
        areas[parts[run]] += borders[2 * run + 1] - borders[2 * run]
    least = _least_area(areas, found, limits.least_area)
    rows = 0
    for number in range(found):
        row_of[number] = -1
        if areas[number] >= least and rows < part.MOST_PARTS:
            row_of[number] = rows
            for column in range(part.COLUMNS):
                table[rows, column] = 0
            table[rows, part.LEFT], table[rows, part.TOP] = limits.width, limits.height
            rows += 1
    for y in range(limits.height):
        for run in range(firsts[y], firsts[y + 1]):
            row = row_of[parts[run]]
            if row >= 0:
                left, right = borders[2 * run], borders[2 * run + 1]
                _add_run(y, left, right, contrast, starts, table[row])
                table[row, part.OPEN] += _is_open(y, left, right, limits, contrast, starts, ink, blocks)
    for row in table[:rows]:
        row[part.LONGEST] = max(row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP])
    if least > limits.least_area:
        _list_small(limits, buffers)
    return rows


@kernel
def _list_small(limits, buffers):
    """List the ink of the parts that are none of the largest as unread, together in each tile that has some."""
    borders, firsts, parts, unread = buffers.borders, buffers.firsts, buffers.parts, buffers.unread
    across, places = limits.width // part.TILE + 1, buffers.places
    for tile in range(across * (limits.height // part.TILE + 1)):
        places[tile] = -1
    for y in range(limits.height):
        for run in range(firsts[y], firsts[y + 1]):
            number, left, right = parts[run], borders[2 * run], borders[2 * run + 1]
            if buffers.row_of[number] >= 0 or buffers.measures[0, number] < limits.least_area:
                continue
            tile = y // part.TILE * across + left // part.TILE
            if places[tile] < 0:
                places[tile] = buffers.found[UNREAD_COUNT]
                buffers.found[UNREAD_COUNT] += 1
                empty_box(unread[places[tile]], part.TOO_MUCH_INK, limits)
            box = unread[places[tile]]
            widen(box, y, left, right)
            for place in range(buffers.starts[y] + left, buffers.starts[y] + right):
                box[part.STRENGTH] = max(box[part.STRENGTH], buffers.contrast[place])


@kernel
def _least_area(areas, found, least):
    """The least area, doubled until no more than MOST_PARTS parts have it."""
    while True:
        large = 0
        for number in range(found):
            large += areas[number] >= least
        if large <= part.MOST_PARTS:
            return least
        least *= 2


@kernel
def widen(box, y, left, right):
    """Add a run to the box of a part; runs come row by row."""
    box[part.LEFT], box[part.RIGHT] = min(box[part.LEFT], left), max(box[part.RIGHT], right)
    box[part.TOP], box[part.BOTTOM] = min(box[part.TOP], y), y + 1


@kernel
def empty_box(box, reason, limits):
    """Write a row of `buffers.unread` with nothing in its box yet, and nothing of which can be writing."""
    box[part.LEFT], box[part.TOP], box[part.RIGHT], box[part.BOTTOM] = limits.width, limits.height, 0, 0
    box[part.REASON] = reason
    box[part.STRENGTH] = box[part.PEN] = box[part.CELL] = 0


@kernel
def _add_run(y, left, right, contrast, starts, row):
    """Add a run to the measures of its part, (COLUMNS,), but for OPEN."""
    widen(row, y, left, right)
    row[part.AREA] += right - left
    row[part.RUNS] += 1
    peak = 0
    for place in range(starts[y] + left, starts[y] + right):
        peak = max(peak, contrast[place])
    row[part.RIDGE] += peak
    if y > 0:
        for place in range(starts[y - 1] + left, starts[y - 1] + right):
            row[part.SHARED] += contrast[place] != 0


@kernel
def _is_open(y, left, right, limits, contrast, starts, ink, blocks):
    """How often, across and down, one side of a run is nearly as dark as it, though no ink, and the other is not."""
    middle = (left + right) // 2
    base = int(paper_at(blocks, y, middle, limits))
    least = 3 * (int(ink[y * limits.stride + middle]) - base)
    before = _goes_on(y, left - 2, base, least, limits, contrast, starts, ink)
    after = _goes_on(y, right + 1, base, least, limits, contrast, starts, ink)
    above = _goes_on(y - 2, middle, base, least, limits, contrast, starts, ink)
    below = _goes_on(y + 2, middle, base, least, limits, contrast, starts, ink)
    return int(before != after) + int(above != below)


@kernel
def _goes_on(y, x, base, least, limits, contrast, starts, ink):
    """Whether a point beside a run is nearly as dark as the run, though it is no ink: four times its rise above the
    run's paper, `base`, exceeds `least`.

    Of things that are wider than a stroke only the rim is left by `rise_above`, because inside of it the paper is lost,
    and of things that reach the border only what is darkest is left by `keep_cores`.
    """
    y, x = max(0, min(y, limits.height - 1)), max(0, min(x, limits.width - 1))
    return contrast[starts[y] + x] == 0 and 4 * (int(ink[y * limits.stride + x]) - base) > least
