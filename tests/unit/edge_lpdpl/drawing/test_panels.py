"""The parts of drawings: histograms, bars, pictures, values."""

import numpy as np
import pytest
from colours import pixels_of
from PIL import Image

from edge_lpdpl.drawing.panels import BEST, PANEL, SECOND, Glyphs, draw_bars, draw_histogram, draw_picture, write_value
from edge_lpdpl.model.labels import Label
from edge_lpdpl.model.settings import HogSettings
from edge_lpdpl.numeral.buffers import bin_directions


def test_rays_point_where_the_gradient_does():
    """One bin of one cell: a ray to the right of the cell's middle, and to both sides if bins are unsigned."""
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
