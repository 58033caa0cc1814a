"""Boxes end one past their last pixels, and each reason of the kernels has its word."""

import pytest

from edge_lpdpl.page import parts_table
from edge_lpdpl.page.boxes import UNREAD_REASONS, Box, in_dotted_lines


def test_a_box_ends_one_past_its_last_pixel():
    box = Box(3, 5, 10, 20)
    assert (box.right, box.bottom) == (13, 25)


def test_the_reasons_of_the_kernels_come_first_and_in_their_order():
    words = UNREAD_REASONS[: parts_table.PRINT]
    assert [getattr(parts_table, word.upper()) for word in words] == [1, 2, 3, 4, 5, 6, 7]


def dotted(count: int, size: int = 4, apart: int = 8) -> list[Box]:
    return [Box(100 + apart * place, 200, size, size) for place in range(count)]


@pytest.mark.parametrize(
    ("dots", "found"),
    [
        pytest.param(dotted(12), 12, id="a dotted line"),
        pytest.param(dotted(5), 0, id="five dots"),
        pytest.param(dotted(12, apart=17), 0, id="specks that are far apart"),
        pytest.param(dotted(12, size=12, apart=20), 0, id="a row of numerals"),
        pytest.param([*dotted(12), Box(197, 196, 8, 8)], 13, id="with a corner"),
        pytest.param([*dotted(12), Box(197, 190, 12, 18)], 12, id="in front of a numeral"),
        pytest.param([box._replace(height=1) for box in dotted(12)], 0, id="dashes"),
    ],
)
def test_the_dots_of_a_dotted_line_follow_each_other(dots, found):
    assert len(in_dotted_lines([Box(0, 0, 60, 80), *dots], smallest=9)) == found
