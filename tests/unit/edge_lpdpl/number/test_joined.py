"""Ink beside a Chinese character is joined to it only if it is one of its strokes, and two characters are not one."""

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from edge_lpdpl import PictureReader, Recogniser, shipped_model
from edge_lpdpl.library.shipped import shipped_pictures
from edge_lpdpl.number.doubts.lost_ink import MOST_FAINT, _together
from edge_lpdpl.page.boxes import TOO_FAINT, Box, Unread

PICTURES = {path.stem: path for path in shipped_pictures()}
PAGE = 480, 640
Ink = tuple[int, int, int, int]
"""A numeral: its value, left and top of its ink, and the height of its ink, in pixels."""


@pytest.fixture(scope="module")
def reader() -> PictureReader:
    return PictureReader(Recogniser.load(shipped_model("chinese15")))


def written(size: tuple[int, int], *inks: Ink, pen: int = 3, share: float = 0.75) -> NDArray[np.uint8]:
    """Paper (height, width) with shipped numerals whose ink takes this share of the light."""
    paper = np.full(size, 210, np.uint8)
    for value, left, top, height in inks:
        image = ImageOps.expand(Image.open(PICTURES[f"chinese_{value}_screen"]).convert("L"), 4)
        image = image.filter(ImageFilter.MaxFilter(pen))
        image = image.crop(image.getbbox())
        ink = np.asarray(image.resize((max(height * image.width // image.height, 4), height))).astype(np.float64)
        part = paper[top : top + height, left : left + ink.shape[1]]
        part[:] = np.minimum(part, 210 * (1 - share * np.minimum(ink / ink.max(), 1)))
    return paper


def column(size: tuple[int, int], upper: int, lower: int, height: int) -> NDArray[np.uint8]:
    """Two characters of this height, a bar lower, with a third of it between them."""
    heights = [height // 6 if value == 1 else height for value in (upper, lower)]
    top, left = size[0] // 8, size[1] // 3
    return written(size, (upper, left, top, heights[0]), (lower, left, top + heights[0] + height // 3, heights[1]))


def accepted(reader: PictureReader, paper: NDArray[np.uint8]) -> list[str]:
    return [number.text for number in reader.read(paper).numbers if not number.rejected]


@pytest.mark.parametrize(("value", "text"), [(3, "三"), (5, "五"), (6, "六"), (8, "八"), (100, "百"), (1000, "千")])
@pytest.mark.parametrize("size", [(480, 640), (150, 80)])
def test_the_strokes_of_a_character_are_one_character(reader, value, text, size):
    paper = written(size, (value, size[1] // 3, size[0] // 4, size[0] // 4))
    assert accepted(reader, paper) == [text]


@pytest.mark.parametrize(("upper", "lower"), [(6, 10), (10, 1), (1, 10), (5, 10), (8, 10), (5, 7)])
@pytest.mark.parametrize("size", [(640, 480), (150, 80)])
def test_two_characters_above_each_other_are_not_accepted_as_another_one(reader, upper, lower, size):
    """六 above 十 looks like 零, 一 above 十 like 千."""
    wrong = set("零千七十") - ({"十"} if size[0] > 160 else set())
    assert not wrong & set(accepted(reader, column(size, upper, lower, size[0] // 4)))


@pytest.mark.parametrize("value", [5, 6, 7])
def test_a_character_inserted_above_a_row_is_not_a_stroke_of_it(reader, value):
    row = (9, 150, 200, 70), (5, 270, 200, 70)
    assert accepted(reader, written(PAGE, *row)) == ["九五"]
    assert accepted(reader, written(PAGE, *row, (value, 240, 158, 35))) == []


@pytest.mark.parametrize(("value", "text"), [(4, "四八"), (5, "五八")])
def test_a_comma_of_a_list_is_not_a_stroke_of_the_character_before_it(reader, value, text):
    row = (value, 150, 200, 70), (8, 285, 200, 70)
    assert accepted(reader, written(PAGE, *row, pen=1)) == [text]
    image = Image.fromarray(written(PAGE, *row, pen=1))
    ImageDraw.Draw(image).line((228, 258, 237, 267), fill=50, width=5)
    assert accepted(reader, np.asarray(image)) == []


@pytest.mark.parametrize("value", [5, 7])
def test_a_last_character_whose_pen_ran_dry_is_not_dropped(reader, value):
    """Its strokes are apart from each other, and each alone is no character."""
    row = written(PAGE, (6, 150, 200, 70), (10, 250, 200, 70), pen=1)
    assert accepted(reader, row) == ["六十"]
    assert accepted(reader, np.minimum(row, written(PAGE, (value, 350, 200, 70), pen=1, share=0.26))) == []


def test_faint_ink_is_put_together_in_bounded_time():
    """A hostile frame may have more than a thousand faint parts beside each of its numbers."""
    inks = [Unread(Box(6 * place, 0, 4, 4), TOO_FAINT) for place in range(MOST_FAINT)]
    *alone, whole = _together(inks, apart=3)
    assert [group.places for group in alone] == [[place] for place in range(MOST_FAINT)]
    assert sorted(whole.places) == list(range(MOST_FAINT))
    assert whole.ink.box == Box(0, 0, 6 * MOST_FAINT - 2, 4)
    assert len(list(_together([*inks, inks[0]], apart=3))) == MOST_FAINT + 1
