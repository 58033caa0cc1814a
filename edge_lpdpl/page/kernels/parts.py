"""What hangs together in a map of ink: runs along rows, joined where they touch, corners included, and measured."""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page.buffers import PART_COUNT, UNREAD_COUNT
from edge_lpdpl.page.kernels.contrast import paper_at
from edge_lpdpl.page.kernels.runs import add_runs, join_runs
from edge_lpdpl.page.parts_table import (
    AREA,
    BLOCK,
    BOTTOM,
    COLUMNS,
    FOOT,
    HEAD,
    LEFT,
    LONGEST,
    MOST_PARTS,
    OPEN,
    REASON,
    RIDGE,
    RIGHT,
    RUNS,
    SHARED,
    TOP,
    TOUCHES_BORDER,
)


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
def find_runs_again(share, starts, limits, borders, firsts):
    """The runs of what is left of the ink."""
    count = 0
    for y in range(limits.height):
        firsts[y] = count // 2
        if starts[y] > 0:
            count = add_runs(share[starts[y] : starts[y] + limits.stride], borders, count)
    firsts[limits.height] = count // 2


@kernel
def keep_cores(limits, buffers):
    """Turn what rises above the paper in `buffers.share` into contrast, 255 for all of the paper's light, and clear
    what is too faint for its part: see `core` and `ground` of the settings. Parts of the border of which nothing
    is left come first in `buffers.unread`."""
    share, starts, blocks, scale = buffers.share, buffers.starts, buffers.blocks, buffers.scale
    borders, firsts, parts = buffers.borders, buffers.firsts, buffers.parts
    found = number_parts(limits.height, borders, firsts, parts)
    strongest, ground, border_runs = buffers.measures
    unread, cleared = buffers.unread, 0
    for part in range(found):
        strongest[part], ground[part], border_runs[part] = 0, 0, 0
    for y in range(limits.height):
        base = blocks[y // BLOCK * limits.block_stride :]
        for run in range(firsts[y], firsts[y + 1]):
            part, start, end = parts[run], borders[2 * run], borders[2 * run + 1]
            row = share[starts[y] : starts[y] + end]
            peak = take_contrast(row, start, base, scale)
            strongest[part] = max(strongest[part], peak)
            level = 0
            if y == 0 or y == limits.height - 1:
                level = peak
            if start == 0:
                level = max(level, row[0])
            if end == limits.width:
                level = max(level, row[end - 1])
            if level > 0:
                ground[part] += level
                border_runs[part] += 1
    for part in range(found):
        need, place = strongest[part] * limits.core, -1
        if border_runs[part] > 0:
            level = ground[part] // border_runs[part]
            if level <= limits.darkest_ground:
                need = max(need, 256 * level + (255 - level) * limits.ground)
            else:
                need = 256 * 256
                if cleared < MOST_PARTS:
                    place, cleared = cleared, cleared + 1
                    unread[place, LEFT], unread[place, TOP] = limits.width, limits.height
                    unread[place, RIGHT], unread[place, BOTTOM], unread[place, REASON] = 0, 0, TOUCHES_BORDER
        strongest[part], border_runs[part] = (need + 255) >> 8, place
    buffers.found[UNREAD_COUNT] = cleared
    for y in range(limits.height):
        for run in range(firsts[y], firsts[y + 1]):
            need, place = strongest[parts[run]], border_runs[parts[run]]
            if place >= 0:
                box = unread[place]
                box[LEFT], box[RIGHT] = min(box[LEFT], borders[2 * run]), max(box[RIGHT], borders[2 * run + 1])
                box[TOP], box[BOTTOM] = min(box[TOP], y), y + 1
            row = share[starts[y] + borders[2 * run] : starts[y] + borders[2 * run + 1]]
            for x in range(len(row)):
                if row[x] < need:
                    row[x] = 0
    find_runs_again(share, starts, limits, borders, firsts)


@kernel
def take_contrast(row, start, base, scale):
    """Turn the rises above the paper of a row from `start` on into shares of the paper's light, 255 for all of it;
    returns the most. `base` is the paper of its blocks."""
    most = 0
    for x in range(start, len(row)):
        share = (np.uint32(row[x]) * scale[base[x // BLOCK]]) >> np.uint32(8)
        row[x] = share
        most = max(most, share)
    return most


@kernel
def measure_parts(limits, buffers):
    """Fill `buffers.table` with the parts of at least `limits.least_area` pixels, in the order of their first pixels,
    and `buffers.row_of` with the row of each; returns their number. Of too many parts the largest are kept."""
    borders, firsts, parts, table = buffers.borders, buffers.firsts, buffers.parts, buffers.table
    row_of, areas = buffers.row_of, buffers.measures[0]
    share, starts, ink, blocks = buffers.share, buffers.starts, buffers.ink, buffers.blocks
    found = number_parts(limits.height, borders, firsts, parts)
    buffers.found[PART_COUNT] = found
    for part in range(found):
        areas[part] = 0
    for run in range(firsts[limits.height]):
        areas[parts[run]] += borders[2 * run + 1] - borders[2 * run]
    least = _least_area(areas, found, limits.least_area)
    rows = 0
    for part in range(found):
        row_of[part] = -1
        if areas[part] >= least and rows < MOST_PARTS:
            row_of[part] = rows
            for column in range(COLUMNS):
                table[rows, column] = 0
            table[rows, LEFT], table[rows, TOP] = limits.width, limits.height
            rows += 1
    for y in range(limits.height):
        for run in range(firsts[y], firsts[y + 1]):
            row = row_of[parts[run]]
            if row >= 0:
                left, right = borders[2 * run], borders[2 * run + 1]
                _add_run(y, left, right, share, starts, table[row])
                table[row, OPEN] += _is_open(y, left, right, limits, share, starts, ink, blocks)
    for row in range(rows):
        table[row, LONGEST] = max(table[row, RIGHT] - table[row, LEFT], table[row, BOTTOM] - table[row, TOP])
    return rows


@kernel
def _least_area(areas, found, least):
    """The least area, doubled until no more than MOST_PARTS parts have it."""
    while True:
        large = 0
        for part in range(found):
            large += areas[part] >= least
        if large <= MOST_PARTS:
            return least
        least *= 2


@kernel
def _add_run(y, left, right, share, starts, row):
    """Add a run to the measures of its part, (COLUMNS,), but for OPEN."""
    row[LEFT], row[RIGHT] = min(row[LEFT], left), max(row[RIGHT], right)
    if row[RUNS] == 0:
        row[TOP], row[HEAD] = y, left + right
    row[BOTTOM], row[FOOT] = y + 1, left + right
    row[AREA] += right - left
    row[RUNS] += 1
    peak = 0
    for place in range(starts[y] + left, starts[y] + right):
        peak = max(peak, share[place])
    row[RIDGE] += peak
    if y > 0:
        for place in range(starts[y - 1] + left, starts[y - 1] + right):
            row[SHARED] += share[place] != 0


@kernel
def _is_open(y, left, right, limits, share, starts, ink, blocks):
    """How often, across and down, one side of a run is nearly as dark as it, though no ink, and the other is not."""
    middle = (left + right) // 2
    base = int(paper_at(blocks, y, middle, limits))
    least = 3 * (int(ink[y * limits.stride + middle]) - base)
    before = _goes_on(y, left - 2, base, least, limits, share, starts, ink)
    after = _goes_on(y, right + 1, base, least, limits, share, starts, ink)
    above = _goes_on(y - 2, middle, base, least, limits, share, starts, ink)
    below = _goes_on(y + 2, middle, base, least, limits, share, starts, ink)
    return int(before != after) + int(above != below)


@kernel
def _goes_on(y, x, base, least, limits, share, starts, ink):
    """Whether a point beside a run is nearly as dark as the run, though it is no ink: four times its rise above the
    run's paper, `base`, exceeds `least`.

    Of things that are wider than a stroke only the rim is left by `rise_above`, because inside of it the paper is lost,
    and of things that reach the border only what is darkest is left by `keep_cores`.
    """
    y, x = max(0, min(y, limits.height - 1)), max(0, min(x, limits.width - 1))
    return share[starts[y] + x] == 0 and 4 * (int(ink[y * limits.stride + x]) - base) > least
