"""Combs are taken out as boxes for one character each, and what is written in them or is none of them stays."""

import pytest
from printed_rules import Card, comb, left_of, seven, taken_out

from edge_lpdpl.page.locator import Locator

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["numba", "numpy"])
def locator(request):
    return Locator(480, 640, backend=request.param)


@pytest.mark.parametrize("tilt", [-8, 0, 3])
@pytest.mark.parametrize("tooth", [24, 40, 60])
@pytest.mark.parametrize("pen", [(2, 60), (3, 140), (6, 60)], ids=["thin", "grey", "thick"])
def test_a_comb_is_taken_out_and_the_digits_in_it_stay(locator, tilt, tooth, pen):
    alone, boxed = Card(tilt), Card(tilt)
    for card in (alone, boxed):
        for number in range(4):
            seven(card, 137 + number * 70, 200)
    comb(boxed, 5, tooth=tooth, width=pen[0], level=pen[1])
    expected = left_of(locator, alone)
    assert left_of(locator, boxed) == expected
    assert [entry[-1] for entry in locator.entries()] == [pytest.approx(35, abs=1)]


def test_what_stands_out_above_a_comb_is_in_its_boxes(locator):
    """They are open, so they are taken to be as high as wide: 70 pixels, where the teeth have 24."""
    card = Card()
    comb(card, 3, tooth=24)
    (box,) = taken_out(locator, card)
    assert box.height == pytest.approx(70, abs=4)
    assert box.bottom == pytest.approx(262, abs=2)


def test_a_numeral_may_cover_the_tooth_at_one_end(locator):
    card = Card()
    comb(card, 4)
    seven(card, 388, 190)
    seven(card, 388, 202, width=14)
    (box,) = taken_out(locator, card)
    assert box.x == pytest.approx(120, abs=4)
    assert box.right == pytest.approx(400, abs=4)


def with_a_tooth_missing(card):
    card.line((120, 260), (400, 260))
    for at in (120, 190, 330, 400):
        card.line((at, 260), (at, 220))


def of_unequal_teeth(card):
    card.line((120, 260), (400, 260))
    for number in range(5):
        card.line((120 + 70 * number, 260), (120 + 70 * number, 230 - 12 * number))


def with_a_tooth_at_one_end_alone(card):
    card.line((120, 260), (500, 260))
    for number in range(5):
        card.line((120 + 70 * number, 260), (120 + 70 * number, 220))


def of_one_box(card):
    comb(card, 1)


def of_dashes(card):
    comb(card, 4, tooth=0)
    for number in range(5):
        card.line((120 + 70 * number, 240), (120 + 70 * number, 200))


@pytest.mark.parametrize(
    "draw", [with_a_tooth_missing, of_unequal_teeth, with_a_tooth_at_one_end_alone, of_one_box, of_dashes]
)
def test_other_strokes_on_a_rule_stay(locator, draw):
    """Ones on an underline look like teeth: nobody writes them equally long, evenly apart, and at both of its ends."""
    card = Card()
    draw(card)
    locator.find(card.pixels())
    assert not locator.entries()
