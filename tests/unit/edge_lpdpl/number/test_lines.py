"""Parts are read line by line, from the top; those of a line may stand in any order in the table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.number.lines import are_divided, box_of, character_side, character_size, find_lines, without_crumbs
from edge_lpdpl.page import parts_table as part


def row(x: int, y: int, width: int = 40, height: int = 50) -> list[int]:
    """A filled rectangle, as a row of `edge_lpdpl.page.parts_table`."""
    area = width * height
    return [x, y, x + width, y + height, area, height, area - width, 200 * height, 0, max(width, height)]


def entry(left: int, top: int, right: int, bottom: int) -> list[int]:
    """A row of printed boxes, each 90 pixels wide, as a row of the unread ink."""
    return [left, top, right, bottom, part.RULES, 0, 0, 90]


rows = st.builds(row, st.integers(0, 600), st.integers(0, 400), st.integers(1, 99), st.integers(1, 99))


@given(st.lists(rows, max_size=12))
def test_every_part_but_a_crumb_is_in_one_line(table):
    assert sorted(place for line in find_lines(table) for place in line) == without_crumbs(table, character_size(table))


def test_crumbs_of_squared_paper_chain_no_rows():
    """A crossing between two rows is near to both of them."""
    upper, lower = row(100, 100), row(100, 300)
    crumbs = [[left, top, left + 2, top + 2, 3, 2, 1, 60, 0, 2] for left in (100, 180) for top in (60, 200, 420)]
    assert find_lines([upper, lower, *crumbs]) == [[0], [1]]


def test_a_thick_point_is_no_crumb():
    point = [120, 136, 124, 140, 16, 4, 12, 400, 0, 4]
    assert [sorted(line) for line in find_lines([row(100, 100, 4, 40), row(140, 100, 4, 40), point])] == [[0, 1, 2]]


@pytest.mark.parametrize(("length", "side"), [(30, 20), (24, 20), (60, 10)])
def test_a_part_is_as_large_as_it_is_high_only_where_its_strokes_are_those_of_several_characters(length, side):
    """A slanted stroke is no longer than its two sides together."""
    runs, shared, area = 10, 100 + 10 - length, 100
    assert character_side([0, 0, 20, 10, area, runs, shared, 0, 0, 0]) == side


@pytest.mark.parametrize("slope", [-0.17, 0, 0.17])
def test_a_line_may_climb_or_fall_by_ten_degrees(slope):
    line = [row(60 + 80 * place, round(200 + 80 * slope * place)) for place in range(6)]
    assert [sorted(parts) for parts in find_lines(line)] == [[0, 1, 2, 3, 4, 5]]


def test_lines_are_read_from_the_top():
    upper, lower = [row(x, 40) for x in (30, 130)], [row(x, 160) for x in (30, 130)]
    assert find_lines([*lower, *upper]) == [[2, 3], [0, 1]]


def test_lines_beside_each_other_are_read_from_the_left():
    assert find_lines([row(400, 110), row(100, 125), row(300, 300)]) == [[1], [0], [2]]


def test_numerals_in_a_column_are_lines_of_their_own():
    assert find_lines([row(320, 340), row(320, 40), row(320, 190)]) == [[1], [2], [0]]


@pytest.mark.parametrize(("gap", "lines"), [(62, 1), (63, 2)])
def test_a_line_ends_where_the_gap_is_wider_than_a_character_and_a_quarter(gap, lines):
    assert len(find_lines([row(100, 100), row(140 + gap, 100)])) == lines


@pytest.mark.parametrize("narrower", [0, 30])
@pytest.mark.parametrize(("middle", "other", "lines"), [(120, 255, 1), (95, 265, 1), (140, 274, 1), (120, 274, 2)])
def test_a_line_in_printed_boxes_goes_on_from_box_to_box(middle, other, lines, narrower):
    """Numerals in boxes side by side may be at their far walls. Else their middles are at most one and a half boxes of
    90 pixels apart, because one may be beside its box."""
    boxes, upright = entry(0, 90, 400, 160), row(other - 20 + narrower // 2, 100)
    upright[part.RIGHT] -= narrower
    assert len(find_lines([row(middle - 20, 100), upright], [boxes])) == lines


def test_numerals_in_a_row_of_boxes_are_one_line_however_high_they_stand():
    assert len(find_lines([row(100, 95), row(190, 135)], [entry(0, 80, 400, 190)])) == 1
    assert len(find_lines([row(100, 95), row(150, 135)])) == 2


@pytest.mark.parametrize("boxes", [[entry(0, 90, 190, 160)], [entry(0, 300, 400, 370)], [entry(0, 90, 180, 160)] * 2])
def test_boxes_tell_nothing_of_what_is_not_in_them(boxes):
    assert len(find_lines([row(100, 100), row(230, 100)], boxes)) == 2


@pytest.mark.parametrize("divider", [[170, 80, 174, 160], [174, 80, 170, 160]])
def test_a_line_ends_at_a_wall_of_a_table(divider):
    one, other = row(120, 100), row(180, 100)
    assert find_lines([one, other], [], [divider]) == [[0], [1]]
    beside = [[170, 200, 172, 280], [300, 80, 300, 160], [100, 90, 260, 90]]
    assert find_lines([one, other, row(240, 100)], [], [divider]) == [[0, 1, 2]]
    assert find_lines([one, other], [], beside) == [[0, 1]]


edges = st.builds(row, *[st.integers(0, 60)] * 2, *[st.integers(2, 40).map(lambda side: 2 * side)] * 2)
dividers = st.tuples(*[st.integers(0, 90)] * 4).filter(lambda one: one[:2] != one[2:])


@given(edges, edges, dividers)
def test_what_is_divided_has_its_middles_on_two_sides(one, other, divider):
    """The straight line between the middles meets the divider: both can be found at shares of their lengths."""
    start, end = (np.array([left + right, top + bottom]) / 2 for left, top, right, bottom, *_ in (one, other))
    first, last = np.array(divider[:2]), np.array(divider[2:])
    sides = np.array([end - start, first - last]).T
    if abs(np.linalg.det(sides)) > 1e-9:
        shares = np.linalg.solve(sides, first - start)
        if np.abs(shares * (1 - shares)).min() > 1e-9:
            assert are_divided(one, other, [divider]) == bool(((shares > 0) & (shares < 1)).all())


@pytest.mark.parametrize(("down", "lines"), [(30, 1), (31, 2)])
def test_neighbours_are_nearly_as_high(down, lines):
    """Their middles differ by three fifths of a character at most."""
    assert len(find_lines([row(100, 100), row(160, 100 + down)])) == lines


def test_parts_are_in_a_line_through_those_between_them():
    assert [sorted(line) for line in find_lines([row(0, 100), row(200, 100), row(100, 100)])] == [[0, 1, 2]]


def test_bars_above_each_other_are_as_large_as_they_are_wide():
    """Their strokes together are as long as those of characters that touch."""
    bars = [row(110, 100, 60, 6), row(100, 140, 80, 6)]
    assert box_of(bars)[:4] == [100, 100, 180, 146]
    assert character_side(box_of(bars)) == 80
