"""The picture of one decision, and that of a page: everything that they should show is in them."""

import dataclasses

import numpy as np
import pytest
from PIL import Image
from template_models import ship_templates

from edge_lpdpl.drawing.decision import draw_pipeline, save_png
from edge_lpdpl.drawing.page import draw_page
from edge_lpdpl.drawing.panels import BEST, PANEL, SECOND, Glyphs, draw_bars, draw_histogram, draw_picture, write_value
from edge_lpdpl.errors import EdgeError, ImageError
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.labels import LATIN, Label
from edge_lpdpl.model.settings import HogSettings
from edge_lpdpl.numeral.buffers import bin_directions
from edge_lpdpl.numeral.recogniser import Recogniser, Recognition
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.reader import Found
from train_host.synthetic import draw_numeral


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


@pytest.fixture
def recogniser() -> Recogniser:
    return Recogniser.load(shipped_model("chinese15"))


def pixels_of(image: Image.Image, colour: str) -> np.ndarray:
    """Where a picture has a colour, (height, width) bool."""
    wanted = [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
    return (np.asarray(image) == wanted).all(axis=2)


def test_the_drawing_shows_every_step(recogniser):
    image = draw_pipeline(recogniser, draw_numeral("五", seed=5, size=128, dark_on_light=True))
    assert (image.mode, image.size) == ("RGB", (1904, 538))
    parts = [np.asarray(image)[180 : 140 + PANEL, left : left + PANEL] for left in range(36, 1500, PANEL + 28)]
    assert len(parts) == 5
    assert all(part.std() > 5 for part in parts)
    assert pixels_of(image, BEST).any()
    assert pixels_of(image, SECOND).any()


@pytest.mark.parametrize("shape", [(8, 8), (64, 64), (40, 300), (700, 90)])
def test_pictures_of_any_shape(shape, recogniser):
    grey = np.zeros(shape, np.uint8)
    grey[shape[0] // 2 - 2 : shape[0] // 2 + 2, shape[1] // 4 : -shape[1] // 4] = 220
    assert draw_pipeline(recogniser, grey).size == draw_pipeline(recogniser, np.zeros((64, 64), np.uint8)).size


def test_nothing_here_is_drawn_as_such(recogniser):
    image = draw_pipeline(recogniser, np.full((64, 64), 128, np.uint8))
    assert not pixels_of(image, SECOND).any()


def test_what_is_no_picture(recogniser):
    with pytest.raises(ImageError):
        draw_pipeline(recogniser, np.zeros((4, 4), np.uint8))


def test_the_recogniser_reads_on_as_before(recogniser):
    grey = draw_numeral("七", seed=3)
    before = recogniser.recognise(grey)
    draw_pipeline(recogniser, draw_numeral("万", seed=3))
    after = recogniser.recognise(grey)
    assert after.label == before.label
    np.testing.assert_array_equal(after.scores, before.scores)


def test_a_model_of_classes_without_pictures():
    """Its classes are labelled by their values alone."""
    labels = tuple(Label(f"class{value}", value) for _, value in LATIN)
    model = dataclasses.replace(read_model(shipped_model("latin10")), labels=labels)
    image = draw_pipeline(Recogniser(model), draw_numeral("7", seed=3))
    assert pixels_of(image, BEST).any()


def test_rays_point_where_the_gradient_does():
    """One bin of one cell: to the right of the middle of that cell, and on both sides where there is no sign."""
    histogram = np.zeros((8, 8, 8), np.float32)
    histogram[3, 5, 0] = 2
    directions = bin_directions(HogSettings())[:-1]
    lit = np.argwhere(np.asarray(draw_histogram(histogram, directions, signed=True))[:, :, 0] > 120)
    middle_y, middle_x = 3.5 * PANEL / 8, 5.5 * PANEL / 8
    assert abs(lit[:, 0] - middle_y).max() <= 2
    assert lit[:, 1].min() >= middle_x - 2
    assert abs(lit[:, 1].max() - 6 * PANEL / 8) <= 2
    both = np.argwhere(np.asarray(draw_histogram(histogram, directions, signed=False))[:, :, 0] > 120)
    assert abs(both[:, 1].min() - 5 * PANEL / 8) <= 2


def test_an_empty_histogram_is_empty():
    drawn = draw_histogram(np.zeros((4, 4, 8), np.float32), bin_directions(HogSettings())[:-1], signed=True)
    assert np.asarray(drawn).max() < 60


def test_the_best_class_has_the_longest_bar(recogniser):
    scores = np.linspace(1, -1, 15, dtype=np.float32)[::-1].copy()
    scores[4] = -1.5
    image = draw_bars(440, recogniser.model.labels, scores, Glyphs(recogniser))
    rows, columns = np.nonzero(pixels_of(image, BEST))
    assert 4 * PANEL / 15 <= rows.min() <= rows.max() < 5 * PANEL / 15
    assert columns.max() > 420
    assert np.nonzero(pixels_of(image, SECOND))[1].max() < columns.max()


def test_many_classes_are_cut_to_the_best(recogniser):
    labels = [Label(f"c{value}", value) for value in range(64)]
    scores = np.arange(64, dtype=np.float32)
    assert draw_bars(440, labels, scores, Glyphs(recogniser)).size == (440, PANEL)
    assert draw_bars(440, labels, np.zeros(64, np.float32), Glyphs(recogniser)).size == (440, PANEL)


def test_a_part_of_a_picture_is_framed():
    image = draw_picture(np.zeros((32, 32), np.uint8), (8, 8, 16, 24))
    rows, columns = np.nonzero(pixels_of(image, SECOND))
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (79, 240, 79, 160)


@pytest.mark.parametrize("value", [0, 7, 10, 1000, 12_345, 10**4, 10**8, 10**12])
def test_values_fit_beside_a_bar(value):
    image = Image.new("RGB", (440, 40))
    assert 0 < write_value(image, (0, 20), value, 17) <= 110
    assert np.asarray(image).any()


def test_files_are_png_and_whole(tmp_path):
    image = Image.new("RGB", (4, 4), "red")
    save_png(image, tmp_path / "a.PNG")
    assert Image.open(tmp_path / "a.PNG").format == "PNG"
    with pytest.raises(EdgeError, match=r"a\.gif: is written as PNG; give it a name that ends in \.png"):
        save_png(image, tmp_path / "a.gif")
    with pytest.raises(EdgeError, match=r"a\.png: cannot be written \(No such file or directory\); check"):
        save_png(image, tmp_path / "none" / "a.png")


class TestPages:
    """Every numeral of a page has its outline and a tag beside it that can be read."""

    GREY = np.full((480, 640), 128, np.uint8)
    MIDDLE = Box(300, 200, 50, 60)

    @staticmethod
    def read_as(label: str, value: int | None, rejected: bool = False) -> Recognition:
        return Recognition(label, value, 0.999, rejected, "一", np.zeros(0, np.float32), 1e-5)

    def drawn(self, recogniser, *found: tuple[Box, Recognition]) -> Image.Image:
        return draw_page(recogniser, self.GREY, [Found(box, read) for box, read in found])

    @staticmethod
    def paint(image: Image.Image) -> int:
        """How much orange there is on the grey page and on black, half a pixel of it for half; blue is negative."""
        red, _, blue = np.asarray(image, int)[:480].transpose(2, 0, 1)
        return int((red - blue).sum())

    def alone(self, recogniser, read: Recognition) -> int:
        """Paint where a numeral stands alone in the middle."""
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
