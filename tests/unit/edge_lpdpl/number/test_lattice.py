"""Strokes that may be one character are a candidate together; which characters there are, the script decides."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.lattice import MOST_JOINED, MOST_READINGS, Lattice, LatticeBuilder
from edge_lpdpl.number.lines import find_lines
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.page.locator import Locator


def leaning_apart() -> np.ndarray:
    """A page with two strokes, 80 pixels high, of which one falls to the left and one to the right."""
    frame = np.full((480, 640), 200, np.uint8)
    for row in range(80):
        frame[100 + row, 300 - row // 3 : 306 - row // 3] = 40
        frame[100 + row, 336 + row // 3 : 342 + row // 3] = 40
    return frame


def lattice_of(frame: np.ndarray, widest: float = 1.5) -> Lattice:
    """The lattice of the only line on a page of Chinese numerals."""
    locator, recogniser = Locator(480, 640), Recogniser.load(shipped_model("chinese15"))
    table = locator.find(frame)
    (line,) = find_lines(table)
    return LatticeBuilder(locator, recogniser, widest, widest + 0.5).build(table, line)


def test_strokes_that_lean_apart_may_be_one_character_and_may_be_two():
    lattice = lattice_of(leaning_apart())
    spans = {(one.first, one.last): one.read for one in lattice.candidates}
    assert {(0, 1), (1, 2), (0, 2)} == set(spans)
    assert (spans[0, 2].label, spans[0, 2].rejected) == ("八", False)


@pytest.mark.parametrize(("model", "text"), [("chinese15", "八"), ("latin10", "11")])
def test_they_are_one_character_where_the_script_has_one(model, text):
    (number,) = PageReader(Recogniser.load(shipped_model(model)), 480, 640).read(leaning_apart()).numbers
    assert (number.text, number.rejected) == (text, False)


def test_strokes_above_each_other_are_never_divided():
    frame = np.full((480, 640), 200, np.uint8)
    for top in (100, 140, 180):
        frame[top : top + 6, 300:380] = 40
    lattice = lattice_of(frame)
    assert [len(piece.members) for piece in lattice.pieces] == [3]
    assert [one.read.label for one in lattice.candidates] == ["三"]


def test_a_bar_that_is_a_numeral_beyond_doubt_is_not_cut():
    frame = np.full((480, 640), 200, np.uint8)
    for column in range(120):
        frame[200 + column // 12 : 212 + column // 12, 100 + column] = 40
    lattice = lattice_of(frame, widest=0.9)
    assert len(lattice.pieces) == 1
    assert [(one.read.label, one.cuts) for one in lattice.candidates] == [("一", 0)]


def test_what_may_be_one_character_is_joined_whole_however_often_it_is_cut():
    frame = np.full((480, 640), 200, np.uint8)
    frame[200:208, 100:220] = 40
    frame[180:228, 180:184] = 40  # a doubtful 一, with a stroke across it
    lattice = lattice_of(frame, widest=0.5)
    assert 2 < len(lattice.pieces) <= MOST_JOINED
    assert (0, len(lattice.pieces)) in {(one.first, one.last) for one in lattice.candidates}


@pytest.mark.parametrize(("middle", "cuts"), [([], 0), ([(240, 170)], 1)], ids=["slash", "hook"])
def test_a_slash_is_not_cut_into_two_digits(middle, cuts):
    """A % was a 9 and a 6. What turns back may be two digits that touch."""
    page = Image.new("L", (640, 480), 200)
    draw = ImageDraw.Draw(page)
    for left in (100, 150):
        draw.line([left, 180, left, 240], fill=40, width=6)
    draw.line([(217, 240), *middle, (256, 180)], fill=40, width=6)
    draw.ellipse([212, 178, 230, 203], outline=40, width=6)
    draw.ellipse([244, 215, 262, 240], outline=40, width=6)
    locator, recogniser = Locator(480, 640), Recogniser.load(shipped_model("latin10"))
    table = locator.find(np.asarray(page))
    (line,) = find_lines(table)
    builder = LatticeBuilder(locator, recogniser, 0.45, 1.35, digits=True)
    builder.build(table, line)
    assert len(builder.cuts) == cuts


def test_a_look_at_other_ink_is_a_reading_and_a_doubt_where_none_is_left():
    recogniser = Recogniser.load(shipped_model("chinese15"))
    builder = LatticeBuilder(Locator(480, 640), recogniser, 0.8, 1.6)
    blank, bar = np.full((2, 60, 60), 200, np.uint8)
    bar[28:34, 10:50] = 40
    builder.start()
    assert (builder.is_character(bar), builder.is_character(blank)) == (True, False)
    assert builder.taken == 2 / MOST_READINGS
    builder.start(0.0)
    assert builder.is_character(blank)
