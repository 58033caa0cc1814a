"""A word is no number, even if some of its letters have the shape of digits."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader


@pytest.fixture(scope="module")
def reader() -> PageReader:
    return PageReader(Recogniser.load(shipped_model("latin10")), 480, 640)


@pytest.mark.parametrize(
    ("text", "read"),
    [("O", "0"), ("OO", "00"), ("MO", None), ("NO", None), ("WORD", None), ("GATE", None)],
)
def test_a_word_is_no_number(reader, text, read):
    """An O has the shape of a zero; an M is no numeral."""
    page = Image.new("L", (640, 480), 200)
    font = ImageFont.truetype(Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"), 70)
    ImageDraw.Draw(page).text((200, 200), text, 40, font)
    (number,) = reader.read(np.asarray(page)).numbers
    assert (None if number.rejected else number.text) == read
