"""Boxes are read line by line, from the top."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.page.boxes import Box, reading_order

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
