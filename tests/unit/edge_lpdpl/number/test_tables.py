"""Each cell of a printed table holds a number of its own."""

from itertools import accumulate

import numpy as np
import pytest
from cards import sheet
from PIL import Image, ImageDraw

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.page.locator import Locator

CELL_HEIGHT, CELL_WIDTH = 75, 130
NUMBERS = {(112, 112): "25", (112 + CELL_WIDTH, 112): "68", (112, 112 + CELL_HEIGHT): "30"}
"""In the cells: 0.9 of their height apart from side to side, and half of it from row to row."""


@pytest.fixture(scope="module")
def reader() -> PageReader:
    return PageReader(Recogniser.load(shipped_model("latin10")), 480, 640)


def table(
    numbers: dict[tuple[int, int], str], rows: int = 2, widths: tuple[int, ...] = (CELL_WIDTH,) * 3
) -> np.ndarray:
    """A page (480, 640) with numbers on it, and a table of columns of these widths from (100, 100) on."""
    page = Image.fromarray(sheet((480, 640), 50, numbers))
    draw, right, bottom = ImageDraw.Draw(page), 100 + sum(widths), 100 + rows * CELL_HEIGHT
    for row in range(rows + 1):
        draw.line((100, 100 + row * CELL_HEIGHT, right, 100 + row * CELL_HEIGHT), fill=90, width=3)
    for wall in accumulate(widths, initial=100):
        draw.line((wall, 100, wall, bottom), fill=90, width=3)
    return np.array(page)


def read(reader: PageReader, page: np.ndarray) -> list[tuple[str, str | None]]:
    return [(number.text, number.reason) for number in reader.read(page).numbers]


def test_numbers_in_neighbouring_cells_are_not_joined(reader):
    assert read(reader, table(NUMBERS)) == [("25", None), ("68", None), ("30", None)]
    assert read(reader, sheet((480, 640), 50, NUMBERS))[0][0] == "2568"


def test_columns_may_be_as_wide_as_what_is_written_in_them(reader):
    page = table({(116, 112): "253", (300, 112): "68", (415, 112): "0"}, widths=(180, 120, 80))
    assert read(reader, page) == [("253", None), ("68", None), ("0", None)]


def fields(comb: bool) -> np.ndarray:
    """A page with a day, a month and a year in fields with space between them, perhaps with a box for each digit."""
    page = Image.fromarray(sheet((480, 640), 50, {(60, 212): "28", (210, 212): "06", (360, 212): "2003"}))
    draw = ImageDraw.Draw(page)
    for left, digits in ((40, 2), (190, 2), (340, 4)):
        draw.rectangle((left, 195, left + 55 * digits, 275), outline=90, width=3)
        for inner in range(1, digits if comb else 1):
            draw.line((left + 55 * inner, 195, left + 55 * inner, 275), fill=90, width=3)
    return np.array(page)


def test_fields_side_by_side_hold_a_number_each(reader):
    assert read(reader, fields(comb=False)) == [("28", None), ("06", None), ("2003", None)]


def test_digits_in_the_boxes_of_a_field_are_not_numbers_of_their_own(reader):
    assert all(reason or text in ("28", "06", "2003") for text, reason in read(reader, fields(comb=True)))


def test_a_number_that_goes_on_across_a_wall_is_in_doubt(reader):
    for left in (220, 190):  # with a digit on the wall, and with a wall between two digits
        assert read(reader, table({(left, 112): "258"})) == [("258", "unsure")]


def test_a_small_stroke_beyond_a_rule_may_belong_to_the_number(reader):
    page = table({(130, 112): "25"})
    page[178:184, 140:160] = 40
    assert read(reader, page) == [("25", "ink_unread")]


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_a_table_is_divided_by_its_rules_and_the_walls_but_not_by_its_ends(backend):
    locator = Locator(480, 640, backend=backend)
    locator.find(table({}, rows=1))
    walls = [[50 + CELL_WIDTH // 2 * place, 50, 50 + CELL_WIDTH // 2 * place, 87] for place in (1, 2)]
    wanted = [[50, 50, 245, 50], [50, 87, 245, 87], *walls]
    assert sorted(locator.dividers()) == [pytest.approx(one, abs=2) for one in sorted(wanted)]
    locator.find(table({}, rows=1, widths=(CELL_WIDTH,)))
    assert len(locator.dividers()) == 2


def columns(
    level: int, top: int = 80, bottom: int = 300, walls: tuple[int, ...] = (95, 205, 320), second: int = 222
) -> np.ndarray:
    """A page with 25 and 68 in two columns that nothing but upright lines of this level divides, as near as the
    digits of one number may be."""
    page = Image.fromarray(sheet((480, 640), 50, {(112, 112): "25", (second, 112): "68"}))
    for wall in walls:
        ImageDraw.Draw(page).line((wall, top, wall, bottom), fill=level, width=2)
    return np.array(page)


@pytest.mark.parametrize("level", [40, 120, 170])
def test_a_number_across_a_wall_is_in_doubt_however_faint_the_wall_is(reader, level):
    assert not any(reason is None for text, reason in read(reader, columns(level)) if text not in ("25", "68"))


def test_a_wall_between_two_columns_goes_on_to_the_top_and_the_bottom(reader):
    assert read(reader, columns(170, top=0, bottom=480, walls=(95, 205, 340))) == [("2568", "unsure")]


def test_the_lines_of_squared_paper_are_no_walls(reader):
    squares = tuple(range(10, 640, 37))
    assert read(reader, columns(170, top=0, bottom=480, walls=squares, second=202)) == [("2568", None)]


def test_a_number_in_boxes_too_faint_to_be_found_is_one(reader):
    numbers = {(112 + 60 * place, 112): digit for place, digit in enumerate("2568")}
    page = Image.fromarray(sheet((480, 640), 50, numbers))
    for wall in range(98, 98 + 5 * 60, 60):
        ImageDraw.Draw(page).line((wall, 90, wall, 190), fill=185, width=2)
    assert read(reader, np.array(page)) == [("2568", None)]
