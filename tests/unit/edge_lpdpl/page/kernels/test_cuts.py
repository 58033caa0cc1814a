"""Seams and groups: the kernels find what the NumPy searcher finds, to the last bit."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.plain.cuts import find_cuts


@pytest.fixture(scope="module")
def locators():
    return [Locator(240, 320, backend=backend) for backend in ("numba", "numpy")]


def scribble(seed, strokes):
    """A frame with dark strokes at random."""
    random = np.random.default_rng(seed)
    frame = np.full((240, 320), 200.0)
    for _ in range(strokes):
        (x, y), (dx, dy) = random.uniform(60, 180, 2), random.uniform(-40, 40, 2)
        for step in np.linspace(0, 1, 60):
            column, row = int(x + step * dx), int(y + step * dy)
            frame[max(row - 2, 0) : row + 2, max(column - 2, 0) : column + 2] = 40
    return (frame + random.normal(0, 1, frame.shape)).clip(0, 255).astype(np.uint8)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), strokes=st.integers(1, 8))
def test_both_searchers_cut_and_lift_the_same(locators, seed, strokes):
    frame = scribble(seed, strokes)
    table, same = (locator.find(frame) for locator in locators)
    assert table == same
    for row in range(len(table)):
        cuts, others = (locator.cut(row, part.FIRST_SEAM) for locator in locators)
        assert cuts == others
        ends = [part.LEFT_END, *(part.FIRST_SEAM + number for number in range(len(cuts))), part.RIGHT_END]
        for start, end in pairwise(ends):
            one, other = (locator.lift([(row, start, end)]) for locator in locators)
            assert (one is None) == (other is None)
            if one is not None and other is not None:
                assert one.row == other.row
                assert one.reason == other.reason
                assert np.array_equal(one.picture, other.picture)


def test_a_seam_separates_two_discs_at_their_neck():
    y, x = np.mgrid[0:20, 0:44]
    touching = ((x - 11) ** 2 + (y - 10) ** 2 < 110) | ((x - 32) ** 2 + (y - 10) ** 2 < 110)
    cost, seam = find_cuts(np.where(touching, 255, 0).astype(np.uint8), 1)[0]
    assert np.all(abs(seam - 21.5) < 4)
    assert cost < 255 * 8


def test_the_pieces_of_a_part_have_all_of_its_ink(locators):
    frame = scribble(3, 6)
    for locator in locators:
        table = locator.find(frame)
        for row, measures in enumerate(table):
            cuts = sorted((column, number) for number, (_, column) in enumerate(locator.cut(row, 2), 2))
            ends = [part.LEFT_END, *(number for _, number in cuts), part.RIGHT_END]
            lifted = [locator.lift([(row, *pair)]) for pair in pairwise(ends)]
            assert sum(one.row[part.AREA] for one in lifted if one) >= measures[part.AREA]


@pytest.mark.parametrize(("side", "cut"), [(196, True), (197, False)])
def test_what_is_larger_than_half_of_the_frame_is_not_cut(locators, side, cut):
    frame = np.full((240, 320), 200, np.uint8)
    frame[10 : 10 + side, 60 : 60 + side] = 40
    frame[18 : 2 + side, 68 : 52 + side] = 200
    for locator in locators:
        assert len(locator.find(frame)) == 1
        assert bool(locator.cut(0, part.FIRST_SEAM)) == cut
