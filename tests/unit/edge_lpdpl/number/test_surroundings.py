"""What is around a number on its page: the table that the page lies on, print, boxes, dashed lines."""

import numpy as np
import pytest
from cards import sheet
from PIL import Image, ImageDraw

from edge_lpdpl import PictureReader, Recogniser, shipped_model
from edge_lpdpl.number.doubts.dashes import with_dashes
from edge_lpdpl.number.reader import PageReader

PAPER, TABLE = 200, 40


@pytest.fixture(scope="module")
def latin() -> Recogniser:
    return Recogniser.load(shipped_model("latin10"))


@pytest.fixture(scope="module")
def reader(latin) -> PageReader:
    return PageReader(latin, 480, 640)


def read(reader: PageReader | PictureReader, page: np.ndarray) -> list[tuple[str, str | None]]:
    return [(number.text, number.reason) for number in reader.read(page).numbers]


def on_a_table(page: np.ndarray, margin: int) -> np.ndarray:
    """The same page, smaller by so many pixels on each side, on a dark table."""
    seen = np.full_like(page, TABLE)
    seen[margin:-margin, margin:-margin] = page[margin:-margin, margin:-margin]
    return seen


@pytest.mark.parametrize("margin", [10, 20, 40, 60, 80])
def test_a_page_on_a_dark_table_is_read(reader, margin):
    page = sheet((480, 640), 50, {(250, 210): "258"})
    assert read(reader, page) == [("258", None)]
    assert read(reader, on_a_table(page, margin)) == [("258", None)]
    assert read(reader, 255 - on_a_table(255 - page, margin)) == [("258", None)]


def test_numbers_below_each_other_on_such_a_page_are_read(reader):
    page = sheet((480, 640), 50, {(250, y): "258" for y in (140, 216, 292)})
    assert read(reader, on_a_table(page, 30)) == [("258", None)] * 3


def test_a_number_at_the_edge_of_its_page_is_in_doubt(reader):
    """A digit before it may hang together with the table."""
    page = on_a_table(sheet((480, 640), 50, {(62, 210): "258"}), 40)
    assert read(reader, page) == [("258", "ink_unread")]


def printed(lines: int) -> np.ndarray:
    """A page with lines of small print below a number that begins with a thin 1."""
    page = sheet((480, 640), 50, {(250, 60): "258"})
    page[62:108, 226:229] = 40
    for y in range(160, 160 + 20 * lines, 20):
        for x in range(30, 610, 18):
            page[y : y + 16, x : x + 14] = 40
            page[y + 6 : y + 10, x + 4 : x + 10] = PAPER
    return page


def test_a_stroke_is_not_lost_unsaid_because_the_page_has_too_many(reader):
    assert read(reader, printed(lines=1))[0] == ("1258", None)
    reading = reader.read(printed(lines=14))
    assert "too_much_ink" in {one.reason for one in reading.unread}
    assert (reading.numbers[0].text, reading.numbers[0].reason) == ("258", "ink_unread")


def labelled(*letters: tuple[int, int]) -> np.ndarray:
    """A number behind letters of these widths and heights, half a digit apart from it; each is a cross in a frame."""
    page = Image.fromarray(sheet((480, 640), 50, {(300, 210): "258"}))
    draw, right = ImageDraw.Draw(page), 270
    for width, height in letters:
        box = right - width, 260 - height, right - 1, 259
        draw.rectangle(box, outline=40, width=3)
        draw.line(box, fill=40, width=3)
        right -= width + 6
    return np.array(page)


@pytest.mark.parametrize("letters", [3, 5, 8])
def test_a_printed_word_before_a_number_is_no_part_of_it(reader, letters):
    reading = reader.read(labelled(*[(20, 24 + 4 * (letter % 2)) for letter in range(letters)]))
    assert [(number.text, number.reason) for number in reading.numbers] == [("258", None)]
    assert [one.reason for one in reading.unread].count("print") == letters


@pytest.mark.parametrize("letters", [[(20, 24)] * 2, [(36, 48)] * 3])
def test_what_may_be_digits_before_a_number_leaves_a_doubt(reader, letters):
    """Too few letters for a word, or as high as the digits."""
    assert all(reason or text != "258" for text, reason in read(reader, labelled(*letters)))


