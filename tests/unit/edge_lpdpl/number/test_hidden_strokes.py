"""A stroke that lies on a printed rule is taken out with it, and leaves a doubt."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import LEFT_END, RIGHT_END

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
        return sum(locator.lift([(row, LEFT_END, RIGHT_END)]).hides for row in range(len(locator.find(frame))))

    assert hiding(on_a_wall(SEVEN[wall])) == 1
    assert hiding(on_a_wall(SEVEN[wall], *inside)) == 0
