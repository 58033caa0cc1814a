"""Printed rules are taken out and writing is not; the kernels find what the NumPy searcher finds, to the last bit."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from printed_rules import Card, boxes, comb, left_of, seven, taken_out
from worst_frames import WORST

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.buffers import WALLS_TRIED
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.settings import LocateSettings

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def locators():
    return [Locator(480, 640, backend=backend) for backend in ("numba", "numpy")]


@pytest.mark.parametrize("tilt", [-15, 0, 4, 15])
@pytest.mark.parametrize("free", [None, 2, 9, 40], ids=["joined", "side by side", "separate", "far apart"])
@pytest.mark.parametrize("pen", [(3, 60), (3, 140), (6, 60)], ids=["thin", "grey", "thick"])
def test_a_row_of_boxes_is_taken_out_and_the_digits_in_it_stay(locators, tilt, free, pen):
    alone, boxed = Card(tilt), Card(tilt)
    apart = 0 if free is None else pen[0] + free
    for card in (alone, boxed):
        for number in range(4):
            seven(card, 140 + number * (80 + apart), 195)
    boxes(boxed, 4, apart=apart, width=pen[0], level=pen[1])
    for locator in locators:
        assert left_of(locator, boxed) == left_of(locator, alone)


@pytest.mark.parametrize("pen", [(2, 60), (3, 140), (4, 160)], ids=["thin", "grey", "thick"])
@pytest.mark.parametrize("down", range(-2, 3))
def test_a_stroke_that_lies_on_a_rule_stays(locators, pen, down):
    """The upper stroke of a seven: without it, the seven is a one."""
    card = Card()
    boxes(card, 4, width=pen[0], level=pen[1])
    seven(card, 144, 180 + down, width=6)
    for locator in locators:
        (box,) = left_of(locator, card)
        assert box.width >= 36


@pytest.mark.parametrize(("side", "high", "cell"), [(80, 80, 40), (80, 60, 40), (120, 60, 0)])
def test_boxes_for_single_characters_are_known_by_their_shape(locators, side, high, cell):
    card = Card()
    for left in range(120, 120 + 4 * side, side):
        card.frame(left, 180, left + side, 180 + high)
    for locator in locators:
        locator.find(card.pixels())
        cells = [entry[-1] for entry in locator.entries()]
        assert cells == ([pytest.approx(cell, abs=1)] if cell else [])


@pytest.mark.parametrize(("count", "apart"), [(2, 30), (5, 15), (5, 50)])
def test_boxes_that_do_not_touch_are_one_row(locators, count, apart):
    """Their cells are as wide as from one box to the next."""
    card = Card(3)
    boxes(card, count, left=80, side=56, apart=apart)
    for locator in locators:
        locator.find(card.pixels())
        assert [entry[-1] for entry in locator.entries()] == [pytest.approx((56 + apart) / 2, abs=1)]


def test_fields_that_do_not_touch_are_taken_out_and_divide_numbers(locators):
    """So do none of the walls inside a field, which may be boxes for its digits."""
    card, left = Card(3), 60
    for wide in (110, 110, 240):
        card.frame(left, 180, left + wide, 250)
        card.line((left + wide // 2, 180), (left + wide // 2, 250))
        left += wide + 40
    for locator in locators:
        assert len(taken_out(locator, card)) == 1
        assert not locator.entries()
        assert len(locator.dividers()) == 2 + 4


@pytest.mark.parametrize("shape", ["of another width", "the zeros of a display", "one"])
def test_rectangles_that_are_no_row_of_boxes_stay(locators, shape):
    """Nothing tells a single one from a numeral."""
    wide = {"of another width": [60, 90, 60], "the zeros of a display": [38] * 4, "one": [60]}[shape]
    card, left = Card(), 100
    for one in wide:
        card.frame(left, 180, left + one, 250)
        left += one + 30
    for locator in locators:
        assert not taken_out(locator, card)
        assert len(left_of(locator, card)) == len(wide)


@pytest.mark.parametrize("count", [2, 3, 9])
def test_the_frame_is_listed_once(locators, count):
    card = Card()
    boxes(card, count, left=60, side=56)
    for locator in locators:
        (box,) = taken_out(locator, card)
        assert abs(box.x - 58) <= 4
        assert abs(box.width - 56 * count) <= 8


def test_cells_go_on_where_a_rule_is_covered(locators):
    card = Card()
    boxes(card, 4)
    card.line((122, 262), (204, 262), width=24, level=100)
    for locator in locators:
        (box,) = taken_out(locator, card)
        assert abs(box.x - 118) <= 4
        assert abs(box.width - 324) <= 8


def test_a_long_field_is_taken_out(locators):
    card = Card(3)
    card.frame(150, 200, 450, 270)
    seven(card, 280, 210)
    for locator in locators:
        assert len(taken_out(locator, card)) == 1
        assert len(left_of(locator, card)) == 1


def test_boxes_that_stand_on_a_line_of_ruled_paper_are_taken_out(locators):
    card = Card(3)
    card.line((-100, 260), (740, 260), width=3, level=150)
    boxes(card, 4)
    seven(card, 140, 195)
    for locator in locators:
        assert len(taken_out(locator, card)) == 1
        assert len(left_of(locator, card)) == 1


def test_a_table_is_taken_out(locators):
    card = Card(-3)
    for row in range(3):
        boxes(card, 5, left=100, top=100 + 70 * row, side=70)
    for row in range(3):
        seven(card, 190, 112 + 70 * row)
    for locator in locators:
        assert len(taken_out(locator, card)) == 3
        assert len(left_of(locator, card)) == 3


def test_a_stroke_that_crosses_a_rule_stays_whole(locators):
    card = Card()
    boxes(card, 3)
    card.line((160, 195), (160, 290), width=8)
    card.line((260, 195), (225, 290), width=8)
    for locator in locators:
        upright, slanted = sorted(left_of(locator, card))
        assert upright.height >= 90
        assert slanted.height >= 90


@pytest.mark.parametrize("level", [150, 165])
def test_a_fainter_mark_across_a_wall_leaves_no_ink_of_it(locators, level):
    card = Card()
    card.line((188, 220), (212, 220), width=4, level=level)
    boxes(card, 3)
    for locator in locators:
        assert not [box for box in map(locator.box, locator.find(card.pixels())) if box.x < 200 < box.right]


@pytest.mark.parametrize("tilt", [2, 7])
def test_a_line_of_ruled_paper_is_not_cut_into_bars_between_the_walls(locators, tilt):
    card = Card(tilt)
    card.line((-100, 224), (740, 228), width=3, level=150)
    boxes(card, 3)
    for locator in locators:
        assert not left_of(locator, card)


def test_a_stroke_that_touches_a_rule_loses_no_more_than_the_rule(locators):
    card = Card()
    boxes(card, 3)
    card.line((160, 200), (160, 260), width=8)
    for locator in locators:
        (stroke,) = left_of(locator, card)
        assert 50 <= stroke.height <= 62


@pytest.mark.parametrize("aside", [-4, 0])
@pytest.mark.parametrize("end", [120, 440], ids=["first wall", "last wall"])
@pytest.mark.parametrize("cells", [1, 4], ids=["field", "boxes"])
def test_a_one_that_stands_on_a_wall_stays(locators, cells, end, aside):
    card = Card()
    for cell in range(cells):
        card.frame(120 + cell * 320 / cells, 180, 120 + (cell + 1) * 320 / cells, 260, width=3, level=130)
    card.line((end + aside, 195), (end + aside, 245), width=6, level=60)
    for locator in locators:
        assert taken_out(locator, card)
        (one,) = left_of(locator, card)
        assert 48 <= one.height <= 84  # pixels; no more than the one and the wall


@pytest.mark.parametrize("shadow", [(268, 292), (270, 300), (260, 284)], ids=["both sides", "right", "left"])
def test_a_wall_in_a_narrow_shadow_is_taken_out(locators, shadow):
    card = Card()
    boxes(card, 4, width=3, level=130)
    shaded = card.pixels().astype(float)
    shaded[:, slice(*shadow)] *= 0.88
    card.image = Image.fromarray(shaded.astype(np.uint8))
    for locator in locators:
        assert taken_out(locator, card)
        assert not [box for box in left_of(locator, card) if 180 < box.y + box.height / 2 < 260]


def test_a_ruled_line_through_boxes_is_neither_their_top_nor_their_bottom(locators):
    card = Card()
    boxes(card, 4)
    card.line((-20, 236), (660, 236), width=3, level=120)
    for locator in locators:
        (frame,) = taken_out(locator, card)
        assert abs(np.array([frame.y, frame.bottom]) - (178, 262)).max() <= 4  # pixels


def test_bars_stay_and_so_does_a_row_of_them(locators):
    card = Card(2)
    for number, bars in enumerate([1, 2, 3, 2, 1]):
        for bar in range(bars):
            at = 100 + 80 * number
            card.line((at, 200 + 24 * bar), (at + 64, 200 + 24 * bar), width=7)
    for locator in locators:
        assert not taken_out(locator, card)
        assert len(left_of(locator, card)) == 9


def test_the_digits_of_a_number_are_no_walls_between_ruled_lines(locators):
    card = Card()
    for y in (160, 240, 320):
        card.line((-10, y), (650, y), width=2, level=150)
    for x in (200, 300):
        card.line((x, 160), (x, 240), width=6, level=40)
    for locator in locators:
        assert not taken_out(locator, card)


def sevens(card, top=200):
    for number in range(4):
        seven(card, 200 + 50 * number, top)


@pytest.mark.parametrize("tilt", [-15, 0, 4])
@pytest.mark.parametrize("below", [-3, 8, 20], ids=["touching", "near", "apart"])
def test_an_underline_is_taken_out_and_the_digits_on_it_stay(locators, tilt, below):
    alone, underlined = Card(tilt), Card(tilt)
    for card in (alone, underlined):
        sevens(card)
    underlined.line((180, 250 + below), (410, 250 + below))
    for locator in locators:
        assert len(taken_out(locator, underlined)) == 1
        found, wanted = (np.array(left_of(locator, card)) for card in (underlined, alone))
        assert found.shape == wanted.shape == (4, 4)
        assert abs(found - wanted).max() <= 8  # pixels: as thick as the underline with its edges


@pytest.mark.parametrize(
    "line",
    [
        [(180, 225), (410, 225)],
        [(180, 194), (410, 194)],
        [(180, 258), (300, 258)],
        [(180, 330), (410, 330)],
        [(180, 258), (270, 258), (270, 400), (280, 258), (410, 258)],
    ],
    ids=["crossed out", "above", "under half of the number", "far below", "with a stroke below"],
)
def test_another_line_stays(locators, line):
    card = Card()
    sevens(card)
    card.line(*line)
    for locator in locators:
        assert not taken_out(locator, card)


def test_no_underline_is_taken_out_where_a_bar_is_a_character():
    card = Card()
    sevens(card)
    card.line((180, 258), (410, 258))
    for backend in ("numba", "numpy"):
        locator = Locator(480, 640, LocateSettings(shortest_underline=0), backend=backend)
        assert not taken_out(locator, card)


def scribble(seed, strokes, frames, underlines=0):
    """Random strokes, and frames of random size, some with walls."""
    random = np.random.default_rng(seed)
    card = Card(random.uniform(-18, 18))
    for _ in range(strokes):
        points = random.uniform(80, 400, 2) + random.uniform(-60, 60, (4, 2))
        card.line(*points, width=int(random.integers(3, 12)), level=int(random.integers(20, 120)))
    for _ in range(frames):
        (left, top), side, count = random.uniform(60, 300, 2), random.uniform(24, 120), int(random.integers(1, 6))
        pen = {"width": int(random.integers(1, 8)), "level": int(random.integers(30, 170))}
        boxes(card, count, left, top, side, random.choice([0, 0, 0.1, 0.6]) * side, **pen)
        if random.random() < 0.3:  # a field beside them
            card.frame(left - 2.6 * side, top, left - 0.5 * side, top + side, **pen)
        if random.random() < 0.5:
            comb(card, count, left, top - 30, side, side * random.uniform(0.2, 1), **pen)
    for _ in range(underlines):
        left, top = random.uniform(60, 300, 2)
        long, below = random.uniform(120, 320), 50 + random.uniform(-10, 30)
        for x in np.arange(left, left + long * random.uniform(0.4, 1), 50):
            seven(card, x, top)
        card.line((left - 10, top + below), (left + long, top + below), width=int(random.integers(2, 8)))
    noise = random.normal(0, random.uniform(0, 6), (480, 640))
    return (card.pixels() + noise).clip(0, 255).astype(np.uint8)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), strokes=st.integers(0, 8), frames=st.integers(0, 3), underlines=st.integers(0, 3))
@example(seed=0, strokes=0, frames=1, underlines=0)
@example(seed=1, strokes=0, frames=0, underlines=2)
def test_both_searchers_take_the_same_out(locators, seed, strokes, frames, underlines):
    frame = scribble(seed, strokes, frames, underlines)
    table, same = (locator.find(frame) for locator in locators)
    assert table == same
    assert locators[0].unread() == locators[1].unread()
    assert locators[0].dividers() == locators[1].dividers()
    for row in range(len(table)):
        for uncovered in (False, True):
            one, other = (locator.lift([(row, part.LEFT_END, part.RIGHT_END)], uncovered) for locator in locators)
            assert one is not None
            assert other is not None
            assert np.array_equal(one.picture, other.picture)
            assert one.doubt == other.doubt


def test_strokes_of_walls_outside_of_the_frame_belong_to_no_other_wall():
    """Grain that looks like a frame as wide as the page (found by fuzzing)."""
    image = Image.new("L", (160, 96), 200)
    ImageDraw.Draw(image).line((56, 22, 101, 77), fill=112, width=1)
    frame = (np.asarray(image) + np.random.default_rng(13).integers(-26, 27, (96, 160))).clip(0, 255)
    seen = LocateSettings(shortest_underline=0, largest_dot=0)
    found = [Locator(96, 160, seen, backend=backend) for backend in ("numba", "numpy")]
    tables = [locator.find(frame.astype(np.uint8)) for locator in found]
    assert tables[0] == tables[1]
    assert found[0].unread() == found[1].unread()


def test_rules_are_taken_out_of_frames_of_every_shape():
    card = Card()
    boxes(card, 3, left=20, top=20, side=40, width=2)
    for height, width in [(90, 150), (81, 161), (480, 150)]:
        found = [Locator(height, width, backend=backend) for backend in ("numba", "numpy")]
        frame = np.ascontiguousarray(card.pixels()[:height, :width])
        tables = [locator.find(frame) for locator in found]
        assert tables[0] == tables[1]
        assert found[0].unread() == found[1].unread()
        assert [one.reason for one in found[0].unread()].count("rules") == 1


@pytest.mark.parametrize(("name", "whole"), [("a table of boxes", False), ("a narrow table", True)])
def test_a_table_is_searched_whole_and_writing_in_rows_not_for_ever(locators, name, whole):
    frame = WORST[name]()
    tables = [locator.find(frame) for locator in locators]
    assert tables[0] == tables[1]
    assert locators[0].unread() == locators[1].unread()
    assert locators[0].dividers() == locators[1].dividers()
    tried = locators[0]._searcher.buffers.found[WALLS_TRIED]
    assert 0 < tried < rule.MOST_TRIED if whole else tried == rule.MOST_TRIED


@pytest.mark.parametrize("apart", [6, 8])
def test_a_one_that_leans_on_a_wall_is_no_second_wall(locators, apart):
    """Walls of neighbouring boxes stand side by side, but either everywhere or nowhere."""
    card, side = Card(1), 50
    boxes(card, 5, side=side, apart=apart, width=2)
    end = 120 + 5 * side + 4 * apart
    card.line((end - 3, 188), (end - 8, 228), width=3)
    for locator in locators:
        (box,) = left_of(locator, card)
        assert box.height >= 36
