"""The drawing of a page: every numeral has an outline and a readable tag."""

import numpy as np
import pytest
from colours import pixels_of
from PIL import Image

from edge_lpdpl.drawing.page import draw_page
from edge_lpdpl.drawing.parts import BEST, SECOND
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.reader import Found


class TestPages:
    """Every numeral of a page has an outline and a readable tag beside it."""

    GREY = np.full((480, 640), 128, np.uint8)
    MIDDLE = Box(300, 200, 50, 60)

    @staticmethod
    def read_as(label: str, value: int | None, rejected: bool = False) -> Recognition:
        return Recognition(label, value, 0.999, rejected, "一", np.zeros(0, np.float32), 1e-5)

    def drawn(self, recogniser, *found: tuple[Box, Recognition]) -> Image.Image:
        return draw_page(recogniser, self.GREY, [Found(box, read) for box, read in found])

    @staticmethod
    def paint(image: Image.Image) -> int:
        """Amount of orange on the grey page and on black. Blended pixels count in part; blue is negative."""
        red, _, blue = np.asarray(image, int)[:480].transpose(2, 0, 1)
        return int((red - blue).sum())

    def alone(self, recogniser, read: Recognition) -> int:
        """Amount of paint for one numeral in the middle."""
        return self.paint(self.drawn(recogniser, (self.MIDDLE, read)))

    @pytest.mark.parametrize(
        "boxes",
        [
            pytest.param([Box(200 + 62 * place, 300, 50, 60) for place in range(4)], id="closely beside each other"),
            pytest.param([Box(200, 60 + 72 * place, 50, 60) for place in range(4)], id="closely below each other"),
            pytest.param([Box(580, 200, 50, 60)], id="at the right rim"),
            pytest.param([Box(300, 410, 50, 60)], id="at the lower rim"),
            pytest.param([Box(580, 410, 50, 60), Box(510, 410, 50, 60)], id="in the corner"),
        ],
    )
    def test_no_tag_is_covered_or_cut(self, recogniser, boxes):
        read = self.read_as("五", 100_000_000)
        image = self.drawn(recogniser, *((box, read) for box in boxes))
        assert self.paint(image) == pytest.approx(len(boxes) * self.alone(recogniser, read), rel=0.002)

    def test_what_is_rejected_has_another_colour(self, recogniser):
        image = self.drawn(recogniser, (self.MIDDLE, self.read_as("五", 5, rejected=True)))
        assert pixels_of(image, SECOND).any()
        assert not pixels_of(image, BEST).any()

    def test_what_is_nothing_says_so(self, recogniser):
        nothing = Recognition(None, None, 0.0, True, None, np.zeros(0, np.float32), 1e-5)
        assert self.alone(recogniser, nothing) < self.alone(recogniser, self.read_as("none", 1, rejected=True)) < 0

    @pytest.mark.parametrize("shape", [(8, 200), (200, 8), (161, 4096)])
    def test_pages_of_any_shape(self, recogniser, shape):
        grey = np.full(shape, 128, np.uint8)
        image = draw_page(recogniser, grey, [Found(Box(1, 1, 6, 6), self.read_as("亿", 10**8))])
        assert max(image.width, image.height - 44) <= 1200
        assert pixels_of(image, BEST).any()