@pytest.mark.parametrize("before", [(246, 8, 28), (262, 50, 8)])
def test_a_minus_or_a_one_between_word_and_number_is_not_lost(reader, before):
    """The space behind it is as wide as that behind a word."""
    left, height, width = before
    page = labelled(*[(20, 24)] * 4)
    shifted = np.full_like(page, 210)
    shifted[:, :-40] = page[:, 40:]
    shifted[:, 240:] = sheet((480, 640), 50, {(300, 210): "258"})[:, 240:]
    shifted[235 - height // 2 : 235 + height // 2, left : left + width] = 40
    assert ("258", None) not in read(reader, shifted)


def test_small_digits_before_a_number_are_no_word(reader):
    page = sheet((480, 640), 50, {(300, 210): "258"})
    small = sheet((480, 640), 30, {(195, 230): "258"})
    assert [text for text, _ in read(reader, np.minimum(page, small))] == ["258258"]


def boxed(level: int) -> np.ndarray:
    """A number in separate boxes, printed so dark: two are 2.3 times as far apart as the digits are high."""
    places = {(100 + 110 * number, 212): digit for number, digit in enumerate("2580")}
    page = Image.fromarray(sheet((480, 640), 48, places))
    for x, _ in places:
        ImageDraw.Draw(page).rectangle((x - 26, 186, x + 64, 286), outline=level, width=2)
    return np.array(page)


@pytest.mark.parametrize("level", [165, 185])
def test_a_number_in_faint_boxes_is_read_as_one_or_in_doubt(reader, level):
    accepted = [text for text, reason in read(reader, boxed(level)) if reason is None]
    assert accepted in ([], ["2580"])


def test_numbers_as_far_apart_without_boxes_stay_numbers(reader):
    assert read(reader, boxed(210)) == [(digit, None) for digit in "2580"]


def spread(*lefts: int) -> np.ndarray:
    """Digits of 50 pixels whose left sides are here."""
    return sheet((480, 640), 50, {(left, 210): digit for left, digit in zip(lefts, "2585", strict=False)})


def test_a_space_that_divides_is_clearly_wider_than_those_inside(reader):
    """They are as wide as numerals may be apart at most, or a little wider."""
    assert read(reader, spread(60, 150, 256, 346)) == [("25", "unsure"), ("85", "unsure")]
    assert read(reader, spread(60, 120, 235, 295)) == [("25", None), ("85", None)]
    assert read(reader, spread(60, 180)) == [("2", None), ("5", None)]


def in_field(*lefts: int, divided: bool = False, high: int = 0) -> np.ndarray:
    """Digits in one printed field, or in cells of a table; the last one stands higher."""
    page = sheet(
        (480, 640),
        50,
        {(left, 210 - high * (left == lefts[-1])): digit for left, digit in zip(lefts, "25", strict=True)},
    )
    picture = Image.fromarray(page)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((120, 160, 520, 290), outline=90, width=4)
    if divided:
        draw.line((320, 160, 320, 290), fill=90, width=4)
    return np.asarray(picture)


def test_numbers_in_one_field_may_be_one(reader):
    assert read(reader, in_field(250, 370)) == [("2", "unsure"), ("5", "unsure")]
    assert sorted(read(reader, in_field(250, 370, high=40))) == [("2", "unsure"), ("5", "unsure")]
    assert read(reader, in_field(250, 370, divided=True)) == [("2", None), ("5", None)]
    assert read(reader, in_field(160, 420)) == [("2", None), ("5", None)]


def test_a_bar_too_thin_for_the_pen_in_another_box_of_the_row_may_be_a_one(reader):
    picture = Image.fromarray(sheet((480, 640), 50, {(140, 210): "2", (212, 210): "5"}))
    draw = ImageDraw.Draw(picture)
    for left in (130, 200, 270):
        draw.rectangle((left, 190, left + 70, 280), outline=90, width=3)
    draw.line((330, 212, 330, 258), fill=40, width=2)
    assert read(reader, np.asarray(picture)) == [("25", "ink_unread")]


def dashed(length: int, gap: int) -> np.ndarray:
    page = sheet((1200, 1600), 300, {(450, 400): "2", (850, 400): "5"})
    for y in range(300, 900, length + gap):
        page[y : y + length, 798:803] = 120
    return page


def test_dashes_are_no_ones(latin):
    assert [text for text, _ in read(PictureReader(latin), dashed(length=26, gap=22))] == ["25"]


def test_two_ones_below_each_other_are_no_dashes(reader):
    page = np.full((480, 640), PAPER, np.uint8)
    page[100:150, 300:306] = page[180:230, 301:307] = 40
    assert read(reader, page) == [("1", None), ("1", None)]
    page[260:310, 300:306] = 40
    assert read(reader, page) == [("1", "unsure")] * 3
    page[260:310, 300:306], page[260:310, 340:346] = PAPER, 40
    assert read(reader, page) == [("1", None)] * 3


def test_a_number_in_dotted_boxes_is_read(reader):
    page = sheet((480, 640), 60, {(150, 210): "2", (230, 210): "5", (310, 210): "8"})
    for at in range(0, 241, 10):
        page[185:190, 135 + at : 140 + at] = page[295:300, 135 + at : 140 + at] = 110
    for x in range(135, 376, 80):
        for y in range(185, 300, 10):
            page[y : y + 5, x : x + 5] = 110
    assert read(reader, page) == [("258", None)]


def test_a_row_of_arabic_zeros_is_no_dotted_line():
    page = np.full((480, 640), PAPER, np.uint8)
    page[200:260, 150:158] = 40
    for place in range(7):
        page[226:236, 190 + 26 * place : 200 + 26 * place] = 40
    arabic = PageReader(Recogniser.load(shipped_model("arabic10")), 480, 640)
    assert [number.text for number in arabic.read(page).numbers] == ["١٠٠٠٠٠٠٠"]


def test_a_point_among_other_dots_is_one_of_a_dotted_wall(reader):
    page = sheet((480, 640), 60, {(200, 210): "2", (276, 210): "5"})
    page[262:270, 258:266] = 40
    assert read(reader, page) == [("2.5", None)]
    for y in range(165, 256, 24):
        page[y : y + 6, 259:265] = 150
    assert read(reader, page) == [("2.5", "unsure")]


def test_a_page_without_bars_keeps_its_numbers(reader):
    reading = reader.read(sheet((480, 640), 50, {(250, 210): "258"}))
    assert with_dashes(reading.numbers, reading.numerals, reading.unread) == reading.numbers
