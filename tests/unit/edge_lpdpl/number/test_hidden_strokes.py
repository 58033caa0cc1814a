"""Printed rules leave doubts: a stroke that lies on one is taken out with it, and what is left of one looks like a
stroke."""

import numpy as np
import pytest
from cards import sheet
from PIL import Image, ImageDraw

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import LEFT_END, LONGEST, RIGHT_END
from edge_lpdpl.page.rules_table import HIDDEN

SEVEN = {
    "above": [(225, 180), (255, 180), (237, 234)],
    "below": [(255, 256), (225, 256), (243, 202)],
    "left": [(208, 233), (208, 203), (262, 215)],
    "right": [(272, 203), (272, 233), (218, 221)],
}
"""A bar on a wall of a printed box, and a stem across the box."""


def on_a_wall(stroke: list[tuple[int, int]], along: int = 0, down: int = 0) -> np.ndarray:
    """Three printed boxes in a frame (480, 480): a 1, a stroke that is so far from its place, a 1."""
    image = Image.new("L", (480, 480), 225)
    draw = ImageDraw.Draw(image)
    for left in (144, 208, 272):
        draw.rectangle((left, 180, left + 64, 256), outline=60, width=3)
    moved = [(x + along, y + down) for x, y in stroke]
    for line in ([(176, 194), (176, 242)], moved, [(304, 194), (304, 242)]):
        draw.line(line, fill=50, width=6, joint="curve")
    return np.array(image)


@pytest.mark.parametrize(("down", "outcome"), [(0, ("111", "ink_unread")), (6, ("171", None)), (12, ("171", None))])
def test_a_numeral_whose_bar_lies_on_a_wall_of_its_box_leaves_a_doubt(down, outcome):
    """What lies on the wall is taken out with it: a 7 would be a 1."""
    reader = PageReader(Recogniser.load(shipped_model("latin10")), 480, 480)
    (number,) = reader.read(on_a_wall(SEVEN["above"], 0, down)).numbers
    assert (number.text, number.reason) == outcome


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize(
    ("wall", "inside"), [("above", (0, 12)), ("below", (0, -12)), ("left", (12, 0)), ("right", (-12, 0))]
)
def test_any_wall_of_a_box_may_hide_a_stroke(wall, inside, backend):
    locator = Locator(480, 480, backend=backend)

    def hiding(frame: np.ndarray) -> int:
        return sum(locator.lift([(row, LEFT_END, RIGHT_END)]).doubt != 0 for row in range(len(locator.find(frame))))

    assert hiding(on_a_wall(SEVEN[wall])) == 1
    assert hiding(on_a_wall(SEVEN[wall], *inside)) == 0


def test_a_numeral_that_is_the_same_with_what_a_wall_hides_leaves_no_doubt():
    """A 0 whose foot lies on the wall."""
    frame = on_a_wall([(240, 216)] * 2)
    image = Image.fromarray(frame)
    ImageDraw.Draw(image).ellipse((222, 194, 258, 257), outline=50, width=6)
    frame = np.array(image)
    frame[212:222, 230:250] = 225  # no dot in it
    locator = Locator(480, 480)
    table = locator.find(frame)
    assert [locator.lift([(row, LEFT_END, RIGHT_END)]).doubt for row in range(len(table))] == [0, HIDDEN, 0]
    (number,) = PageReader(Recogniser.load(shipped_model("latin10")), 480, 480).read(frame).numbers
    assert (number.text, number.reason) == ("101", None)


@pytest.mark.parametrize("wall", list(SEVEN))
def test_what_a_wall_may_hide_can_be_lifted_too(wall):
    """Both searchers put back the same pixels, and nothing where there is no doubt."""
    frame, lifted = on_a_wall(SEVEN[wall]), []
    for backend in ("numba", "numpy"):
        locator = Locator(480, 480, backend=backend)
        group = [[(row, LEFT_END, RIGHT_END)] for row in range(len(locator.find(frame)))]
        lifted.append([locator.lift(one, uncovered).picture.copy() for one in group for uncovered in (False, True)])
    for one, other in zip(*lifted, strict=True):
        np.testing.assert_array_equal(one, other)
    more = [int(whole.sum()) - int(bare.sum()) for bare, whole in zip(lifted[0][::2], lifted[0][1::2], strict=True)]
    assert sorted(more)[:-1] == [0, 0]
    assert max(more) > 1000


def in_boxes(text: str, wall: int) -> np.ndarray:
    """Digits in printed boxes side by side, a page (480, 640); each box has walls so thick."""
    digits = {(190 + 64 * place, 200): digit for place, digit in enumerate(text)}
    image = Image.fromarray(
        np.minimum.reduce([sheet((480, 640), 50, {place: digit}) for place, digit in digits.items()])
    )
    for left, top in digits:
        ImageDraw.Draw(image).rectangle((left - 18, top - 10, left + 46, top + 60), outline=40, width=wall)
    return np.array(image)


@pytest.mark.parametrize(("wall", "outcome"), [(2, ("3028", None)), (6, ("3101218", "ink_unread"))])
def test_a_bar_from_rule_to_rule_may_be_a_wall(wall, outcome):
    """Two walls side by side, together too thick for a rule, are no 1 beyond doubt."""
    (number,) = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(in_boxes("3028", wall)).numbers
    assert (number.text, number.reason) == outcome


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize(("shape", "doubts"), [((248, 254, 230, 236), 1), ((248, 254, 224, 230), 0)])
def test_a_speck_at_a_rule_may_be_left_of_it(backend, shape, doubts):
    """It is no decimal point beyond doubt; one that stands free is."""
    page, (top, bottom, left, right) = in_boxes("3028", 3), shape
    page[top:bottom, left:right] = 40
    locator = Locator(480, 640, backend=backend)
    lifted = [locator.lift([(row, LEFT_END, RIGHT_END)]) for row in range(len(locator.find(page)))]
    assert [one.doubt for one in lifted if one and one.row[LONGEST] <= 5] == [doubts]
