"""A wall between two numerals is seen however faint it is; the kernel finds what NumPy finds, in every gap."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.locator import Locator

pytestmark = pytest.mark.slow

LEFT, RIGHT = Box(200, 200, 40, 60), Box(290, 200, 40, 60)
"""Two numerals, 50 pixels apart."""


@pytest.fixture(scope="module")
def locators():
    return [Locator(480, 640, backend=backend) for backend in ("numba", "numpy")]


def paper(*lines, level=190, width=2, grain=2.0):
    """A page of 210 grey levels with these lines on it."""
    image = Image.new("L", (640, 480), 210)
    for line in lines:
        ImageDraw.Draw(image).line(line, fill=level, width=width)
    noise = np.random.default_rng(1).normal(0, grain, (480, 640))
    return (np.asarray(image) + noise).clip(0, 255).astype(np.uint8)


def walls(locators, page, one=LEFT, other=RIGHT, tilt=0.0, behind=False):
    found = []
    for locator in locators:
        locator.find(page)
        found.append(locator.wall_between(one, other, tilt, behind))
    assert found[0] == found[1]
    return found[0]


def test_a_wall_is_seen_that_is_a_twentieth_darker_than_the_paper(locators):
    assert walls(locators, paper((264, 160, 264, 300), level=190)) == pytest.approx(132, abs=1)
    assert walls(locators, paper((264, 160, 264, 300), level=40)) == pytest.approx(132, abs=1)
    assert walls(locators, paper((256, 160, 272, 300))) == pytest.approx(132, abs=1)  # in perspective
    assert walls(locators, paper()) is None


@pytest.mark.parametrize(("tilt", "seen"), [(-0.3, True), (0.0, False), (0.3, False)])
def test_a_wall_is_perpendicular_to_the_line(locators, tilt, seen):
    assert (walls(locators, paper((243, 160, 285, 300)), tilt=tilt) is not None) == seen


def test_a_wall_goes_on_above_and_below_the_numerals(locators):
    assert walls(locators, paper((264, 200, 264, 260))) is None
    assert walls(locators, paper((264, 160, 264, 260))) is None
    assert walls(locators, paper((264, 200, 264, 300))) is None


def test_lines_side_by_side_from_the_top_to_the_bottom_of_the_page_are_those_of_its_paper(locators):
    def squared(top, bottom, *columns):
        return paper(*((column, top, column, bottom) for column in columns))

    assert walls(locators, squared(0, 479, 224, 264, 304)) is None
    assert walls(locators, squared(0, 300, 224, 264, 304)) is not None
    assert walls(locators, squared(160, 479, 224, 264, 304)) is not None


@pytest.mark.parametrize("columns", [(264,), (264, 304), (164, 264, 324)])
def test_lines_from_the_top_to_the_bottom_that_are_not_as_those_of_squared_paper_are_walls(locators, columns):
    assert walls(locators, paper(*((column, 0, column, 479) for column in columns))) is not None


def test_the_edge_of_a_shadow_is_no_wall(locators):
    page = paper()
    page[:, 264:] -= 40
    assert walls(locators, page) is None


def test_numerals_may_hide_a_wall(locators):
    page = paper((244, 160, 244, 300))
    page[200:260, 200:250] = 40  # the numeral on the left goes as far as the wall
    page[200:260, 256:300] = 40
    one, other = Box(200, 200, 50, 60), Box(256, 200, 44, 60)
    assert walls(locators, page, one, other) is None
    assert walls(locators, page, one, other, behind=True) == pytest.approx(122, abs=1)
    assert walls(locators, paper(), one, other, behind=True) is None


boxes = st.builds(Box, st.integers(-40, 660), st.integers(-40, 500), st.integers(0, 90), st.integers(1, 200))


@settings(deadline=None, max_examples=60)
@given(
    lines=st.lists(st.tuples(*[st.integers(0, 640), st.integers(0, 480)] * 2), max_size=3),
    wall=st.integers(180, 300),
    level=st.integers(120, 205),
    one=boxes,
    other=boxes,
    tilt=st.floats(-0.5, 0.5),
    behind=st.booleans(),
)
@example(lines=[], wall=180, level=120, one=Box(0, 484, 0, 1), other=Box(4, 484, 0, 1), tilt=0.0, behind=False)
def test_both_searchers_find_the_same_walls(locators, lines, wall, level, one, other, tilt, behind):
    page = paper(*lines, (wall, 100, wall + 10, 380), level=level)
    walls(locators, page, LEFT, RIGHT, tilt, behind)
    walls(locators, page, one, other, tilt, behind)
