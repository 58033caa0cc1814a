"""Boxes end one past their last pixels, and each reason of the kernels has its word."""

from edge_lpdpl.page import parts_table
from edge_lpdpl.page.boxes import UNREAD_REASONS, Box


def test_a_box_ends_one_past_its_last_pixel():
    box = Box(3, 5, 10, 20)
    assert (box.right, box.bottom) == (13, 25)


def test_the_reasons_of_the_kernels_come_first_and_in_their_order():
    words = UNREAD_REASONS[: parts_table.PRINT]
    assert [getattr(parts_table, word.upper()) for word in words] == [1, 2, 3, 4, 5, 6, 7]
