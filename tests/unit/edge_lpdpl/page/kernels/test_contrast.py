"""Paper and contrast against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_maps import as_map
from plain_python import examples

from edge_lpdpl.page.buffers import make_buffers
from edge_lpdpl.page.kernels.contrast import find_paper, lowest_in_blocks, rise_above
from edge_lpdpl.page.kernels.parts import take_contrast
from edge_lpdpl.page.parts_table import BLOCK, GRAIN_EVERY
from edge_lpdpl.page.plain import parts as numpy_parts
from edge_lpdpl.page.settings import LocateSettings, limits_of

pytestmark = pytest.mark.slow

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=examples(30))
@given(seeds, st.integers(8, 50), st.integers(8, 50), st.integers(1, 30))
def test_the_paper_of_a_block_is_an_opening_of_the_lightest(seed, height, width, window):
    ink = np.random.default_rng(seed).integers(0, 256, size=(height, width), dtype=np.uint8)
    limits = limits_of(LocateSettings(), height, width)._replace(window=window)
    buffers = make_buffers(limits)
    for row in range(-(-height // BLOCK)):
        lowest_in_blocks(as_map(ink), row, limits, buffers.blocks)
    find_paper(limits, buffers.blocks, buffers.spare)
    blocks = np.array(
        [[ink[y : y + 2, x : x + 2].min() for x in range(0, width, BLOCK)] for y in range(0, height, BLOCK)]
    )
    side = min(window, *blocks.shape)
    expected = np.zeros(blocks.shape, np.uint8)
    for top, left in np.ndindex(blocks.shape[0] - side + 1, blocks.shape[1] - side + 1):
        square = slice(top, top + side), slice(left, left + side)
        expected[square] = np.maximum(expected[square], blocks[square].min())
    found = buffers.blocks.reshape(-1, limits.block_stride)[:, : blocks.shape[1]]
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(numpy_parts.find_paper(ink, window), expected)


@settings(max_examples=examples(30))
@given(seeds, st.integers(8, 40), st.integers(8, 40), st.integers(0, 80))
def test_contrast_is_the_share_of_the_light(seed, height, width, least):
    dice = np.random.default_rng(seed)
    blocks = dice.integers(0, 200, size=(-(-height // BLOCK), -(-width // BLOCK)), dtype=np.uint8)
    paper = numpy_parts.spread(blocks, height, width)
    ink = (paper + dice.integers(0, 55, size=(height, width)) * (dice.random((height, width)) < 0.3)).astype(np.uint8)
    limits = limits_of(LocateSettings(), height, width)._replace(least_contrast=least)
    buffers = make_buffers(limits)
    buffers.blocks.reshape(-1, limits.block_stride)[:, : blocks.shape[1]] = blocks
    rise_above(
        as_map(ink),
        buffers.blocks,
        limits,
        buffers.counts,
        buffers.lines,
        buffers.contrast,
        buffers.starts,
        buffers.borders,
        buffers.firsts,
    )
    contrast = np.stack([buffers.contrast[start : start + limits.stride] for start in buffers.starts])
    base = buffers.blocks.reshape(-1, limits.block_stride)
    for y in range(height):
        for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
            start, end = buffers.borders[2 * run : 2 * run + 2]
            most = take_contrast(contrast[y, :end], start, base[y // BLOCK], buffers.scale)
            assert most == contrast[y, start:end].max()
    grain = sorted((ink - paper)[::GRAIN_EVERY, : width // BLOCK * BLOCK].ravel())
    floor = min(3 * grain[(len(grain) + 1) // 2 - 1], 32)
    expected = np.zeros((height, width), np.int64)
    for y, x in np.ndindex(height, width):
        light, rise = 255 - int(paper[y, x]), int(ink[y, x]) - int(paper[y, x])
        if rise > floor and rise > light * least // 256:
            expected[y, x] = rise * (65280 // light) // 256
    np.testing.assert_array_equal(contrast[:, :width], expected)
    np.testing.assert_array_equal(numpy_parts.take_contrast(ink, paper, least), expected)
