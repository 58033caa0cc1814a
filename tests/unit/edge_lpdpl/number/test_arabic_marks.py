"""Points, commas and minus of Arabic-Indic numbers; what may be a zero as well leaves a doubt."""

import numpy as np
import pytest
from PIL import Image, ImageFilter

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader

HEIGHT, TOP = 90, 200
FOOT, MIDDLE = TOP + HEIGHT, TOP + HEIGHT // 2


@pytest.fixture(scope="module", params=["numba", "numpy"])
def reader(request) -> PageReader:
    return PageReader(Recogniser.load(shipped_model("arabic10"), request.param), 480, 640)


STROKES = {"٧": ((0, 0, 22, 90), (22, 90, 44, 0)), "٨": ((0, 90, 22, 0), (22, 0, 44, 90)), "١": ((0, 0, 6, 90),)}
"""Of a digit: the ends of each, across and down."""
Stroke = tuple[float, float, float, float]


def page(text: str, *marks: Stroke, thin: Stroke | None = None) -> np.ndarray:
    """Digits on paper (480, 640), 24 pixels apart and 60 where there is a space, and strokes, across from the right
    side of the first digit; one of them by a pen of a third of the width."""
    strokes, left, origin = list[Stroke](), 200, 0
    for character in text:
        for x0, y0, x1, y1 in STROKES.get(character, ()):
            strokes.append((left + x0, TOP + y0, left + x1, TOP + y1))
        left += 36 if character == " " else 24 + max(stroke[2] for stroke in STROKES[character])
        origin = origin or left - 24
    frame = np.full((480, 640), 210, np.uint8)
    y, x = np.mgrid[:480, :640]
    beside = [*marks, thin] if thin else marks
    for x0, y0, x1, y1 in [*strokes, *((x0 + origin, y0, x1 + origin, y1) for x0, y0, x1, y1 in beside)]:
        long = max((x1 - x0) ** 2 + (y1 - y0) ** 2, 1e-9)
        along = (((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / long).clip(0, 1)
        reach = 1.7 if thin and (x0 - origin, y0, x1 - origin, y1) == thin else 5
        frame[np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0)) < reach] = 50
    return np.asarray(Image.fromarray(frame).filter(ImageFilter.GaussianBlur(1)))


def outcomes(reader: PageReader, frame: np.ndarray) -> list[tuple[str, str | None]]:
    return [(number.text, number.reason) for number in reader.read(frame).numbers]


def test_a_stroke_at_the_foot_is_a_point_and_one_at_the_top_a_comma(reader):
    assert outcomes(reader, page("٧ ٨", (34, FOOT - 14, 24, FOOT + 8))) == [("٧٫٨", None)]
    assert outcomes(reader, page("٧ ٨١٨", (34, TOP - 4, 26, TOP + 14))) == [("٧٬٨١٨", None)]


def test_a_bar_before_the_first_digit_is_a_minus(reader):
    assert [text for text, _ in outcomes(reader, page("٧٨", (-110, MIDDLE, -70, MIDDLE)))] == ["-٧٨"]


def test_a_dot_at_middle_height_is_a_zero(reader):
    assert outcomes(reader, page("٧ ٨", (30, MIDDLE, 31, MIDDLE))) == [("٧٠٨", None)]


@pytest.mark.parametrize("down", range(-50, 61, 10))
def test_a_dot_is_a_zero_or_in_doubt(reader, down):
    """At the foot it may be a point."""
    ((text, reason),) = outcomes(reader, page("٧ ٨", (30, MIDDLE + down, 31, MIDDLE + down)))
    assert reason or (text == "٧٠٨" and abs(down) <= 20)


@pytest.mark.parametrize("long", range(0, 61, 10))
def test_a_dash_before_the_first_digit_is_a_minus_where_it_is_too_long_for_a_zero(reader, long):
    found = outcomes(reader, page("٧٨", (-110, MIDDLE, -110 + long, MIDDLE)))
    assert found[-1][1] or found[-1][0] == ("-٧٨" if long >= 30 else "٠٧٨")


@pytest.mark.parametrize("down", range(-50, 61, 10))
def test_a_short_stroke_is_never_silently_the_wrong_mark(reader, down):
    ((text, reason),) = outcomes(reader, page("٧ ٨١٨", (34, MIDDLE + down - 9, 27, MIDDLE + down + 9)))
    assert reason or text == ("٧٫٨١٨" if down > 20 else "٧٬٨١٨" if down < -20 else "٧٠٨١٨")


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize("across", [-75, 84], ids=["before", "behind"])
def test_a_zero_that_is_thin_for_the_pen_leaves_a_doubt_wherever_it_stands(reader, across, upright):
    """٧٨٠ is ten times ٧٨, as no point behind it is."""
    far = (across, MIDDLE - 8, across, MIDDLE + 8) if upright else (across - 8, MIDDLE, across + 8, MIDDLE)
    found = outcomes(reader, page("٧٨", thin=far))
    assert [reason is None for _, reason in found] == [False], found
    assert outcomes(reader, page("٧٨")) == [("٧٨", None)]
