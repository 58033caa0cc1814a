"""What a record of `edge_lpdpl.page.state` tells, for the kernels: the same tuples of limits and buffers again."""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import array_at
from edge_lpdpl.page.buffers import Buffers
from edge_lpdpl.page.parts_table import (
    AT_ONCE,
    BLOCK,
    COLUMNS,
    LIFTED_SIDE,
    MOST_PARTS,
    MOST_SHRUNK,
    REACH,
    UNREAD_COLUMNS,
)
from edge_lpdpl.page.settings import Limits
from edge_lpdpl.page.state import STATE


@kernel
def state_at(address):
    """The record at an address."""
    return array_at(address, (1,), STATE)[0]


@kernel
def frame_of(state):
    """The frame that is to be searched."""
    return array_at(state.frame, (state.frame_height, state.frame_width), np.uint8)


@kernel
def limits_of(state):
    """Its limits."""
    return Limits(
        state.height,
        state.width,
        state.factor,
        state.stride,
        state.block_stride,
        state.window,
        state.least_contrast,
        state.least_peak,
        state.faintest_peak,
        state.core,
        state.ground,
        state.darkest_ground,
        state.faintest,
        state.light_stroke,
        state.smallest,
        state.largest,
        state.smallest_dot,
        state.largest_dot,
        state.faintest_dot,
        state.largest_mark,
        state.longest_part,
        state.widest_gap,
        state.boldest,
        state.boldest_bar,
        state.thickest,
        state.smallest_shape,
        state.rim,
        state.least_area,
    )


@kernel
def buffers_of(state):
    """Its buffers."""
    size, stride = state.height * state.stride, state.stride
    blocks = (state.height + BLOCK - 1) // BLOCK * state.block_stride
    runs = state.height * (state.width // 2 + 1)
    area = (state.height + 2 * REACH) * (state.width + 2 * REACH)
    return Buffers(
        array_at(state.ink, (size,), np.uint8),
        array_at(state.blocks, (blocks,), np.uint8),
        array_at(state.spare, (AT_ONCE,), np.uint8),
        array_at(state.lines, (3, stride), np.uint8),
        array_at(state.share, (size + 2 * stride,), np.uint8),
        array_at(state.starts, (state.height,), np.int64),
        array_at(state.own, (area,), np.uint8),
        array_at(state.mask, (area,), np.uint8),
        array_at(state.sums, (state.width * state.factor + MOST_SHRUNK,), np.uint32),
        array_at(state.scale, (256,), np.uint32),
        array_at(state.counts, (256,), np.int64),
        array_at(state.borders, (2 * runs,), np.int32),
        array_at(state.firsts, (state.height + 1,), np.int32),
        array_at(state.parts, (runs,), np.int32),
        array_at(state.measures, (3, runs), np.int32),
        array_at(state.table, (MOST_PARTS, COLUMNS), np.int64),
        array_at(state.unread, (2 * MOST_PARTS, UNREAD_COLUMNS), np.int64),
        array_at(state.owners, (MOST_PARTS,), np.int32),
        array_at(state.row_of, (runs,), np.int32),
        array_at(state.lifted, (LIFTED_SIDE * LIFTED_SIDE,), np.uint8),
        array_at(state.found, (5,), np.int64),
    )
