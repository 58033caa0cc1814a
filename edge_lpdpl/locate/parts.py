"""What hangs together in a map of ink: runs along rows, joined where they touch, corners included, and measured."""

import numpy as np

from edge_lpdpl.compiled import kernel
from edge_lpdpl.locate.buffers import PART_COUNT
from edge_lpdpl.locate.parts_table import (
    AREA,
    BOTTOM,
    COLUMNS,
    FOOT,
    HEAD,
    LEFT,
    LONGEST,
    MOST_PARTS,
    OPEN,
    RIDGE,
    RIGHT,
    RUNS,
    SHARED,
    TOP,
)
from edge_lpdpl.runs import find_runs, join_runs


@kernel
def find_parts(limits, buffers):
    """Find the runs of ink in `buffers.share` and number the parts that they belong to in the order of their first
    runs, into `buffers.parts`; returns how many parts there are."""
    parts, firsts = buffers.parts, buffers.firsts
    find_runs(buffers.share, limits.height, limits.stride, np.uint8(0), buffers.marks, buffers.borders, firsts)
    join_runs(limits.height, buffers.borders, firsts, parts)
    found = 0
    for run in range(firsts[limits.height]):
        first = parts[run]
        if first == run:
            parts[run] = found
            found += 1
        else:
            parts[run] = parts[first]  # its first run has its number already
    return found


@kernel
def keep_cores(limits, buffers):
    """Turn what rises above the paper in `buffers.share` into contrast, 255 for all of the paper's light, and clear
    what is too faint for its part: see `core` and `ground` of the settings."""
    share, borders, firsts, parts = buffers.share, buffers.borders, buffers.firsts, buffers.parts
    found = find_parts(limits, buffers)
    strongest, ground, border_runs = buffers.measures
    for part in range(found):
        strongest[part], ground[part], border_runs[part] = 0, 0, 0
    for y in range(limits.height):
        for run in range(firsts[y], firsts[y + 1]):
            part, start, end = parts[run], borders[2 * run], borders[2 * run + 1]
            row = share[y * limits.stride + start : y * limits.stride + end]
            peak = take_contrast(row, buffers.paper[y * limits.stride + start : y * limits.stride + end], buffers.scale)
            strongest[part] = max(strongest[part], peak)
            level = 0
            if y == 0 or y == limits.height - 1:
                level = peak
            if start == 0:
                level = max(level, row[0])
            if end == limits.width:
                level = max(level, row[end - start - 1])
            if level > 0:
                ground[part] += level
                border_runs[part] += 1
    for part in range(found):
        need = strongest[part] * limits.core
        if border_runs[part] > 0:
            level = ground[part] // border_runs[part]
            writing = level <= limits.darkest_ground
            need = max(need, 256 * level + (255 - level) * limits.ground if writing else 256 * 256)
        strongest[part] = (need + 255) >> 8
    for y in range(limits.height):
        for run in range(firsts[y], firsts[y + 1]):
            need = strongest[parts[run]]
            row = share[y * limits.stride + borders[2 * run] : y * limits.stride + borders[2 * run + 1]]
            for x in range(len(row)):
                if row[x] < need:
                    row[x] = 0


@kernel
def take_contrast(row, paper, scale):
    """Turn the rises above the paper of a row into shares of the paper's light, 255 for all of it; returns the most."""
    most = 0
    for x in range(len(row)):
        share = (np.uint32(row[x]) * scale[paper[x]]) >> np.uint32(8)
        row[x] = share
        most = max(most, share)
    return most


@kernel
def measure_parts(limits, buffers):
    """Fill `buffers.table` with the parts of at least `limits.least_area` pixels, in the order of their first pixels,
    and `buffers.row_of` with the row of each; returns their number. Of too many parts the largest are kept."""
    borders, firsts, parts, table = buffers.borders, buffers.firsts, buffers.parts, buffers.table
    row_of, areas = buffers.row_of, buffers.measures[0]
    found = find_parts(limits, buffers)
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
                _add_run(y, borders[2 * run], borders[2 * run + 1], limits, buffers, table[row])
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
def _add_run(y, left, right, limits, buffers, row):
    """Add a run to the measures of its part, (COLUMNS,)."""
    start = y * limits.stride + left
    here = buffers.share[start : start + right - left]
    row[LEFT], row[RIGHT] = min(row[LEFT], left), max(row[RIGHT], right)
    if row[RUNS] == 0:
        row[TOP], row[HEAD] = y, left + right
    row[BOTTOM], row[FOOT] = y + 1, left + right
    row[AREA] += right - left
    row[RUNS] += 1
    peak = 0
    for x in range(len(here)):
        peak = max(peak, here[x])
    row[RIDGE] += peak
    if y > 0:
        upper = buffers.share[start - limits.stride : start - limits.stride + right - left]
        shared = 0
        for x in range(len(upper)):
            shared += upper[x] != 0
        row[SHARED] += shared
    middle = (left + right) // 2
    before = _goes_on(y, left - 2, y, middle, limits, buffers)
    row[OPEN] += before != _goes_on(y, right + 1, y, middle, limits, buffers)
    above = _goes_on(y - 2, middle, y, middle, limits, buffers)
    row[OPEN] += above != _goes_on(y + 2, middle, y, middle, limits, buffers)


@kernel
def _goes_on(y, x, from_y, from_x, limits, buffers):
    """Whether a point beside a run is nearly as dark as the run, though it is no ink.

    Of things that are wider than a stroke only the rim is left by `rise_above`, because inside of it the paper is lost,
    and of things that reach the border only what is darkest is left by `keep_cores`.
    """
    y, x = max(0, min(y, limits.height - 1)), max(0, min(x, limits.width - 1))
    place, here = y * limits.stride + x, from_y * limits.stride + from_x
    base = int(buffers.paper[here])
    rise = int(buffers.ink[here]) - base
    return buffers.share[place] == 0 and 4 * (int(buffers.ink[place]) - base) > 3 * rise
