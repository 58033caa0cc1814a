"""A number in doubt is read once more, from nearer, with all ink that may belong to it; what is sure there counts."""

from dataclasses import replace

import numpy as np
import pytest
from cards import sheet
from PIL import Image, ImageDraw, ImageFilter
from readings import reading_of

import edge_lpdpl
from edge_lpdpl.number.line_reader import INK_UNREAD
from edge_lpdpl.number.pictures import reader as pictures
from edge_lpdpl.number.pictures.nearer import Place, View
from edge_lpdpl.number.pictures.second_look import look_again
from edge_lpdpl.numeral.recogniser import UNSURE
from edge_lpdpl.page.boxes import RULES, TOO_SMALL, Box, Unread

LARGE = (2000, 3000)
"""Ten pixels of it become one."""
FARTHER = (100, 150)
"""As all of it is read from farther off: 20 pixels of it become one."""
ALL_PARTS = [(320, 320), (320, 640), (480, 960), (800, 1600), FARTHER]
"""Of it, as they are read around FIRST and LAST: one, two, three and five pixels become one."""
FIRST, LAST = Box(600, 700, 60, 100), Box(690, 700, 60, 100)
PAPER = 50
"""Around them, half as wide as they are high."""


def view_of(reading):
    return View(reading, [Place(Box(0, 0, *LARGE[::-1]), place) for place in range(len(reading.numerals))])


