"""Numbers that are written from top to bottom are read as those in rows are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from edge_lpdpl import PictureReader, Recogniser, read, shipped_model
from edge_lpdpl.errors import ConfigError, ImageError
from edge_lpdpl.library.shipped import shipped_pictures
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.setup import make_reader
from edge_lpdpl.number.pictures.columns import ColumnReader, on_its_side
from edge_lpdpl.page.boxes import Box, turned, upright

VALUES = {"二": 2, "四": 4, "六": 6, "七": 7, "八": 8, "十": 10, "百": 100}


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser.load(shipped_model("chinese15"))


def page(*columns, left=400, size=(480, 640)):
    """A sheet with columns of the shipped pictures of these characters, 70 pixels apart, the first one at the right."""
    pictures = {path.stem: path for path in shipped_pictures()}
    sheet = np.full(size, 210, np.uint8)
    for column, text in enumerate(columns):
        for place, character in enumerate(text):
            image = Image.open(pictures[f"chinese_{VALUES[character]}_screen"]).convert("L").resize((60, 60))
            x, y = left - 150 * column, 40 + 70 * place
            sheet[y : y + 60, x : x + 60] -= np.minimum(np.asarray(image), 160)
    return sheet


def texts(reading):
    return [(number.text, number.rejected) for number in reading.numbers]


def test_a_column_is_a_number_with_its_boxes_in_the_frame(recogniser):
    reading = ColumnReader(recogniser, 480, 640).read(page("四百六十"))
    assert texts(reading) == [("四百六十", False)]
    boxes = [numeral.box for numeral in reading.numerals]
    assert [box.y for box in boxes] == sorted(box.y for box in boxes)
    assert all(395 <= box.x < box.right <= 465 for box in boxes)
    assert reading.numbers[0].value == 460


def test_the_rightmost_column_is_the_first(recogniser):
    assert texts(ColumnReader(recogniser, 480, 640).read(page("六百", "四百"))) == [("六百", False), ("四百", False)]


def test_only_the_region_is_read(recogniser):
    reader = ColumnReader(recogniser, 480, 640, region=Box(200, 0, 140, 480))
    reading = reader.read(page("六百", "四百"))
    assert texts(reading) == [("四百", False)]
    assert 250 <= reading.numbers[0].box.x <= 310


def test_a_frame_of_another_size_is_named_as_it_was_given(recogniser):
    with pytest.raises(ImageError, match="frames of 640x480 pixels, not 480x640"):
        ColumnReader(recogniser, 480, 640).read(page("六百", size=(640, 480)))


def test_characters_are_cut_out_upright_to_be_taught(recogniser):
    reader = ColumnReader(recogniser, 480, 640)
    reader.read(page("四百六十"))
    assert [recogniser.recognise(picture, "light").label for picture in reader.cut_outs()] == list("四百六十")


@pytest.mark.parametrize(("text", "is_sure"), [("七十二", True), ("二十二", True), ("二二", False)])
def test_bars_above_each_other_are_in_doubt(recogniser, text, is_sure):
    """二 above 二 may be 一 above 三."""
    reading = ColumnReader(recogniser, 480, 640).read(page(text))
    assert [one.rejected for one in reading.numbers] == [not is_sure]


def test_what_stands_in_printed_boxes_is_in_doubt(recogniser):
    """Boxes are looked for as those of rows, and take strokes with them."""
    sheet = page("四六八")
    for row in (30, 107, 182, 257):
        sheet[row : row + 2, 390:470] = 60
    sheet[30:259, 390:392] = sheet[30:259, 468:470] = 60
    assert all(number.rejected for number in ColumnReader(recogniser, 480, 640).read(sheet).numbers)


@pytest.mark.parametrize("scale", [1, 2])
def test_pictures_of_any_size_are_read_by_columns(scale):
    sheet = page("四百", left=100, size=(200, 300)).repeat(scale, 0).repeat(scale, 1)
    [number] = read(sheet, "chinese15", columns=True).numbers
    assert (number.text, number.rejected) == ("四百", False)
    assert 100 * scale <= number.box.x < number.box.right <= 160 * scale


def test_a_small_picture_may_show_a_column(recogniser):
    sheet = page("六百", left=30, size=(210, 120))
    small = np.asarray(Image.fromarray(sheet).resize((86, 150)))
    assert texts(PictureReader(recogniser, columns=True).read(small)) == [("六百", False)]


def test_the_service_reads_columns_where_the_configuration_says_so(recogniser):
    reader = make_reader(recogniser, load_config((), {"page": {"columns": True}}), 480, 640)
    assert texts(reader.read(page("四百六十"))) == [("四百六十", False)]


def test_the_fields_of_a_form_are_no_columns():
    field = {"name": "age", "region": [30, 40, 24, 12]}
    with pytest.raises(ConfigError, match=r"page\.columns is not for forms; leave out the fields"):
        load_config((), {"page": {"columns": True}, "field": [field]})


def test_digits_are_not_read_in_columns():
    with pytest.raises(ConfigError, match="digits are not read in columns; give a model of Chinese characters"):
        PictureReader(Recogniser.load(shipped_model("latin10")), columns=True)


@given(st.data())
def test_a_box_is_where_its_pixels_are_after_the_picture_was_turned(data):
    height, width = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 40))
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    box = Box(x, y, data.draw(st.integers(1, width - x)), data.draw(st.integers(1, height - y)))
    picture = np.zeros((height, width), np.uint8)
    picture[box.y : box.bottom, box.x : box.right] = 1
    there = turned(box, width)
    assert on_its_side(picture)[there.y : there.bottom, there.x : there.right].all()
    assert on_its_side(picture).sum() == there.width * there.height
    assert upright(there, width) == box
