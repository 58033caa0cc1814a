"""A single box around a number is taken out whatever its shape, unless a numeral may be such a frame."""

import pytest
from printed_rules import Card, boxes, left_of, seven, taken_out

from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.settings import LocateSettings

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["numba", "numpy"])
def backend(request):
    return request.param


@pytest.fixture(scope="module")
def locator(backend):
    return Locator(480, 640, backend=backend)


@pytest.fixture(scope="module")
def locator_of_frames(backend):
    return Locator(480, 640, LocateSettings(single_boxes=0), backend=backend)


@pytest.mark.parametrize("tilt", [-8, 0, 5])
@pytest.mark.parametrize(("wide", "high"), [(96, 130), (100, 100), (130, 90)])
def test_a_single_box_is_taken_out_and_the_digit_in_it_stays(locator, tilt, wide, high):
    alone, boxed = Card(tilt), Card(tilt)
    for card in (alone, boxed):
        seven(card, 217, 195)
    boxed.frame(198, 172, 198 + wide, 172 + high, width=3)
    expected = left_of(locator, alone)
    assert left_of(locator, boxed) == expected
    assert len(taken_out(locator, boxed)) == 1
    assert not locator.entries()


def empty(card):
    boxes(card, 1)


def open_on_one_side(card):
    card.line((120, 180), (220, 180))
    card.line((120, 280), (220, 280))
    card.line((120, 180), (120, 280))
    seven(card, 150, 205)


def with_a_bar_across(card):
    """As the 8 of a display."""
    card.frame(120, 140, 220, 280)
    card.line((120, 210), (220, 210))


def of_crossing_lines(card):
    card.line((80, 180), (260, 180))
    card.line((80, 280), (260, 280))
    card.line((120, 140), (120, 320))
    card.line((220, 140), (220, 320))
    seven(card, 150, 205)


def too_narrow(card):
    card.frame(120, 100, 220, 290)
    seven(card, 150, 150)


@pytest.mark.parametrize("draw", [empty, open_on_one_side, with_a_bar_across, of_crossing_lines, too_narrow])
def test_other_rectangles_stay(locator, draw):
    card = Card()
    draw(card)
    assert not taken_out(locator, card)


def four(card, left, top, size):
    """四, its frame as straight as a ruler."""
    card.frame(left, top, left + size, top + 0.8 * size, width=6)
    card.line((left + 0.35 * size, top), (left + 0.3 * size, top + 0.5 * size), width=6)
    card.line((left + 0.65 * size, top), (left + 0.7 * size, top + 0.5 * size), width=6)


@pytest.mark.parametrize("size", [50, 80, 120, 200])
def test_a_lone_character_with_a_frame_stays(locator_of_frames, size):
    card = Card(2)
    four(card, 200, 150, size)
    assert not taken_out(locator_of_frames, card)
    assert len(left_of(locator_of_frames, card)) == 1
