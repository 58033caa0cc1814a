"""All steps of locating in one compiled call, because each call into compiled code has its price.

What Python calls takes the address of a record (`edge_lpdpl.page.record`), searches the frame that it asks for, and
leaves the results in its buffers.
"""

import numpy as np

from edge_lpdpl.files.grey import INK_AUTO, INK_LIGHT
from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import array_at, part_of
from edge_lpdpl.page.buffers import LIGHT, Buffers
from edge_lpdpl.page.kernels.contrast import find_paper, lowest_in_blocks, rise_above
from edge_lpdpl.page.kernels.lifting import lift
from edge_lpdpl.page.kernels.numerals import find_numerals
from edge_lpdpl.page.kernels.parts import keep_cores, measure_parts
from edge_lpdpl.page.kernels.reduce import invert_map, reduce, strokes_are_dark
from edge_lpdpl.page.parts_table import BLOCK
from edge_lpdpl.page.record import RECORD
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
    """Find the numerals of a frame and leave them in the table; returns their number."""
    record = record_at(address)
    limits, buffers = part_of(record, Limits), part_of(record, Buffers)
    reduce_to_light_ink(frame_of(record), record.top, record.left, record.polarity, limits, buffers)
    contrast, starts, borders, firsts = buffers.contrast, buffers.starts, buffers.borders, buffers.firsts
    find_paper(limits, buffers.blocks, buffers.spare)
    rise_above(buffers.ink, buffers.blocks, limits, buffers.counts, buffers.lines, contrast, starts, borders, firsts)
    keep_cores(limits, buffers)
    return find_numerals(measure_parts(limits, buffers), limits, buffers)


@kernel
def lift_numeral(address):
    """Write one numeral of the table into `lifted`, and its height and width into `found`."""
    record = record_at(address)
    limits, buffers = part_of(record, Limits), part_of(record, Buffers)
    lift(frame_of(record), record.top, record.left, record.numeral, limits, buffers)
    return 0


@kernel
def reduce_to_light_ink(grey, top, left, polarity, limits, buffers):
    """The frame, reduced, into `buffers.ink`, light ink on dark, and the darkest pixel of its blocks into
    `buffers.blocks`; row by row, while it is in the fastest cache."""
    ink, blocks, sums = buffers.ink, buffers.blocks, buffers.sums
    rows, flip = (limits.height + 1) // BLOCK, np.uint8(0 if polarity == INK_LIGHT else 255)
    for row in range(rows):
        reduce(grey, top, left, BLOCK * row, min(BLOCK * row + BLOCK, limits.height), limits, flip, sums, ink)
        lowest_in_blocks(ink, row, limits, blocks)
    buffers.found[LIGHT] = polarity == INK_LIGHT
    if polarity == INK_AUTO and strokes_are_dark(ink, limits, buffers.lines, sums):
        buffers.found[LIGHT] = True
        invert_map(ink, limits)
        for row in range(rows):
            lowest_in_blocks(ink, row, limits, blocks)
