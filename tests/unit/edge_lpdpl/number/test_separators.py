"""A slash, a bracket and a bar have the shape of a 1; a number that may hold one is in doubt."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.doubts.separators import is_bowed, may_be_date
from edge_lpdpl.number.reader import PageReader

FONT = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")


@pytest.fixture(scope="module")
def reader() -> PageReader:
    return PageReader(Recogniser.load(shipped_model("latin10")), 480, 640)


def written(text: str, taller: int = 0, tilt: float = 0.0) -> np.ndarray:
    """Digits with strokes for slashes (/), bars (|) and brackets, so many pixels higher and lower than they are."""
    page = Image.new("L", (640, 480), 200)
    draw, font, left = ImageDraw.Draw(page), ImageFont.truetype(FONT, 60), 60
    top, bottom = font.getbbox("0")[1::2]
    for one in text:
        high, low = 200 + top - taller, 199 + bottom + taller
        if one in "/|":
            lean = 18 if one == "/" else 0
            draw.line([(left + lean, high), (left, low)], 40, 6)
            left += lean + 14
        elif one in "()":
            across = (left, left + 32) if one == "(" else (left - 20, left + 12)
            start = 120 if one == "(" else -60
            draw.arc((across[0], high, across[1], low), start, start + 120, 40, 6)
            left += 26
        elif one == " ":
            left += 12
        else:
            draw.text((left, 200), one, 40, font)
            left += round(font.getlength(one)) + 6
    return np.asarray(page.rotate(tilt, Image.Resampling.BILINEAR, fillcolor=200))


@pytest.mark.parametrize(
    ("text", "read", "reason"), [("||", "11", None), ("|||", "111", "unsure"), ("||||", "1111", "unsure")]
)
def test_strokes_that_may_be_a_tally_leave_a_doubt(reader, text, read, reason):
    (number,) = reader.read(written(text)).numbers
    assert (number.text, number.reason) == (read, reason)


@pytest.mark.parametrize("tilt", [-4, 0, 4])
@pytest.mark.parametrize(("text", "read"), [("32|45", "32145"), ("|75", "175"), ("86/", "861"), ("3/8", "318")])
def test_a_stroke_that_reaches_beyond_its_neighbours_leaves_a_doubt(reader, text, read, tilt):
    for taller, reason in ((0, None), (9, "unsure")):
        (number,) = reader.read(written(text, taller, tilt)).numbers
        assert (number.text, number.reason) == (read, reason)


@pytest.mark.parametrize(("text", "read"), [("(75)", "1751"), ("(38", "138"), ("2)", "21")])
def test_a_bracket_at_an_end_leaves_a_doubt(reader, text, read):
    (number,) = reader.read(written(text)).numbers
    assert (number.text, number.reason) == (read, "unsure")


@pytest.mark.parametrize("slant", [-15, -8, 0, 8, 15])
@pytest.mark.parametrize(
    ("corners", "is_bracket"),
    [
        ([(30, 10), (38, 30), (40, 50), (38, 70), (30, 90)], True),
        ([(26, 10), (40, 10), (40, 90), (26, 90)], True),
        ([(40, 10), (40, 90)], False),
        ([(22, 26), (40, 10), (40, 90)], False),
        ([(22, 26), (40, 10), (40, 90), (24, 90), (56, 90)], False),
        ([(44, 10), (36, 35), (40, 50), (44, 65), (36, 90)], False),
    ],
    ids=["round bracket", "square bracket", "1", "1 with an upstroke", "1 on a foot", "wavy 1"],
)
def test_a_bracket_is_bowed_to_one_side_however_it_slants(corners, is_bracket, slant):
    page = Image.new("L", (80, 100))
    ImageDraw.Draw(page).line(corners, 255, 7)
    picture = np.asarray(page.rotate(slant, Image.Resampling.BILINEAR))
    assert is_bowed(picture, 1) is is_bracket
    assert is_bowed(picture[:, ::-1], -1) is is_bracket
    assert not is_bowed(picture, -1)


@pytest.mark.parametrize(
    ("text", "read", "reason"),
    [
        ("2) 99", "2199", "unsure"),
        ("20  (9", "2019", "unsure"),
        ("21 99", "2199", None),
        ("2. 69", "2.69", "unsure"),
        ("23, 69", "23,69", "unsure"),
        ("2.69", "2.69", None),
        ("2 . 6 9", "2.69", None),
    ],
)
def test_what_ends_an_item_of_a_list_is_no_digit_and_no_point(reader, text, read, reason):
    (number,) = reader.read(written(text)).numbers
    assert (number.text, number.reason) == (read, reason)


@pytest.mark.parametrize(
    ("text", "read", "reason"),
    [("5/8/24", "518124", "unsure"), ("20/07/2026", "2010712026", "unsure"), ("5/98/4", "519814", None)],
)
def test_digits_that_are_a_date_if_strokes_are_slashes_leave_a_doubt(reader, text, read, reason):
    (number,) = reader.read(written(text)).numbers
    assert (number.text, number.reason) == (read, reason)


@pytest.mark.parametrize(
    ("day", "month", "year"), [("1", "1", "26"), ("31", "12", "1999"), ("01", "01", "2000"), ("11", "11", "11")]
)
def test_every_order_of_a_date_is_one(day, month, year):
    orders = [(day, month, year), (month, day, year), (year if len(year) == 4 else "20" + year, month, day)]
    assert all(may_be_date("1".join(order)) for order in orders)
    assert not may_be_date("7".join((day, month, year)))


@pytest.mark.parametrize(
    ("text", "read", "reason"), [("4 25", "425", "unsure"), ("42 5", "425", "unsure"), ("4 2 5", "425", None)]
)
def test_a_space_of_a_digit_in_one_place_leaves_a_doubt(reader, text, read, reason):
    page, left = Image.new("L", (640, 480), 200), 60
    draw, font = ImageDraw.Draw(page), ImageFont.truetype(FONT, 60)
    for one in text:
        draw.text((left, 200), one, 40, font)
        left += 38 if one == " " else 42
    (number,) = reader.read(np.asarray(page)).numbers
    assert (number.text, number.reason) == (read, reason)
