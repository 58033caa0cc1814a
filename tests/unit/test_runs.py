"""Connected ink by runs: the same pixels as by going from neighbour to neighbour, whatever the shape."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_lpdpl import runs
from edge_lpdpl.settings import HogSettings, Preprocessing
from edge_lpdpl.workspace import MOST_RUNS, WORKING_SIDE, make_workspace


def connected_ink(picture: np.ndarray, threshold: int, low: int, speck: int) -> np.ndarray:
    """What the runs that are kept hold of a picture."""
    buffers = make_workspace(Preprocessing(), HogSettings())
    height, width = picture.shape
    grey = picture.ravel()
    runs.find_runs(grey, height, width, np.uint8(low), buffers.marks, buffers.borders, buffers.firsts)
    runs.join_runs(height, buffers.borders, buffers.firsts, buffers.parents)
    kept = runs.keep_runs(
        grey, height, width, threshold, speck, buffers.borders, buffers.firsts, buffers.parents, buffers.sizes
    )
    ink = np.zeros_like(picture)
    for y in range(height):
        for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
            inside = slice(buffers.borders[2 * run], buffers.borders[2 * run + 1])
            ink[y, inside] = picture[y, inside]
    assert kept == np.count_nonzero(ink)
    return ink


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32 - 1),
    height=st.integers(1, 30),
    width=st.integers(1, 40),
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
    """One line, a pixel wide, that turns inwards."""
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


@pytest.mark.parametrize("width", [1, 7, 8, 9, 63, 64, 65, WORKING_SIDE])
def test_runs_end_where_rows_do(width):
    picture = np.full((3, width), 200, np.uint8)
    np.testing.assert_array_equal(connected_ink(picture, 100, 5, 1), picture)


def test_there_is_room_for_as_many_runs_as_can_be():
    picture = np.zeros((WORKING_SIDE, WORKING_SIDE), np.uint8)
    picture[:, ::2] = 200
    assert (picture[:, ::2] > 0).sum() == MOST_RUNS
    np.testing.assert_array_equal(connected_ink(picture, 100, 5, 1), picture)
    picture[1::2] = np.roll(picture[1::2], 1, axis=1)  # a chessboard hangs together by its corners
    np.testing.assert_array_equal(connected_ink(picture, 100, 5, MOST_RUNS), picture)
