"""The steps of locating: every kernel against a slow and obvious one, and NumPy against the kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage
from stroke_pictures import stroke_picture

from edge_lpdpl.locate import Box, LocateSettings, Locator, numpy_parts
from edge_lpdpl.locate.buffers import light_scale, make_buffers, stride_of
from edge_lpdpl.locate.contrast import take_contrast
from edge_lpdpl.locate.limits import limits_of
from edge_lpdpl.locate.parts import find_runs, join_runs
from edge_lpdpl.locate.parts_table import WORKING_SIDE
from edge_lpdpl.locate.reading_order import reading_order
from edge_lpdpl.locate.reduce import reduce

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
    out = np.zeros(limits.height * stride_of(limits.width), np.uint8)
    reduce(frame, 0, 0, limits, stride_of(limits.width), np.zeros(limits.width * factor, np.uint32), out)
    np.testing.assert_array_equal(out.reshape(limits.height, -1)[:, : limits.width], expected)
    np.testing.assert_array_equal(numpy_parts.reduce(frame, limits), expected)


@settings(max_examples=40)
@given(seeds, st.integers(1, 30), st.integers(1, 30), st.floats(0.05, 0.95))
def test_parts_are_those_of_scipy(seed, height, width, share):
    picture = (np.random.default_rng(seed).random((height, width)) < share).astype(np.uint8)
    most = height * (width // 2 + 1)
    starts, ends, parts = (np.zeros(most, np.int32) for _ in range(3))
    runs = find_runs(as_map(picture), starts, ends)
    found = join_runs(starts, ends, parts, runs, stride_of(width))
    labels = np.zeros((height, stride_of(width)), np.int64)
    for run in range(runs):
        labels.ravel()[starts[run] : ends[run]] = parts[run] + 1
    expected, count = ndimage.label(picture, np.ones((3, 3)))
    assert found == count
    np.testing.assert_array_equal(labels[:, :width], expected)  # both number them by their first pixels


@settings(max_examples=30)
@given(seeds, st.integers(8, 40), st.integers(8, 40), st.integers(0, 80))
def test_contrast_is_the_share_of_the_light(seed, height, width, least):
    dice = np.random.default_rng(seed)
    paper = dice.integers(0, 200, size=(height, width), dtype=np.uint8)
    ink = (paper + dice.integers(0, 55, size=(height, width)) * (dice.random((height, width)) < 0.3)).astype(np.uint8)
    limits = limits_of(LocateSettings(), height, width)._replace(least_contrast=least)
    buffers = make_buffers(limits)
    arguments = as_map(ink), as_map(paper), limits, stride_of(width), buffers.counts, light_scale(), buffers.share
    take_contrast(*arguments)
    floor = 3 * sorted((ink - paper)[::8].ravel())[(ink[::8].size + 1) // 2 - 1]
    expected = np.zeros((height, width), np.int64)
    for y, x in np.ndindex(height, width):
        light, rise = 255 - int(paper[y, x]), int(ink[y, x]) - int(paper[y, x])
        if rise > floor and rise > light * least // 256:
            expected[y, x] = rise * (65280 // light) // 256
    np.testing.assert_array_equal(buffers.share.reshape(height, -1)[:, :width], expected)
    np.testing.assert_array_equal(numpy_parts.take_contrast(ink, paper, least), expected)


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
    for place in range(len(boxes)):
        np.testing.assert_array_equal(arrays.lift(frame, place), kernels.lift(frame, place))


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
