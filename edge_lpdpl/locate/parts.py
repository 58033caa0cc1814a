"""What hangs together in a map of ink: runs along rows, joined where they touch, corners included, and measured."""

import numpy as np

from edge_lpdpl.compiled import kernel
from edge_lpdpl.locate.buffers import PART_COUNT, RUN_COUNT
from edge_lpdpl.locate.parts_table import (
    AREA,
    BOTTOM,
    FOOT,
    HEAD,
    LEFT,
    MOST_PARTS,
    OPEN,
    RIDGE,
    RIGHT,
    RUNS,
    SHARED,
    TOP,
)


@kernel
def find_runs(share, starts, ends):
    """First and past-last places of the stretches that are not 0; returns their number. Words of 0 are passed over."""
    words = share.view(np.uint64)
    count = 0
    inside = False
    for word in range(len(words)):
        if words[word] == 0 and not inside:
            continue
        for place in range(8 * word, 8 * word + 8):
            if (share[place] != 0) != inside:
                if inside:
                    ends[count] = place
                    count += 1
                else:
                    starts[count] = place
                inside = not inside
    return count


@kernel
def join_runs(starts, ends, parts, count, stride):
    """Number the parts in the order of their first runs, into `parts`; returns how many there are.

    Runs touch where one begins before the other ends in the row below, or one place further.
    """
    for run in range(count):
        parts[run] = run
    upper = 0
    for lower in range(count):
        start, end = starts[lower] - stride, ends[lower] - stride
        while ends[upper] < start:
            upper += 1
        above = upper
        while above < lower and starts[above] <= end:
            _join(parts, above, lower)
            above += 1
    found = 0
    for run in range(count):
        first = parts[run]
        if first == run:
            parts[run] = found
            found += 1
        else:
            parts[run] = parts[first]  # its first run has its number already
    return found


@kernel
def _join(parts, one, other):
    """Make two runs point to the same first run."""
    while parts[one] != one:
        parts[one] = parts[parts[one]]
        one = parts[one]
    while parts[other] != other:
        parts[other] = parts[parts[other]]
        other = parts[other]
    if one < other:
        parts[other] = one
    else:
        parts[one] = other


@kernel
def keep_cores(limits, stride, buffers):
    """Clear what is too faint for its part: see `core` and `ground` of the settings."""
    share, starts, ends, parts = buffers.share, buffers.starts, buffers.ends, buffers.parts
    count = find_runs(share, starts, ends)
    found = join_runs(starts, ends, parts, count, stride)
    strongest, ground, border_runs = buffers.measures
    for part in range(found):
        strongest[part], ground[part], border_runs[part] = 0, 0, 0
    for run in range(count):
        part, row = parts[run], starts[run] // stride
        peak = _peak(share[starts[run] : ends[run]])
        strongest[part] = max(strongest[part], peak)
        level = 0
        if row == 0 or row == limits.height - 1:
            level = peak
        if starts[run] == row * stride:
            level = max(level, share[starts[run]])
        if ends[run] == row * stride + limits.width:
            level = max(level, share[ends[run] - 1])
        if level > 0:
            ground[part] += level
            border_runs[part] += 1
    for part in range(found):
        need = strongest[part] * limits.core
        if border_runs[part] > 0:
            level = ground[part] // border_runs[part]
            writing = level <= limits.darkest_ground
            need = max(need, 256 * level + (255 - level) * limits.ground if writing else 256 * 256)
        strongest[part] = need
    for run in range(count):
        need = strongest[parts[run]]
        row = share[starts[run] : ends[run]]
        for x in range(len(row)):
            if (row[x] << 8) < need:
                row[x] = 0


@kernel
def _peak(row):
    peak = 0
    for x in range(len(row)):
        peak = max(peak, row[x])
    return peak


@kernel
def measure_parts(limits, stride, buffers):
    """Fill `buffers.table` with the parts of at least `limits.least_area` pixels, in the order of their first pixels,
    and `buffers.row_of` with the row of each; returns their number. Of too many parts the largest are kept."""
    share, starts, ends, parts, table = buffers.share, buffers.starts, buffers.ends, buffers.parts, buffers.table
    row_of, areas = buffers.row_of, buffers.measures[0]
    count = find_runs(share, starts, ends)
    found = join_runs(starts, ends, parts, count, stride)
    buffers.found[RUN_COUNT], buffers.found[PART_COUNT] = count, found
    for part in range(found):
        areas[part] = 0
    for run in range(count):
        areas[parts[run]] += ends[run] - starts[run]
    least = _least_area(areas, found, limits.least_area)
    rows = 0
    for part in range(found):
        row_of[part] = -1
        if areas[part] >= least and rows < MOST_PARTS:
            row_of[part] = rows
            table[rows, :] = 0
            table[rows, LEFT], table[rows, TOP] = limits.width, limits.height
            rows += 1
    for run in range(count):
        row = row_of[parts[run]]
        if row >= 0:
            _add_run(share, starts[run], ends[run], stride, limits, buffers, table[row])
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
def _add_run(share, start, end, stride, limits, buffers, row):
    """Add a run to the measures of its part, (COLUMNS,)."""
    y = start // stride
    left, right = start - y * stride, end - y * stride
    row[LEFT], row[RIGHT] = min(row[LEFT], left), max(row[RIGHT], right)
    if row[RUNS] == 0:
        row[TOP], row[HEAD] = y, left + right
    row[BOTTOM], row[FOOT] = y + 1, left + right
    row[AREA] += right - left
    row[RUNS] += 1
    row[RIDGE] += _peak(share[start:end])
    if y > 0:
        above = share[start - stride : end - stride]
        for x in range(len(above)):
            row[SHARED] += above[x] != 0
    middle = (left + right) // 2
    row[OPEN] += _goes_on(y, left - 2, y, middle, stride, limits, buffers)
    row[OPEN] += _goes_on(y, right + 1, y, middle, stride, limits, buffers)
    row[OPEN] += _goes_on(y - 2, middle, y, middle, stride, limits, buffers)
    row[OPEN] += _goes_on(y + 2, middle, y, middle, stride, limits, buffers)


@kernel
def _goes_on(y, x, from_y, from_x, stride, limits, buffers):
    """Whether a point beside a run is nearly as dark as the run, though there is no contrast any more.

    Of things that are wider than a stroke only the rim is left by `take_contrast`: inside of it the paper is lost.
    """
    y, x = max(0, min(y, limits.height - 1)), max(0, min(x, limits.width - 1))
    place, here = y * stride + x, from_y * stride + from_x
    base = int(buffers.paper[here])
    rise = int(buffers.ink[here]) - base
    return buffers.share[place] == 0 and 2 * (int(buffers.paper[place]) - base) > rise
