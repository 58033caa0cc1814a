"""Digits among letters are letters; a number of which one digit is rejected stays one."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.reader import PageReader
from edge_lpdpl.page.rejection import without_letters

HEIGHT = 60
BESIDE, FARTHER = Box(145, 110, 40, HEIGHT), Box(155, 110, 40, HEIGHT)


def readings_of(pattern: str) -> list[Recognition]:
    """A reading for each character, x for what is rejected."""
    return [Recognition("0", 0, 0.99, one == "x", "9", np.zeros(10, np.float32), 1e-5, 0.4) for one in pattern]


def row(count: int) -> list[Box]:
    return [Box(100 + 50 * place, 100, 40, HEIGHT) for place in range(count)]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("0", "0"),
        ("00", "00"),
        ("0x", "xx"),
        ("0x0", "0x0"),
        ("x0x", "xxx"),
        ("00x0", "00x0"),
        ("x00x", "xxxx"),
    ],
)
def test_a_word_of_which_half_is_rejected_is_no_number(pattern, left):
    kept = without_letters(readings_of(pattern), row(len(pattern)))
    assert "".join("x" if one.rejected else "0" for one in kept) == left
    assert all(one.novelty > 1 for one, was in zip(kept, pattern, strict=True) if one.rejected and was == "0")


@pytest.mark.parametrize(
    ("other", "rejected"),
    [(BESIDE, True), (FARTHER, False), (Box(100, 165, 40, HEIGHT), False), (Box(145, 150, 8, 10), False)],
    ids=["letter", "farther", "below", "speck"],
)
def test_only_what_is_as_high_and_beside_it_is_of_its_word(other, rejected):
    assert without_letters(readings_of("0x"), [Box(100, 100, 40, HEIGHT), other])[0].rejected == rejected


@pytest.mark.parametrize(
    ("text", "rejected"), [("O", [False]), ("MO", [True, True]), ("M  O", [True, False]), ("OO", [False, False])]
)
def test_an_o_of_a_word_is_no_zero(text, rejected):
    """By its shape it is one; an M is nothing."""
    file = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")
    page = Image.new("L", (640, 480), 200)
    ImageDraw.Draw(page).text((200, 200), text, 40, ImageFont.truetype(file, 70))
    reader = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640)
    readings = [numeral.recognition for numeral in reader.read(np.asarray(page)).numerals]
    assert [read.rejected for read in readings] == rejected
    assert [read.novelty > 1 for read in readings] == rejected
    assert readings[-1].label == "0"
