"""Ink to a centred square: its place, its size, and resampling as in Pillow."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from plain_python import examples
from stroke_pictures import stroke_picture, stroke_pictures

from edge_lpdpl.files.grey import INK_LIGHT
from edge_lpdpl.model.settings import EDGE, PAPER, HogSettings, Preprocessing
from edge_lpdpl.numeral.buffers import HEIGHT, LEVEL, WIDTH, make_workspace
from edge_lpdpl.numeral.kernels import ink as binarise
from edge_lpdpl.numeral.kernels import square as normalise
from edge_lpdpl.numeral.plain import square as plain_square

pytestmark = pytest.mark.slow

both = pytest.mark.parametrize("fit", [normalise.normalise, plain_square.normalise], ids=["numba", "numpy"])

BOX_KEPT = PAPER.preprocessing._replace(by_moments=False, aspect_power=1.0)
"""Centred on the box around the ink, which keeps its shape."""

preprocessings = st.builds(  # other fields keep their defaults: hypothesis would choose values that no model may have
    Preprocessing()._replace,
    side=st.sampled_from([16, 32, 45]),
    ink_percentile=st.sampled_from([0, 75]),
    by_moments=st.booleans(),
    moment_width=st.sampled_from([3.0, 4.5]),
    aspect_power=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    margin=st.sampled_from([0, 1, 3]),
    pixel_spread=st.sampled_from([1 / 12, 0.5]),
)


def found_and_square(fit, picture: np.ndarray, preprocessing: Preprocessing) -> tuple[naive.Ink, np.ndarray] | None:
    """The ink that `binarise` finds in a picture of light ink, and the square that `fit` makes of it."""
    buffers = make_workspace(preprocessing, HogSettings())
    if not binarise.binarise(picture, INK_LIGHT, preprocessing, buffers):
        return None
    fit(preprocessing, buffers)
    height, width, level = buffers.found[[HEIGHT, WIDTH, LEVEL]].tolist()
    return naive.Ink(buffers.ink[: height * width].reshape(height, width), level), buffers.square


def square_of(fit, picture: np.ndarray, preprocessing: Preprocessing) -> np.ndarray:
    result = found_and_square(fit, picture, preprocessing)
    assert result
    return result[1]


@both
@settings(max_examples=examples(60))
@given(stroke_pictures(8, 160), preprocessings)
def test_the_square_is_what_the_definition_says(fit, picture, preprocessing):
    if result := found_and_square(fit, picture, preprocessing):
        found, square = result
        assert square.dtype == np.float32
        np.testing.assert_allclose(square, naive.normalise(found, preprocessing), atol=2e-6)


@both
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(40, 40), (150, 70)])
@pytest.mark.parametrize("profile", [EDGE, PAPER], ids=lambda profile: profile.name)
def test_pillow_resamples_to_the_same_square(fit, profile, shape, seed):
    found, square = found_and_square(fit, stroke_picture(seed, *shape), profile.preprocessing)
    (centre_y, scale_y), (centre_x, scale_x) = naive.window(found, profile.preprocessing)
    frame, half = 160, profile.preprocessing.side / 2  # Pillow's window must not stick out of the picture
    share = np.pad(np.minimum(found.ink, found.level) / np.float32(found.level), frame).astype(np.float32)
    left, right = (frame + centre_x + side * half * scale_x for side in (-1, 1))
    top, bottom = (frame + centre_y + side * half * scale_y for side in (-1, 1))
    size = (profile.preprocessing.side,) * 2
    expected = Image.fromarray(share).resize(size, Image.Resampling.BILINEAR, (left, top, right, bottom))
    np.testing.assert_allclose(square, np.asarray(expected), atol=2e-4)  # Pillow keeps the window in float32


@both
@pytest.mark.parametrize("seed", range(6))
class TestCentring:
    def test_the_centroid_is_in_the_middle(self, fit, seed):
        square = square_of(fit, stroke_picture(seed), EDGE.preprocessing._replace(margin=3, moment_width=6.0))
        places = np.arange(32) + 0.5
        assert np.average(places, weights=square.sum(axis=0)) == pytest.approx(16, abs=0.1)
        assert np.average(places, weights=square.sum(axis=1)) == pytest.approx(16, abs=0.1)

    def test_the_box_fills_the_square_up_to_the_margin(self, fit, seed):
        square = square_of(fit, stroke_picture(seed), BOX_KEPT._replace(aspect_power=0.0, margin=3))
        for inked in (np.flatnonzero(square.max(axis=0) >= 0.5), np.flatnonzero(square.max(axis=1) >= 0.5)):
            assert inked[0] == pytest.approx(3, abs=1)
            assert inked[-1] == pytest.approx(28, abs=1)

    def test_a_shifted_picture_gives_the_same_square(self, fit, seed):
        picture = np.pad(stroke_picture(seed), 20)
        shifted = np.roll(picture, (-11, 13), axis=(0, 1))
        square, other = (square_of(fit, grey, EDGE.preprocessing) for grey in (picture, shifted))
        np.testing.assert_allclose(square, other, atol=1e-5)

    def test_a_turned_picture_gives_a_turned_square(self, fit, seed):
        picture = stroke_picture(seed, 60, 40)
        square, turned = (square_of(fit, grey.copy(), EDGE.preprocessing) for grey in (picture, np.rot90(picture)))
        np.testing.assert_allclose(np.rot90(square), turned, atol=1e-5)


@both
@pytest.mark.parametrize(
    ("power", "width"),
    [(1.0, 7.5), (0.5, 15.0), (0.25, 21.2), (0.0, 30.0)],
    ids=["kept", "root", "fourth", "stretched"],
)
def test_the_aspect_of_a_bar_is_kept_by_a_power(fit, power, width):
    picture = np.zeros((100, 100), np.uint8)
    picture[10:90, 40:60] = 255
    square = square_of(fit, picture, BOX_KEPT._replace(aspect_power=power))
    assert square.sum(axis=0).max() == pytest.approx(30, abs=0.5)
    assert square.sum(axis=1).max() == pytest.approx(width, abs=0.5)


@both
def test_ink_counts_up_to_the_full_level(fit):
    picture = np.zeros((64, 64), np.uint8)
    picture[10:54, 20:40] = 200
    picture[10:54, 36:40] = 100
    square = square_of(fit, picture, BOX_KEPT._replace(ink_percentile=75, low_ratio=0.4))
    assert square.max() == pytest.approx(1)
    assert square[16, 21] == pytest.approx(0.5, abs=0.02)


@both
@pytest.mark.parametrize("horizontal", [False, True])
def test_a_stroke_one_pixel_wide_has_a_width(fit, horizontal):
    picture = np.zeros((64, 64), np.uint8)
    picture[8:56, 30] = 255
    square = square_of(fit, np.ascontiguousarray(picture.T) if horizontal else picture, EDGE.preprocessing)
    assert square.sum(axis=int(not horizontal)).max() == pytest.approx(3.3, abs=0.1)
