"""Cents that are written small and high beside a price are none of its digits; uneven handwriting is one number; what
stands much farther away may be another one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.number.doubts.uneven import are_uneven, group_end, has_odd_point, has_wide_space
from edge_lpdpl.page.boxes import Box


def line(*digits: tuple[int, int], tilt: float = 0.0) -> list[Box]:
    """Digits 60 wide and 70 apart, each with the height of its head and of its foot over the line."""
    return [
        Box(70 * place, round(70 * place * tilt) - head, 60, head - foot) for place, (head, foot) in enumerate(digits)
    ]


@pytest.mark.parametrize("share", [0.4, 0.5, 0.6, 0.7, 0.75])
@pytest.mark.parametrize("tilt", [-0.3, 0.0, 0.3])
def test_cents_whose_heads_are_level_with_those_of_the_price_leave_a_doubt(share, tilt):
    cents = (100, round(100 - 100 * share))
    assert are_uneven(line((100, 0), (97, 2), cents, cents, tilt=tilt), tilt)


def test_an_exponent_and_an_index_leave_a_doubt():
    assert are_uneven(line((100, 0), (110, 60)), 0.0)
    assert are_uneven(line((100, 0), (35, -15)), 0.0)


@pytest.mark.parametrize(
    "digits",
    [
        [(100, 0), (75, 5), (100, 0)],  # a small one
        [(100, 0), (95, 20)],  # a short one, a little above the line
        [(100, 0), (100, 0), (75, 0), (70, 0)],  # two small ones on the line
        [(100, 0), (100, 0), (110, 15), (115, 20)],  # a line that bends upwards
        [(70, 0), (70, 0), (100, 5), (100, 30)],
    ],
)
def test_uneven_handwriting_leaves_none(digits):
    assert not are_uneven(line(*digits), 0.0)


def test_a_line_that_goes_down_is_no_raised_end():
    level = line(*[(100, 0)] * 5, tilt=0.3)
    assert are_uneven(level, 0.3) is False


def row(*gaps: int, width: int = 60) -> list[Box]:
    """Digits 100 high with these free spaces between them."""
    return [Box(sum(gaps[:place]) + place * width, 0, width, 100) for place in range(len(gaps) + 1)]


def test_a_space_of_a_digit_leaves_a_doubt():
    assert has_wide_space(row(90, 10))
    assert has_wide_space(row(10, 20, 110))
    assert has_wide_space(row(10, 100, 10, 20))
    assert has_wide_space(row(120, 10, 110))


@pytest.mark.parametrize("gaps", [(), (120,), (90, 80), (70, 10), (110, 100, 110)])
def test_narrower_and_even_spaces_and_two_digits_alone_leave_none(gaps):
    assert not has_wide_space(row(*gaps))


@given(st.lists(st.integers(-20, 80), max_size=8))
def test_spaces_as_the_readme_allows_them_leave_none(gaps):
    assert not has_wide_space(row(*gaps))


@pytest.mark.parametrize(
    ("gaps", "end"), [((10, 31, 20), 1), ((31, 20), 0), ((-20, 40, 10), 1), ((30, 20), None), ((90,), None), ((), None)]
)
def test_a_group_ends_where_one_space_is_clearly_wider_than_all_others(gaps, end):
    assert group_end(row(*gaps)) == end
    assert group_end(row(*gaps), 0.4) == (end if gaps and max(gaps) > 40 else None)


@given(st.lists(st.integers(-20, 80), min_size=2, max_size=8))
def test_no_other_space_is_nearly_as_wide_as_that_behind_a_group(gaps):
    end = group_end(row(*gaps))
    if end is not None:
        assert all(gaps[end] > 1.5 * max(other, 0) for place, other in enumerate(gaps) if place != end)


@pytest.mark.parametrize(
    ("left", "top", "is_odd"),
    [(150, 90, False), (166, 103, True), (166, 90, False), (190, 103, False), (150, 120, False)],
)
def test_a_point_straight_below_a_stroke_is_that_of_a_call(left, top, is_odd):
    """42.1 or 42!: the stroke is from 165 to 175, and ends at 100."""
    boxes = [Box(0, 0, 60, 100), Box(75, 0, 60, 100), Box(left, top, 10, 10), Box(165, 0, 10, 100)]
    assert has_odd_point("42.1", boxes) is is_odd
