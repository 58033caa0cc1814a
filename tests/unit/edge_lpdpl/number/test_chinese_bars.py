"""Chinese numbers are told apart by bars: a bar that is lost, or one too many, is another number."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader

Bar = tuple[int, int, int, int]
"""Left, top, width and height, in pixels of a frame of 640x480."""


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser.load(shipped_model("chinese15"))


def read(recogniser: Recogniser, *bars: Bar) -> list[tuple[str, str | None]]:
    """The numbers of a frame with dark bars, each with the reason of its doubt."""
    frame = np.full((480, 640), 200, np.uint8)
    for left, top, width, height in bars:
        frame[top : top + height, left : left + width] = 40
    return [(one.text, one.reason) for one in PageReader(recogniser, 480, 640).read(frame).numbers]


def two(left: int) -> tuple[Bar, Bar]:
    """A 二."""
    return (left, 260, 80, 8), (left + 12, 220, 56, 8)


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_a_short_thin_bar_tells_three_from_two(backend):
    """It has two or three pixels of the reduced frame, wherever it lies."""
    reader = PageReader(Recogniser.load(shipped_model("chinese15"), backend), 480, 640)
    for top in (210, 211):
        for short in ([(306, top, 311, top)], []):
            paper = Image.new("L", (640, 480), 200)
            for ends, width in [((300, 201, 318, 199), 3), ((298, 220, 322, 217), 3), *((bar, 2) for bar in short)]:
                ImageDraw.Draw(paper).line(ends, fill=40, width=width)
            found = reader.read(np.asarray(paper.filter(ImageFilter.GaussianBlur(0.8)))).numbers
            assert [(number.text, number.rejected) for number in found] == [("三" if short else "二", False)]


@pytest.mark.parametrize("thick", [4, 6, 12])
def test_a_short_bar_thinner_than_the_pen_is_a_bar(recogniser, thick):
    assert read(recogniser, (200, 280, 160, 16), (250, 210, 60, thick)) == [("二", None)]


@pytest.mark.parametrize(("thick", "reason"), [(4, "ink_unread"), (6, "ink_unread"), (12, None)])
def test_a_short_bar_thinner_than_the_pen_is_no_character_by_itself(recogniser, thick, reason):
    assert read(recogniser, (120, 280, 160, 16), (330, 284, 60, thick)) == [("一一", reason)]


@pytest.mark.parametrize(("gap", "reason"), [(4, None), (6, None), (12, "ink_unread"), (24, "ink_unread")])
def test_a_stroke_that_is_not_quite_joined_belongs_to_its_character(recogniser, gap, reason):
    """Farther off than the pen is wide, it may be a point."""
    assert read(recogniser, (200, 240, 100, 8), (300 + gap, 240, 8, 8)) == [("一", reason)]


@pytest.mark.parametrize(("width", "reason"), [(140, None), (170, "unsure")])
def test_a_character_much_wider_than_the_others_may_be_two(recogniser, width, reason):
    """The lower bars of two 二 touch."""
    joined = (300, 260, width, 8), (312, 220, 48, 8), (300 + width - 60, 220, 48, 8)
    assert read(recogniser, *two(100), *two(200), *joined) == [("二二二", reason)]


@pytest.mark.parametrize("across", [352, 330])
def test_a_character_that_may_be_cut_into_two_is_a_doubt(recogniser, across):
    """三十, whose 十 has a bar that is longer than its upright: the end of it may be a 一."""
    paper = Image.new("L", (640, 480), 225)
    three = [(205, 205, 255, 203), (210, 232, 250, 230), (198, 262, 262, 259)]
    for line in (*three, (280, 233, across, 230), (315, 203, 315, 263)):
        ImageDraw.Draw(paper).line(line, fill=60, width=5)
    soft = np.asarray(paper.filter(ImageFilter.GaussianBlur(0.8)))
    (number,) = PageReader(recogniser, 480, 640).read(soft).numbers
    assert number.rejected or number.text == "三十"


@pytest.mark.parametrize(("left", "right"), [(480, 560), (476, 568), (473, 573), (486, 572), (476, 580)])
@pytest.mark.parametrize("thick", [4, 6, 8])
@pytest.mark.parametrize("bow", [0, 4])
def test_a_bar_from_wall_to_wall_of_its_box_is_not_lost_unsaid(recogniser, left, right, thick, bow):
    """It looks like a printed rule, and what is left of 一二 is 一一."""
    paper = Image.new("L", (640, 480), 170)
    draw = ImageDraw.Draw(paper)
    for wall in (356, 472):
        draw.rectangle((wall, 110, wall + 102, 236), outline=70, width=2)
    draw.line((380, 170, 440, 164), fill=50, width=9)
    draw.line((500, 150, 534, 148), fill=50, width=8)
    draw.line((left, 186, (left + right) // 2, 180 - bow, right, 184), fill=50, width=thick)
    frame = np.asarray(paper.filter(ImageFilter.GaussianBlur(1.0)))
    numbers = PageReader(recogniser, 480, 640).read(frame).numbers
    assert {number.text for number in numbers if not number.rejected} <= {"一二"}
