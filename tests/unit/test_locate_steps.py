"""The steps of locating: every kernel against a slow and obvious one, and NumPy against the kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage
from stroke_pictures import stroke_picture

from edge_lpdpl.files.grey import INK_AUTO, SMALLEST_SIDE
from edge_lpdpl.page.boxes import Box, reading_order
from edge_lpdpl.page.buffers import LIGHT, make_buffers
from edge_lpdpl.page.kernels.contrast import find_paper, lowest_in_blocks, rise_above
from edge_lpdpl.page.kernels.entries import reduce_to_light_ink
from edge_lpdpl.page.kernels.parts import find_runs_again, number_parts, take_contrast
from edge_lpdpl.page.kernels.reduce import reduce
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import BLOCK, GRAIN_EVERY, LIFTED_SIDE, WORKING_SIDE
from edge_lpdpl.page.plain import parts as numpy_parts
from edge_lpdpl.page.settings import LocateSettings, limits_of, stride_of

seeds = st.integers(0, 2**32 - 1)


def as_map(picture: np.ndarray) -> np.ndarray:
    """A picture with the free bytes at the ends of its rows, flat."""
    height, width = picture.shape
    padded = np.zeros((height, stride_of(width)), np.uint8)
    padded[:, :width] = picture
    return padded.ravel()


@settings(max_examples=40)
@given(seeds, st.integers(8, 90), st.sampled_from([40, 320, 321, 650, 1290]))
def test_the_frame_shrinks_by_block_means_rounded_half_up(seed, short, long):
    frame = np.random.default_rng(seed).integers(0, 256, size=(short, long), dtype=np.uint8)
    limits = limits_of(LocateSettings(), short, long)
    factor = -(-long // WORKING_SIDE)
    expected = [
        [
            int(np.floor(frame[y : y + factor, x : x + factor].mean() + 0.5))
            for x in range(0, limits.width * factor, factor)
        ]
        for y in range(0, limits.height * factor, factor)
    ]
    for flip in (0, 255):
        out = np.zeros(limits.height * limits.stride, np.uint8)
        reduce(frame, 0, 0, 0, limits.height, limits, np.uint8(flip), make_buffers(limits).sums, out)
        np.testing.assert_array_equal(out.reshape(limits.height, -1)[:, : limits.width] ^ flip, expected)
    np.testing.assert_array_equal(numpy_parts.reduce(frame, limits), expected)


@settings(max_examples=40)
@given(seeds, st.integers(1, 30), st.integers(1, 30), st.floats(0.05, 0.95))
def test_parts_are_those_of_scipy(seed, height, width, share):
    picture = (np.random.default_rng(seed).random((height, width)) < share).astype(np.uint8)
    limits = limits_of(LocateSettings(), height, width)
    buffers = make_buffers(limits)
    buffers.share[limits.stride : -limits.stride] = as_map(picture)
    buffers.starts[:] = np.arange(1, height + 1) * limits.stride
    find_runs_again(buffers.share, buffers.starts, limits, buffers.borders, buffers.firsts)
    found = number_parts(height, buffers.borders, buffers.firsts, buffers.parts)
    labels = np.zeros((height, width), np.int64)
    for y in range(height):
        for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
            labels[y, buffers.borders[2 * run] : buffers.borders[2 * run + 1]] = buffers.parts[run] + 1
    expected, count = ndimage.label(picture, np.ones((3, 3)))
    assert found == count
    np.testing.assert_array_equal(labels, expected)  # both number them by their first pixels


@settings(max_examples=30)
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


@settings(max_examples=30)
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
        buffers.share,
        buffers.starts,
        buffers.borders,
        buffers.firsts,
    )
    share = np.stack([buffers.share[start : start + limits.stride] for start in buffers.starts])
    base = buffers.blocks.reshape(-1, limits.block_stride)
    for y in range(height):
        for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
            start, end = buffers.borders[2 * run : 2 * run + 2]
            most = take_contrast(share[y, :end], start, base[y // BLOCK], buffers.scale)
            assert most == share[y, start:end].max()
    grain = sorted((ink - paper)[::GRAIN_EVERY, : width // BLOCK * BLOCK].ravel())
    floor = min(3 * grain[(len(grain) + 1) // 2 - 1], 32)
    expected = np.zeros((height, width), np.int64)
    for y, x in np.ndindex(height, width):
        light, rise = 255 - int(paper[y, x]), int(ink[y, x]) - int(paper[y, x])
        if rise > floor and rise > light * least // 256:
            expected[y, x] = rise * (65280 // light) // 256
    np.testing.assert_array_equal(share[:, :width], expected)
    np.testing.assert_array_equal(numpy_parts.take_contrast(ink, paper, least), expected)


@settings(max_examples=20)
@given(seeds, st.integers(8, 70), st.integers(8, 70))
def test_where_dark_strokes_stand_out_the_ink_was_light(seed, height, width):
    frame = stroke_picture(seed, height, width, paper=70, noise=4)  # light strokes
    for shown in (frame, 255 - frame):
        limits = limits_of(LocateSettings(), height, width)
        buffers = make_buffers(limits)
        reduce_to_light_ink(shown, 0, 0, INK_AUTO, limits, buffers)
        light = numpy_parts.strokes_are_dark(255 - shown)
        assert buffers.found[LIGHT] == light
        inverted = shown if light else 255 - shown
        np.testing.assert_array_equal(buffers.ink.reshape(height, -1)[:, :width], inverted)


@settings(max_examples=25, deadline=None)
@given(
    seed=seeds,
    shape=st.sampled_from([(64, 64), (120, 160), (240, 330), (500, 200)]),
    noise=st.sampled_from([0, 4, 40]),
    polarity=st.sampled_from(["dark", "light", "auto"]),
)
def test_numpy_finds_and_lifts_what_the_kernels_do(seed, shape, noise, polarity):
    frame = 255 - stroke_picture(seed, *shape, paper=70, noise=noise)
    kernels, arrays = (Locator(*shape, LocateSettings(polarity=polarity), backend=name) for name in ("numba", "numpy"))
    boxes = kernels.locate(frame)
    assert arrays.locate(frame) == boxes
    assert arrays.unread() == kernels.unread()
    for place in range(len(boxes)):
        np.testing.assert_array_equal(arrays.lift(place), kernels.lift(place))
        assert arrays.strokes(place) == kernels.strokes(place)


boxes = st.builds(Box, st.integers(0, 600), st.integers(0, 400), st.integers(1, 99), st.integers(1, 99))


@given(st.lists(boxes, max_size=12))
def test_reading_order_reads_everything_once(boxes):
    assert sorted(reading_order(boxes)) == list(range(len(boxes)))


@pytest.mark.parametrize("slope", [-0.17, 0, 0.17])
def test_a_line_may_climb_or_fall_by_ten_degrees(slope):
    line = [Box(60 + 80 * place, round(200 + 80 * slope * place), 40, 50) for place in range(6)]
    assert reading_order(line[::-1]) == [5, 4, 3, 2, 1, 0]


def test_lines_are_read_from_the_top():
    upper, lower = [Box(x, 40, 40, 50) for x in (30, 130)], [Box(x, 160, 40, 50) for x in (30, 130)]
    assert reading_order([*lower, *upper]) == [2, 3, 0, 1]


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize("thick", range(4, 22, 3))
@pytest.mark.parametrize("long", [90, 130, 300, 440])
def test_a_lifted_numeral_is_never_too_thin_to_be_read(long, thick, backend):
    frame = np.full((480, 640), 200, np.uint8)
    frame[200 : 200 + thick, 90 : 90 + long] = 40
    locator = Locator(480, 640, backend=backend)
    for place, _ in enumerate(locator.locate(frame)):
        lifted = locator.lift(place)
        assert min(lifted.shape) >= SMALLEST_SIDE
        assert lifted.size <= LIFTED_SIDE**2
        assert lifted.max() > 100


@pytest.mark.parametrize("side", [20, 60, 130, 300, 440])
def test_a_lifted_numeral_is_small_however_large_it_is_written(side):
    frame = np.full((480, 640), 200, np.uint8)
    frame[20 : 20 + side, 300 : 306 + side // 12] = 40
    locator = Locator(480, 640)
    assert len(locator.locate(frame)) == (side <= 0.75 * 640)
    lifted = locator.lift(0)
    assert LIFTED_SIDE // 3 < lifted.shape[0] <= LIFTED_SIDE
    assert lifted.max() > 100
