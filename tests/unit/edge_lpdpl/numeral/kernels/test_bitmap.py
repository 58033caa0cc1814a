"""Connected ink in bitmaps: the same pixels as by a search from neighbour to neighbour, for any shape."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_python import examples

from edge_lpdpl.model.settings import HogSettings, Preprocessing
from edge_lpdpl.numeral.buffers import PICTURE_SIDE, make_workspace
from edge_lpdpl.numeral.kernels import bitmap

pytestmark = pytest.mark.slow


def connected_ink(picture: np.ndarray, threshold: int, low: int, speck: int) -> np.ndarray:
    """The pixels of a picture that the bitmap of kept parts holds."""
    buffers = make_workspace(Preprocessing(), HogSettings())
    height, width = picture.shape
    buffers.grey[: picture.size] = picture.ravel()
    buffers.ink[:] = 99
    words = bitmap.words_of(width)
    ink, seeds, part, kept, _ = buffers.bitmaps
    bitmap.mark_above(buffers.grey, height, width, np.uint8(low), ink)
    bitmap.mark_above(buffers.grey, height, width, np.uint8(threshold), seeds)
    kept[:] = 0
    pixels = bitmap.keep_parts(ink, seeds, part, height, words, speck, kept)
    bitmap.lift_pixels(buffers.grey, height, width, kept, buffers.ink)
    lifted = buffers.ink[: picture.size].reshape(picture.shape)
    assert not seeds.any()
    assert not part.any()
    assert pixels == np.count_nonzero(lifted)
    if pixels:
        rows, columns = lifted.any(axis=1).nonzero()[0], lifted.any(axis=0).nonzero()[0]
        assert bitmap.box_of(kept, height, words) == (rows[0], rows[-1] + 1, columns[0], columns[-1] + 1)
    return lifted


@settings(max_examples=examples(150))
@given(
    seed=st.integers(0, 2**32 - 1),
    height=st.integers(1, 30),
    width=st.integers(1, 40) | st.integers(60, 70) | st.integers(120, 140),
    density=st.sampled_from([0.02, 0.2, 0.4, 0.6, 0.95]),
    speck=st.integers(1, 12),
)
def test_parts_that_have_a_seed_and_are_no_speck_are_kept(seed, height, width, density, speck):
    random = np.random.default_rng(seed)
    picture = random.integers(30, 256, (height, width), np.uint8) * (random.random((height, width)) < density)
    picture = picture.astype(np.uint8)
    for threshold in (250, 128):
        expected = naive.connected_ink(picture, threshold, 29, speck)
        np.testing.assert_array_equal(connected_ink(picture, threshold, 29, speck), expected)


def spiral(side: int) -> np.ndarray:
    """A spiral, one pixel wide."""
    picture = np.zeros((side, side), np.uint8)
    y, x, down, right = 0, 0, 0, 1
    picture[0, 0] = 9
    turned = 0
    while turned < 2:
        ahead_y, ahead_x = y + down, x + right
        beyond_y, beyond_x = y + 2 * down, x + 2 * right
        inside = 0 <= ahead_y < side and 0 <= ahead_x < side
        beyond = picture[beyond_y, beyond_x] if 0 <= beyond_y < side and 0 <= beyond_x < side else 0
        if inside and not picture[ahead_y, ahead_x] and not beyond:
            y, x, turned = ahead_y, ahead_x, 0
            picture[y, x] = 9
        else:
            down, right, turned = right, -down, turned + 1
    return picture


@pytest.mark.parametrize("turn", range(4))
def test_a_spiral_is_one_part_by_a_single_seed(turn):
    picture = np.rot90(spiral(41), turn).copy()
    picture[tuple(np.argwhere(picture)[-1])] = 200
    np.testing.assert_array_equal(connected_ink(picture, 100, 5, 300), picture)


@pytest.mark.parametrize("width", [1, 7, 8, 9, 63, 64, 65, PICTURE_SIDE])
def test_runs_end_where_rows_do(width):
    picture = np.full((3, width), 200, np.uint8)
    np.testing.assert_array_equal(connected_ink(picture, 100, 5, 1), picture)


def test_the_largest_number_of_parts_is_handled():
    picture = np.zeros((PICTURE_SIDE, PICTURE_SIDE), np.uint8)
    picture[::2, ::2] = 200
    picture[10, 10:12] = 200
    np.testing.assert_array_equal(connected_ink(picture, 100, 5, 1), picture)
    expected = np.zeros_like(picture)
    expected[10, 10:13] = 200
    np.testing.assert_array_equal(connected_ink(picture, 100, 5, 2), expected)


def test_a_chessboard_hangs_together_by_its_corners():
    picture = np.zeros((PICTURE_SIDE, PICTURE_SIDE), np.uint8)
    picture[::2, ::2] = picture[1::2, 1::2] = 200
    np.testing.assert_array_equal(connected_ink(picture, 100, 5, picture.size // 2), picture)


def test_a_line_that_turns_at_every_third_pixel_is_one_part():
    """The worst case for sweeps up and down."""
    picture = np.zeros((PICTURE_SIDE, PICTURE_SIDE), np.uint8)
    for top in range(0, PICTURE_SIDE - 4, 4):
        picture[top : top + 3, ::2] = 200
        picture[top, 1::4] = picture[top + 2, 3::4] = 200
        picture[top + 3, 0 if top % 8 else PICTURE_SIDE - 2] = 200
    only = np.zeros_like(picture)
    only[0, 0] = 50
    np.testing.assert_array_equal(connected_ink(picture + only, 240, 5, picture.size // 3), picture + only)


@settings(max_examples=examples(50))
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.integers(1, 12), st.integers(1, 20) | st.integers(60, 70) | st.integers(120, 140)),
    ends=st.tuples(*[st.integers(-200, 200)] * 4),
)
def test_marks_around_a_box_are_taken_off(seed, shape, ends):
    picture = np.random.default_rng(seed).integers(0, 2, shape, np.uint8)
    height, words = shape[0], bitmap.words_of(shape[1])
    marks, lifted = np.zeros(height * words, np.int64), np.zeros(picture.size + 64, np.uint8)
    grey = np.concatenate([picture.ravel(), np.zeros(64, np.uint8)])
    bitmap.mark_above(grey, *shape, np.uint8(0), marks)
    top, bottom, left, right = ends
    bitmap.clear_around(marks, height, words, top, bottom, left, right)
    bitmap.lift_pixels(grey, *shape, marks, lifted)
    expected = np.zeros_like(picture)
    box = slice(max(top, 0), max(bottom, 0)), slice(max(left, 0), max(right, 0))
    expected[box] = picture[box]
    np.testing.assert_array_equal(lifted[: picture.size].reshape(shape), expected)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (5, 64), (7, 65), (3, 130)])
def test_the_rim_is_the_outermost_rows_and_columns(shape):
    grey = np.ones(np.prod(shape) + 64, np.uint8)
    ink, marks = np.zeros((2, shape[0] * bitmap.words_of(shape[1])), np.int64)
    bitmap.mark_above(grey, *shape, np.uint8(0), ink)
    bitmap.mark_rim(ink, *shape, marks)
    lifted = np.zeros_like(grey)
    bitmap.lift_pixels(grey, *shape, marks, lifted)
    expected = np.ones(shape, np.uint8)
    expected[1:-1, 1:-1] = 0
    np.testing.assert_array_equal(lifted[: expected.size].reshape(shape), expected)
