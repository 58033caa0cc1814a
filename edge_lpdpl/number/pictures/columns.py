"""Numbers that are written from top to bottom: the picture is turned, so that columns are rows of lying characters."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import checked_frame
from edge_lpdpl.number.line_reader import Number
from edge_lpdpl.number.lines import WIDEST_GAP_DOWN
from edge_lpdpl.number.reader import PageReader, Reading
from edge_lpdpl.numeral.recogniser import Recogniser, one_at_a_time
from edge_lpdpl.page.boxes import Box, turned, upright


def on_its_side(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture (height, width), turned by a quarter against the clock: the rightmost column is the first row."""
    return np.ascontiguousarray(np.rot90(grey))


def set_upright(reading: Reading, width: int) -> Reading:
    """The reading of a picture so wide that was turned by `on_its_side`, with the boxes that it has in the picture."""
    return reading.with_boxes(lambda box: upright(box, width))


def may_be_column(numbers: Sequence[Number]) -> bool:
    """Whether what was read in rows may be a column: one Chinese character is right below another one.

    >>> one, other = (Number(text, 1, 0.9, None, Box(100, y, 40, 40), (0,)) for text, y in (("七", 100), ("十", 160)))
    >>> may_be_column([one, other]), may_be_column([one, other._replace(box=Box(300, 160, 40, 40))])
    (True, False)
    """
    boxes = sorted(
        (one.box for one in numbers if len(one.text) == 1 and not one.text.isdecimal()), key=lambda box: box.y
    )
    return any(
        2 * (min(one.right, other.right) - max(one.x, other.x)) >= min(one.width, other.width)
        and 0 <= other.y - one.bottom <= WIDEST_GAP_DOWN * max(*one[2:], *other[2:])
        for one, other in pairwise(boxes)
    )


class ColumnReader(PageReader):
    """Reads frames of one size whose numbers are columns of Chinese characters, the rightmost one first.

    Args:
        recogniser, height, width, region: as of `PageReader`.
        known: what else `PageReader` takes.

    Raises:
        ConfigError, ImageError, ModelError: as of `PageReader`.

    >>> from edge_lpdpl import Recogniser, shipped_model
    >>> frame = np.full((480, 640), 200, np.uint8)
    >>> frame[100:105, 300:350] = frame[160:164, 310:340] = frame[180:185, 300:350] = 40
    >>> reading = ColumnReader(Recogniser.load(shipped_model("chinese15")), 480, 640).read(frame)
    >>> [(number.text, number.box) for number in reading.numbers]
    [('一二', Box(x=300, y=100, width=50, height=86))]
    """

    def __init__(
        self, recogniser: Recogniser, height: int, width: int, *, region: Box | None = None, **known: Any
    ) -> None:
        region = turned(region, width) if region else None
        super().__init__(recogniser, width, height, region=region, turned=True, **known)

    @one_at_a_time
    def read(self, grey: NDArray[np.uint8], share: float = 1.0) -> Reading:
        grey = checked_frame(grey, self.locator.width, self.locator.height)  # in which columns are rows
        return set_upright(super().read(on_its_side(grey), share), grey.shape[1])
