"""Numerals are found where they stand, and nothing else is."""

import numpy as np
import pytest

from edge_lpdpl.errors import ImageError
from edge_lpdpl.locate import Box, Locator


def paper(height: int = 480, width: int = 640, grey: int = 200) -> np.ndarray:
    return np.full((height, width), grey, np.uint8)


def test_blank_paper_has_nothing_on_it():
    assert Locator(480, 640).locate(paper()) == []


def test_strokes_above_each_other_are_one_character():
    frame = paper()
    for top in (100, 140, 180):
        frame[top : top + 6, 300:380] = 40
    assert Locator(480, 640).locate(frame) == [Box(300, 100, 80, 86)]


def test_numerals_in_a_row_are_read_from_the_left():
    frame = paper()
    for left in (400, 100, 250):
        frame[200:280, left : left + 8] = 40
    assert [box.x for box in Locator(480, 640).locate(frame)] == [100, 250, 400]


def test_numerals_in_a_column_are_read_from_the_top():
    frame = paper()
    for top in (300, 60, 180):
        frame[top : top + 60, 320:328] = 40
    assert [box.y for box in Locator(480, 640).locate(frame)] == [60, 180, 300]


def test_only_the_region_is_searched():
    frame = paper()
    frame[200:280, 100:108] = frame[200:280, 400:408] = 40
    assert [box.x for box in Locator(480, 640, region=Box(320, 0, 320, 480)).locate(frame)] == [400]


@pytest.mark.parametrize("frame", [np.zeros((64, 64), np.uint8), np.zeros((480, 640), np.float32)])
def test_another_frame_than_was_announced_is_refused(frame):
    with pytest.raises(ImageError):
        Locator(480, 640).locate(frame)
