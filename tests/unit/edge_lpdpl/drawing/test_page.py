"""The drawing of a page: every numeral has an outline and a readable tag."""

import numpy as np
import pytest
from colours import pixels_of
from PIL import Image

from edge_lpdpl.drawing.page import draw_page
from edge_lpdpl.drawing.panels import BEST, SECOND, UNREAD
from edge_lpdpl.number.line_reader import Number, Numeral
from edge_lpdpl.number.pictures.reader import PictureReader
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import Box, Unread

CUT_OUT = np.zeros((60, 50), np.uint8)


class TestPages:
    """Every numeral of a page has an outline and a readable tag beside it."""

    GREY = np.full((480, 640), 128, np.uint8)
    MIDDLE = Box(300, 200, 50, 60)

    @staticmethod
    def read_as(label: str, value: int | None, rejected: bool = False) -> Recognition:
        scores = np.zeros(0, np.float32)
        return Recognition(label, value, 0.999, rejected, "一", scores, 1e-5, 0.0, "unsure" if rejected else None)

    def drawn(self, recogniser, *found: tuple[Box, Recognition]) -> Image.Image:
        return draw_page(self.GREY, Reading([], [Numeral(box, read) for box, read in found]), [CUT_OUT] * len(found))

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
        assert pixels_of(image, SECOND)[:480].any()
        assert not pixels_of(image, BEST)[:480].any()  # the legend below has all colours

    def test_a_number_that_is_rejected_as_a_whole_is_shown_so(self, recogniser):
        numeral = Numeral(self.MIDDLE, self.read_as("五", 5))
        accepted = Number("五", 5, 0.9, None, self.MIDDLE, (0,))
        sure, doubted = (
            draw_page(self.GREY, Reading([one], [numeral]), [CUT_OUT])
            for one in (accepted, accepted._replace(reason="ink_unread"))
        )
        assert pixels_of(doubted, SECOND)[180:280, 280:370].any()
        assert not pixels_of(sure, SECOND)[:480].any()
        assert np.asarray(doubted)[480:].tobytes() != np.asarray(sure)[480:].tobytes()

    def test_notes_of_unread_ink_cover_no_writing(self, recogniser):
        """Ink between two numerals: its note stands on none of them."""
        left, right = Box(200, 200, 50, 60), Box(262, 200, 50, 60)
        read = [Numeral(box, self.read_as("五", 5)) for box in (left, right)]
        grey = self.GREY.copy()
        for box in (left, right):
            grey[box.y : box.bottom, box.x : box.right] = 10
        image = np.asarray(draw_page(grey, Reading([], read, [Unread(Box(252, 225, 8, 8), "print")]), [CUT_OUT] * 2))
        for box in (left, right):
            assert (image[box.y + 2 : box.bottom - 2, box.x + 2 : box.right - 2] == 10).mean() > 0.95

    def test_where_tags_have_no_room_each_number_has_one_note(self, recogniser):
        """Rows of six numerals without gaps: no picture is covered, as it would be by 48 tags."""
        boxes = [[Box(40 + 50 * column, 20 + 55 * row, 46, 34) for column in range(12)] for row in range(8)]
        numerals = [Numeral(box, self.read_as("五", 5)) for row in boxes for box in row]
        numbers = [
            Number(
                "五" * 12, value, 0.9, reason, Box(40, 20 + 55 * row, 596, 34), tuple(range(12 * row, 12 * row + 12))
            )
            for row, (value, reason) in enumerate([(555, None), (None, None), (7, "unsure"), *[(5, None)] * 5])
        ]
        image = draw_page(self.GREY, Reading(numbers, numerals), [CUT_OUT] * len(numerals))
        covered = np.asarray(image)[:480].max(axis=2) < 40
        assert 0 < covered.mean() < 0.03
        for row in boxes:
            for box in row:
                assert not covered[box.y : box.bottom, box.x : box.right].any()

    def test_what_is_nothing_says_so(self, recogniser):
        nothing = Recognition(None, None, 0.0, True, None, np.zeros(0, np.float32), 1e-5, 0.0, "no_ink")
        assert self.alone(recogniser, nothing) < self.alone(recogniser, self.read_as("none", 1, rejected=True)) < 0

    @pytest.mark.parametrize("shape", [(8, 200), (200, 8), (161, 4096)])
    def test_pages_of_any_shape(self, recogniser, shape):
        grey = np.full(shape, 128, np.uint8)
        image = draw_page(grey, Reading([], [Numeral(Box(1, 1, 6, 6), self.read_as("亿", 10**8))]), [CUT_OUT])
        assert max(image.width, image.height - 60) <= 1200
        assert pixels_of(image, BEST).any()

    def test_unread_ink_is_grey_and_counted(self, recogniser):
        """The legend has a box in each colour; a page without unread ink differs on the page and in the legend."""
        without = Reading([], [])
        image, other = (
            draw_page(self.GREY, reading, [])
            for reading in (without._replace(unread=[Unread(self.MIDDLE, "print")]), without)
        )
        rows, columns = np.nonzero(pixels_of(image, UNREAD)[:480])
        assert (rows.max(), columns.max()) == (263, 353)
        assert not pixels_of(other, UNREAD)[:480].any()
        for colour in (BEST, SECOND, UNREAD):
            assert pixels_of(image, colour)[480:].any()
        assert np.asarray(image)[480:].tobytes() != np.asarray(other)[480:].tobytes()

    def test_a_tag_shows_the_cut_out_that_was_read(self, recogniser):
        reading = Reading([], [Numeral(self.MIDDLE, self.read_as("五", 5))])
        images = [draw_page(self.GREY, reading, [cut_out]) for cut_out in (CUT_OUT, CUT_OUT + np.uint8(40))]
        assert np.asarray(images[1]).astype(int).sum() > np.asarray(images[0]).astype(int).sum() + 200 * 34 * 20

    def test_the_cut_outs_are_those_of_the_numerals(self, recogniser):
        grey = np.full((480, 640), 200, np.uint8)
        grey[200:208, 100:180] = grey[300:310, 300:400] = 40
        reader = PictureReader(recogniser)
        reading = reader.read(grey)
        assert len(reader.cut_outs()) == len(reading.numerals) == 2
        for cut_out in reader.cut_outs():
            assert 0 < (cut_out > 0).mean() < 1
