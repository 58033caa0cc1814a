"""The drawing of one decision shows every step."""

import dataclasses

import numpy as np
import pytest
from colours import pixels_of
from PIL import Image

from edge_lpdpl.drawing.decision import draw_pipeline, save_png
from edge_lpdpl.drawing.panels import BEST, PANEL, SECOND
from edge_lpdpl.errors import EdgeError, ImageError
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.labels import LATIN, Label
from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.synthetic.pictures import draw_numeral


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
    """Classes without pictures are labelled by their values."""
    labels = tuple(Label(f"class{value}", value) for _, value in LATIN)
    model = dataclasses.replace(read_model(shipped_model("latin10")), labels=labels)
    image = draw_pipeline(Recogniser(model), draw_numeral("7", seed=3))
    assert pixels_of(image, BEST).any()


def test_only_a_drawing_is_replaced_by_a_drawing(tmp_path):
    image, photograph = Image.new("L", (9, 9)), tmp_path / "photograph.png"
    for _ in range(2):
        save_png(image, tmp_path / "a.png")
    image.save(photograph)
    with pytest.raises(
        EdgeError, match=r"photograph\.png: exists, and is no drawing of edge-lpdpl; it is not overwrit"
    ):
        save_png(image, photograph)


def test_files_are_png_and_whole(tmp_path):
    image = Image.new("RGB", (4, 4), "red")
    save_png(image, tmp_path / "a.PNG")
    assert Image.open(tmp_path / "a.PNG").format == "PNG"
    with pytest.raises(EdgeError, match=r"a\.gif: is written as PNG; give it a name that ends in \.png"):
        save_png(image, tmp_path / "a.gif")
    with pytest.raises(EdgeError, match=r"a\.png: cannot be written \(No such file or directory\); check"):
        save_png(image, tmp_path / "none" / "a.png")
