"""The printed form: its marks are where they are looked for, its boxes are where fields are read and drop out."""

import numpy as np
import pypdfium2
import pytest
from form_pictures import find_form
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.form.fields import Field
from edge_lpdpl.form.homography import project
from edge_lpdpl.form.printing import print_form
from edge_lpdpl.form.sheet import PAPERS, Area, mark_areas
from edge_lpdpl.number.constraints import Constraints
from edge_lpdpl.page.settings import ON_PAPER

SCALE = 4.0
FIELD = Field("score", Area(30, 50, 36, 12), Constraints(maximum=100), 3)


def drawn(data):
    """The page of a PDF, (height, width) uint8, SCALE pixels a millimetre."""
    page = pypdfium2.PdfDocument(data)[0]
    return np.squeeze(page.render(scale=SCALE * 25.4 / 72, grayscale=True).to_numpy())


def pixels(picture, area):
    left, top, right, bottom = (round(edge * SCALE) for edge in (area.x, area.y, area.right, area.bottom))
    return picture[top:bottom, left:right]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_marks_are_found_where_they_are_printed(paper):
    picture = drawn(print_form([FIELD], paper, "Title"))
    assert picture.shape == pytest.approx([side * SCALE for side in reversed(PAPERS[paper])], abs=1)
    corners = np.array([(area.x, area.y) for area in mark_areas(paper)])
    assert project(find_form(picture, paper), corners) / SCALE == pytest.approx(corners, abs=0.2)


def test_boxes_are_where_the_field_is_and_fainter_than_writing():
    picture = drawn(print_form([FIELD]))
    cells = np.flatnonzero((pixels(picture, FIELD.area.grown(0.5)) < 250).mean(axis=0) > 0.9)
    middles = [group.mean() / SCALE - 0.5 for group in np.split(cells, np.flatnonzero(np.diff(cells) > 1) + 1)]
    assert middles == pytest.approx([0, 12, 24, 36], abs=0.3)
    # A camera's blur takes half of the contrast of so thin a line.
    taken = 1 - pixels(picture, FIELD.area.grown(1)).min() / 255
    assert taken / 2 < ON_PAPER.faintest_peak < ON_PAPER.least_peak


def test_nothing_else_is_printed_where_a_field_is_read():
    picture = drawn(print_form([FIELD, Field("年龄 below", Area(30, 72, 36, 12))]))
    for field in (FIELD.area, Area(30, 72, 36, 12)):
        inner = pixels(picture, Area(field.x + 1, field.y + 1, 10, field.height - 2))
        above = pixels(picture, Area(field.x, field.y - 2.4, field.width, 1.8))
        assert inner.min() == above.min() == 255


@settings(deadline=None, max_examples=20)
@given(st.text(st.characters(codec="gbk", exclude_categories=["C", "Z"]), min_size=1, max_size=40))
def test_names_are_in_latin_and_chinese_letters(name):
    assert print_form([FIELD._replace(name=name)]).startswith(b"%PDF")


def test_a_name_that_cannot_be_printed_is_refused():
    with pytest.raises(ConfigError, match=r"'عمر' holds 'ع'"):
        print_form([FIELD._replace(name="عمر")])


def below(y, **changes):
    return Field("second", Area(30, y, 36, 12))._replace(**changes)


def test_a_name_has_room_above_its_boxes():
    with pytest.raises(ConfigError, match=r"^field 2: name 'second' has no room above its boxes; shorten it, or"):
        print_form([FIELD, below(66)])
    assert print_form([FIELD, below(69)])


def test_a_name_is_smaller_beside_its_neighbour_or_refused():
    beside = Field("beside", Area(70, 50, 36, 12))
    fits, smaller, long = (FIELD._replace(name=count * "m", constraints=None) for count in (11, 15, 30))
    assert print_form([fits, beside])
    narrow = drawn(print_form([smaller, beside]))
    assert pixels(narrow, Area(69.2, 40, 0.6, 7)).min() == 255
    with pytest.raises(ConfigError, match=r"^field 1: name 'mmm"):
        print_form([long, beside])


def test_a_long_title_stays_between_the_marks():
    picture = drawn(
        print_form([FIELD], title="A title that is about as long as this sheet of paper is wide, or nearly")
    )
    assert pixels(picture, Area(26.5, 10, 3, 8)).min() == pixels(picture, Area(181, 10, 3, 8)).min() == 255
    with pytest.raises(ConfigError, match=r"^title is too long to stand between the marks: 'word word"):
        print_form([FIELD], title="word " * 60)


def test_boxes_too_narrow_for_a_digit_are_refused():
    with pytest.raises(ConfigError, match=r"^field 1: boxes is 12, of 1.7 mm each; give 4 or more"):
        print_form([FIELD._replace(area=Area(30, 50, 20, 12), boxes=12)])


def test_equal_forms_are_equal_files():
    assert print_form([FIELD]) == print_form([FIELD])
