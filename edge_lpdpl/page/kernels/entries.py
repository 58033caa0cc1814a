"""All steps of locating in one compiled call, because each call into compiled code has its price.

What Python calls takes the address of a record (`edge_lpdpl.page.record`), searches the frame that it asks for, and
leaves the results in its buffers.
"""

import numpy as np

from edge_lpdpl.files.grey import INK_AUTO, INK_LIGHT
from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import array_at, part_of
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.buffers import GROUP_DOUBT, GROUP_REASON, LIGHT, Buffers
from edge_lpdpl.page.kernels.contrast import find_paper, lowest_in_blocks, rise_above
from edge_lpdpl.page.kernels.cuts import find_cuts
from edge_lpdpl.page.kernels.lifting import doubt_about, lift, measure_group
from edge_lpdpl.page.kernels.parts import find_runs_again, keep_cores, measure_parts
from edge_lpdpl.page.kernels.reduce import invert_map, reduce, strokes_are_dark
from edge_lpdpl.page.kernels.rules.between import find_wall_in_gap
from edge_lpdpl.page.kernels.rules.frames import mark_rules, take_rules
from edge_lpdpl.page.kernels.writing import keep_writing, why_no_group
from edge_lpdpl.page.record import RECORD
from edge_lpdpl.page.rules_table import HIDDEN, RULED
from edge_lpdpl.page.settings import Limits


@kernel
def record_at(address):
    """The record of a locator at an address."""
    return array_at(address, (1,), RECORD)[0]


@kernel
def frame_of(record):
    """The frame that a record asks for."""
    return array_at(record.frame, (record.frame_height, record.frame_width), np.uint8)


@kernel
def search_page(address):
    """Find the parts of a frame's ink that may be writing and leave them in the table; returns their number."""
    record = record_at(address)
    limits, buffers = part_of(record, Limits), part_of(record, Buffers)
    reduce_to_light_ink(frame_of(record), record.top, record.left, record.polarity, limits, buffers)
    contrast, starts, borders, firsts = buffers.contrast, buffers.starts, buffers.borders, buffers.firsts
    find_paper(limits, buffers.blocks, buffers.spare)
    rise_above(buffers.ink, buffers.blocks, limits, buffers.counts, buffers.lines, contrast, starts, borders, firsts)
    ruled = take_rules(limits, buffers)
    if ruled:
        find_runs_again(contrast, starts, limits, borders, firsts)
    keep_cores(limits, buffers)
    if ruled:
        mark_rules(RULED, limits, buffers)
    return keep_writing(measure_parts(limits, buffers), limits, buffers)


@kernel
def cut_part(address):
    """Find seams through a row of the table and leave them in `seams`; returns their number."""
    record = record_at(address)
    return find_cuts(record.part, record.number, part_of(record, Limits), part_of(record, Buffers))


@kernel
def lift_group(address):
    """Write the group in `members` into `lifted`, its measures into `group`, its height and width, why it is no
    numeral and the doubt that a rule leaves about it into `found`; returns 0 where it has no ink."""
    record = record_at(address)
    limits, buffers = part_of(record, Limits), part_of(record, Buffers)
    measure_group(record.number, limits, buffers)
    if buffers.group[part.RUNS] == 0:
        return 0
    buffers.found[GROUP_REASON] = why_no_group(buffers.group, limits, buffers)
    buffers.found[GROUP_DOUBT] = doubt_about(buffers.group, limits, buffers)
    uncovered = record.part != 0 and buffers.found[GROUP_DOUBT] == HIDDEN
    lift(frame_of(record), record.top, record.left, record.number, uncovered, limits, buffers)
    return 1


@kernel
def wall_in_gap(address):
    """The column in which a wall stands in the middle of the gap in `gap`, -1 without one."""
    record = record_at(address)
    return find_wall_in_gap(record.number, record.part != 0, part_of(record, Limits), part_of(record, Buffers))


@kernel
def reduce_to_light_ink(grey, top, left, polarity, limits, buffers):
    """The frame, reduced, into `buffers.ink`, light ink on dark, and the darkest pixel of its blocks into
    `buffers.blocks`; row by row, while it is in the fastest cache."""
    ink, blocks, sums = buffers.ink, buffers.blocks, buffers.sums
    rows, flip = (limits.height + 1) // part.BLOCK, np.uint8(0 if polarity == INK_LIGHT else 255)
    for row in range(rows):
        reduce(
            grey,
            top,
            left,
            part.BLOCK * row,
            min(part.BLOCK * row + part.BLOCK, limits.height),
            limits,
            flip,
            sums,
            ink,
        )
        lowest_in_blocks(ink, row, limits, blocks)
    buffers.found[LIGHT] = polarity == INK_LIGHT
    if polarity == INK_AUTO and strokes_are_dark(ink, limits, buffers.lines, sums):
        buffers.found[LIGHT] = True
        invert_map(ink, limits)
        for row in range(rows):
            lowest_in_blocks(ink, row, limits, blocks)