class Nearer:
    """Stands for a reader of parts that reads these numbers, with boxes in the picture, where FIRST is; and others from
    farther off."""

    def __init__(self, *numbers, farther=()):
        self.numbers, self.farther, self.parts = numbers, farther, []

    def __call__(self, height, width):
        self.parts.append((height, width))
        return self

    def read(self, part):
        if part.shape == FARTHER:
            shrunk = (
                (text, reason, [Box(*(side // 20 for side in box)) for box in boxes])
                for text, reason, boxes in self.farther
            )
            return reading_of(*shrunk)
        left, top = FIRST.x - PAPER, FIRST.y - PAPER
        moved = (
            (text, reason, [box._replace(x=box.x - left, y=box.y - top) for box in boxes])
            for text, reason, boxes in self.numbers
        )
        return reading_of(*moved)


def seen(reading):
    return [(number.text, number.reason) for number in reading.numbers]


def look(view, nearer, shape=LARGE, from_afar=10, least=0.9):
    return look_again(view, np.zeros(shape, np.uint8), from_afar, {"latin10": ".,-"}, {"latin10": least}, nearer)


IN_DOUBT = view_of(reading_of(("42", UNSURE, [FIRST, LAST])))


@pytest.mark.parametrize(
    ("nearer", "expected"),
    [
        ([("42", None, [FIRST, LAST])], ("42", None)),
        ([("47", None, [FIRST, LAST])], ("47", None)),
        ([("4.2", None, [FIRST, LAST])], ("4.2", None)),
        ([("412", None, [FIRST, LAST._replace(x=660, width=10), LAST])], ("412", None)),
        ([("47", UNSURE, [FIRST, LAST])], ("42", UNSURE)),
        ([("4", None, [FIRST])], ("42", UNSURE)),
        ([("4", None, [FIRST]), ("2", None, [LAST])], ("42", UNSURE)),
        ([], ("42", UNSURE)),
    ],
)
def test_one_number_that_is_sure_and_has_all_numerals_counts(nearer, expected):
    parts = Nearer(*nearer)
    assert seen(look(IN_DOUBT, parts).reading) == [expected]
    assert parts.parts == (ALL_PARTS[:1] if len(nearer) == 1 and expected[1] is None else ALL_PARTS)


def test_it_may_be_sure_from_farther_off():
    nearer = Nearer(("41", UNSURE, [FIRST, LAST]), farther=[("42", None, [FIRST, LAST])])
    view = look(IN_DOUBT, nearer)
    assert (seen(view.reading), nearer.parts) == ([("42", None)], ALL_PARTS)
    assert [one.box for one in view.reading.numerals] == [FIRST, LAST._replace(x=680)]
    assert view.places == [Place(Box(0, 0, 3000, 2000), place, 20) for place in range(2)]


@pytest.mark.parametrize(
    ("ink", "reason", "expected"),
    [
        (Box(665, 780, 10, 10), TOO_SMALL, ("42", UNSURE)),
        (Box(665, 780, 10, 10), RULES, ("42", None)),
        (Box(620, 720, 20, 40), TOO_SMALL, ("42", None)),
        (Box(800, 780, 10, 10), TOO_SMALL, ("42", None)),
    ],
)
def test_from_farther_off_a_point_may_be_too_small(ink, reason, expected):
    """It was ink that was not read, between the numerals."""
    view = view_of(reading_of(("42", UNSURE, [FIRST, LAST]), unread=[Unread(ink, reason)]))
    assert seen(look(view, Nearer(farther=[("42", None, [FIRST, LAST])])).reading) == [expected]


def test_a_part_is_read_once():
    """From farther off it is the whole picture."""
    below = [box._replace(y=1500) for box in (FIRST, LAST)]
    view, nearer = view_of(reading_of(("42", UNSURE, [FIRST, LAST]), ("28", UNSURE, below))), Nearer()
    look(view, nearer)
    assert nearer.parts == [*ALL_PARTS, *ALL_PARTS[:-1]]


def test_it_is_surer_than_others():
    """Numbers that were in doubt are wrong more often. Those of these readings are 0.9 sure."""
    for least, expected in ((0.9, ("47", None)), (0.91, ("42", UNSURE))):
        assert seen(look(IN_DOUBT, Nearer(("47", None, [FIRST, LAST])), least=least).reading) == [expected]


def test_it_comes_with_its_own_numerals_and_the_part_in_which_they_are_found_again():
    narrow = LAST._replace(x=660, width=10)
    view = look(IN_DOUBT, Nearer(("412", None, [FIRST, narrow, LAST])))
    assert [one.box for one in view.reading.numerals] == [FIRST, narrow, LAST]
    assert [view.reading.numerals[place].box for place in view.reading.numbers[0].numerals] == [FIRST, narrow, LAST]
    assert view.places == [Place(Box(550, 650, 320, 320), place) for place in range(3)]


def test_a_sign_is_not_sure_where_ink_was_unread():
    for text, expected in (("4.2", ("42", INK_UNREAD)), ("42", ("42", None))):
        view = view_of(reading_of(("42", INK_UNREAD, [FIRST, LAST])))
        assert seen(look(view, Nearer((text, None, [FIRST, LAST]))).reading) == [expected]


@pytest.mark.parametrize(("text", "expected"), [("42", ("4.2", UNSURE)), ("47", ("47", None))])
def test_a_sign_is_not_lost(text, expected):
    view = view_of(reading_of(("4.2", UNSURE, [FIRST, LAST])))
    assert seen(look(view, Nearer((text, None, [FIRST, LAST]))).reading) == [expected]


def test_pieces_of_a_number_become_one():
    view = view_of(reading_of(("4", UNSURE, [FIRST]), ("2", UNSURE, [LAST])))
    nearer = Nearer(("42", None, [FIRST, LAST]))
    assert seen(look(view, nearer).reading) == [("42", None)]
    assert len(nearer.parts) == 1


def test_beside_an_accepted_number_the_doubt_stays():
    view = view_of(reading_of(("4", None, [FIRST]), ("2", UNSURE, [LAST])))
    assert look(view, Nearer(("42", None, [FIRST, LAST]))).reading.numbers == view.reading.numbers


def test_ink_in_it_is_no_longer_unread_but_printed_rules_are():
    ink = Unread(Box(665, 720, 20, 40), "no_numeral")
    rules = Unread(Box(590, 690, 170, 120), RULES)
    other = Unread(Box(2000, 300, 50, 50), "no_numeral")
    view = view_of(reading_of(("42", UNSURE, [FIRST, LAST]), unread=[ink, rules, other]))
    assert look(view, Nearer(("42", None, [FIRST, LAST]))).reading.unread == [rules, other]


@pytest.mark.parametrize(
    ("other", "part"),
    [
        (Unread(Box(900, 740, 60, 60), "no_numeral"), (320, 640)),
        (Unread(Box(1100, 740, 60, 60), "no_numeral"), (320, 320)),
        (Unread(Box(600, 820, 150, 300), "no_numeral"), (640, 640)),
        (Unread(Box(450, 600, 900, 300), RULES), (800, 1600)),
        (Unread(Box(1300, 600, 900, 300), RULES), (320, 320)),
    ],
)
def test_ink_that_may_belong_to_it_and_its_printed_boxes_are_read_with_it(other, part):
    nearer = Nearer()
    look(view_of(reading_of(("42", UNSURE, [FIRST, LAST]), unread=[other])), nearer)
    assert nearer.parts[0] == part


@pytest.mark.parametrize(
    ("nearer", "expected"),
    [
        ([("42", None, [FIRST, LAST])], [("42", None)]),
        ([("42", UNSURE, [FIRST, LAST])], []),
        ([("4", None, [FIRST]), ("2", None, [LAST])], []),
    ],
)
def test_ink_in_printed_boxes_that_is_too_small_from_afar_is_read_from_nearer(nearer, expected):
    boxes, small = Unread(Box(590, 690, 170, 120), RULES), [Unread(box, TOO_SMALL) for box in (FIRST, LAST)]
    for unread, found in (([boxes, *small], expected), (small, []), ([boxes], [])):
        assert seen(look(view_of(reading_of(unread=unread)), Nearer(*nearer)).reading) == found


@pytest.mark.parametrize(
    ("shape", "from_afar", "ink"),
    [
        ((2000, 3000), 1, ()),
        ((15, 320), 1, ()),
        ((1000, 1200), 3, [Unread(Box(100, 600, 700, 300), "no_numeral")]),
    ],
)
def test_what_is_not_seen_better_from_elsewhere_is_not_read_again(shape, from_afar, ink):
    """A tile is not read from farther off, as the picture was, and nothing is left of one that is so low."""
    nearer, view = Nearer(), view_of(reading_of(("42", UNSURE, [FIRST, LAST]), unread=ink))
    assert look(view, nearer, shape, from_afar).reading.numbers == view.reading.numbers
    assert nearer.parts == []


@pytest.fixture(scope="module")
def reader():
    return edge_lpdpl.PictureReader(edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("latin10")))


def in_boxes(height, width, room=0):
    """A picture of 1600 pixels with 3628 in printed boxes; rules and digits are so wide and so high, with some more
    room between them."""
    pitch, left, top = 13 * height // 10, 694 - room - width // 2, 500 - height // 4
    bottom = 500 + height + height // 4
    image = Image.fromarray(sheet((1200, 1600), height, {(700 + pitch * n, 500): one for n, one in enumerate("3628")}))
    draw = ImageDraw.Draw(image)
    for x in range(left, left + 5 * pitch, pitch):
        draw.rectangle((x, top, x + width - 1, bottom), fill=90)
    for y in (top, bottom):
        draw.rectangle((left, y, left + 4 * pitch + width - 1, y + width - 1), fill=90)
    return np.asarray(image.filter(ImageFilter.GaussianBlur(1)))


def test_boxes_that_are_too_thick_are_told_from_farther_off(reader, monkeypatch):
    """In a picture of 640 pixels, of which two become one; the rules are twelve pixels thick."""
    large = Image.fromarray(in_boxes(120, 18, room=12))
    picture = np.asarray(large.crop((600, 320, 1560, 1040)).resize((640, 480)))
    reading = reader.read(picture)
    assert seen(reading) == [("3628", None)]
    assert len(reader.cut_outs()) == 4
    monkeypatch.setattr(pictures, "look_again", lambda view, *_: view)
    assert seen(reader.read(picture)) != [("3628", None)]


@pytest.mark.parametrize(("height", "width"), [(40, 3), (44, 4), (60, 8), (60, 10)])
def test_thin_and_thick_boxes_of_a_large_picture_are_told_from_digits(reader, height, width, monkeypatch):
    """Of the thin ones nothing is sure from afar; of the thick ones there are pieces from very near."""
    picture = in_boxes(height, width)
    reading = reader.read(picture)
    assert seen(reading) == [("3628", None)]
    assert len(reader.cut_outs()) == 4
    monkeypatch.setattr(pictures, "look_again", lambda view, *_: view)
    assert (seen(reader.read(picture)) == [("3628", None)]) == (height == 60)


def test_a_model_without_distances_does_not_look_again(reader, monkeypatch):
    """It accepts most of what is no numeral."""
    monkeypatch.setattr(pictures, "look_again", None)
    blind = replace(reader.recogniser.model, novelty=None, unsure_share=1.0)
    edge_lpdpl.PictureReader(edge_lpdpl.Recogniser(blind)).read(in_boxes(40, 3))


def test_accepted_numbers_are_not_read_again():
    nearer = Nearer()
    look(view_of(reading_of(("42", None, [FIRST, LAST]))), nearer)
    assert nearer.parts == []
