"""The whole path from picture to decision, with kernels and with NumPy."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from PIL import Image
from plain_python import examples
from small_models import small_model
from stroke_pictures import nothing_to_read, stroke_picture, stroke_pictures

from edge_lpdpl.files.grey import INK_AUTO, INK_LIGHT
from edge_lpdpl.model.settings import EDGE, PAPER, Profile
from edge_lpdpl.numeral.buffers import PIXELS
from edge_lpdpl.numeral.hand import Hand, Sample
from edge_lpdpl.numeral.recogniser import Recogniser

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["numba", "numpy"])
def backend(request) -> str:
    return request.param


@pytest.fixture(
    scope="module",
    params=[("numba", EDGE), ("numba", PAPER), ("numpy", EDGE)],
    ids=lambda combination: f"{combination[0]}-{combination[1].name}",
)
def recogniser(request) -> Recogniser:
    backend, profile = request.param
    return Recogniser(small_model(profile), backend)


@pytest.fixture(scope="module")
def edge(backend) -> Recogniser:
    return Recogniser(small_model(EDGE), backend)


def features_of(recogniser: Recogniser, picture: np.ndarray, polarity: str = "auto") -> np.ndarray:
    assert recogniser.recognise(picture, polarity).label is not None
    return recogniser.engine.buffers.features.copy()


def likeness(features: np.ndarray, others: np.ndarray) -> float:
    """Cosine of the angle between two histograms."""
    return float(features @ others / np.linalg.norm(features) / np.linalg.norm(others))


class TestDefinition:
    @settings(max_examples=examples(25))
    @given(picture=stroke_pictures())
    def test_features_are_those_of_the_slow_twins(self, recogniser, picture):
        preprocessing, hog = recogniser.model.preprocessing, recogniser.model.hog
        found = naive.binarise(picture, INK_AUTO, preprocessing)
        recognition = recogniser.recognise(picture)
        assert (recognition.label is None) == (found is None)
        if found:
            buffers = recogniser.engine.buffers
            np.testing.assert_allclose(buffers.square, naive.normalise(found, preprocessing), atol=2e-6)
            # Of the same square: its last bits decide how its pixels are rounded to levels.
            power = 2 if hog.square_root else 1  # a square root magnifies small differences
            expected = naive.histogram_of_gradients(buffers.square, hog) ** power
            features = buffers.features.astype(float) ** power
            np.testing.assert_allclose(features, expected, rtol=1e-5, atol=1e-5 * expected.max())


class TestOddPictures:
    @pytest.mark.parametrize("picture", nothing_to_read().values(), ids=nothing_to_read())
    def test_nothing_to_read_is_a_result_and_no_error(self, recogniser, picture):
        recognition = recogniser.recognise(picture)
        assert recognition.label is None
        assert recognition.rejected
        assert recogniser.engine.buffers.found[PIXELS] == 0

    def test_one_pixel_is_read_where_a_model_calls_it_no_speck(self, backend):
        fine = EDGE.preprocessing._replace(least_speck=1, speck_share=0.0, paper_window=0.0)
        recogniser = Recogniser(small_model(Profile("fine", fine, EDGE.hog)), backend)
        picture = np.zeros((64, 64), np.uint8)
        picture[20, 30] = 255
        assert recogniser.recognise(picture, "light").label is not None
        expected = naive.normalise(naive.binarise(picture, INK_LIGHT, fine), fine)
        np.testing.assert_allclose(recogniser.engine.buffers.square, expected, atol=2e-6)

    @pytest.mark.parametrize("polarity", ["light", "dark", "auto"])
    @pytest.mark.parametrize("cell", [1, 2, 8])
    def test_a_checkerboard_is_read_as_something(self, recogniser, cell, polarity):
        y, x = np.indices((64, 64)) // cell
        recognition = recogniser.recognise(((y + x) % 2 * 255).astype(np.uint8), polarity)
        assert recognition.label in {label.character for label in recogniser.model.labels}
        assert np.isfinite(recognition.scores).all()

    @pytest.mark.parametrize("shape", [(8, 8), (8, 4096), (4096, 8), (4096, 4096), (161, 8), (160, 160)])
    def test_any_shape_will_do(self, recogniser, shape):
        picture = np.zeros(shape, np.uint8)
        height, width = shape
        picture[height // 4 : height - height // 4, width // 4 : width - width // 4] = 200
        assert np.isfinite(recogniser.recognise(picture).scores).all()
        assert recogniser.engine.buffers.found[PIXELS] > 0

    def test_noise_alone_is_read_as_something_or_nothing(self, recogniser):
        for seed in range(20):
            noise = np.random.default_rng(seed).integers(0, 256, size=(40, 40), dtype=np.uint8)
            assert np.isfinite(recogniser.recognise(noise).scores).all()


def test_one_taught_sample_counts(backend):
    recogniser, picture = Recogniser(small_model(EDGE), backend), stroke_picture(0)
    before = recogniser.recognise(picture)
    recogniser.wear(Hand().with_sample(Sample(before.runner_up, recogniser.square())))
    labels = [label.character for label in recogniser.model.labels]
    gained = before.scores - recogniser.recognise(picture).scores
    assert (gained > 0).tolist() == [label == before.runner_up for label in labels]


class TestArrays:
    """Layouts that a caller may use: strided rows, column-major, read-only."""

    @pytest.mark.parametrize(
        "view",
        [
            lambda picture: np.asfortranarray(picture),
            lambda picture: np.repeat(np.repeat(picture, 2, axis=0), 3, axis=1)[::2, ::3],
            lambda picture: np.pad(picture, 5)[5:-5, 5:-5],
            lambda picture: picture[::-1, ::-1].copy()[::-1, ::-1],
            lambda picture: np.asarray(Image.fromarray(picture)),
        ],
        ids=["fortran", "strided", "cut out", "reversed", "read-only"],
    )
    def test_the_layout_does_not_matter(self, recogniser, view):
        picture = stroke_picture(0)
        given = view(picture)
        np.testing.assert_array_equal(features_of(recogniser, given), features_of(recogniser, picture))

    def test_the_picture_is_left_as_it_is(self, recogniser):
        for picture in (stroke_picture(0), 255 - stroke_picture(0), stroke_picture(0, paper=120)):
            before = picture.copy()
            recogniser.recognise(picture)
            np.testing.assert_array_equal(picture, before)

    def test_one_picture_leaves_nothing_behind_for_the_next(self, recogniser):
        picture = stroke_picture(0)
        features = features_of(recogniser, picture)
        for other in (stroke_picture(1, 160, 160, noise=30), stroke_picture(2, 20, 30), *nothing_to_read().values()):
            recogniser.recognise(other)
        np.testing.assert_array_equal(features_of(recogniser, picture), features)


@pytest.mark.parametrize("seed", range(8))
class TestSameDecision:
    def test_for_light_ink_and_dark(self, recogniser, seed):
        picture = stroke_picture(seed, noise=6)
        light, dark = recogniser.recognise(picture, "light"), recogniser.recognise(255 - picture, "dark")
        assert light.label == dark.label
        np.testing.assert_array_equal(light.scores, dark.scores)
        np.testing.assert_array_equal(light.scores, recogniser.recognise(picture).scores)
        np.testing.assert_array_equal(light.scores, recogniser.recognise(255 - picture).scores)

    def test_wherever_it_is_written(self, recogniser, seed):
        picture = np.pad(stroke_picture(seed, 50, 50), 40)
        features = features_of(recogniser, picture)
        for shift in [(-40, -40), (17, -5), (40, 40)]:
            moved = np.roll(picture, shift, axis=(0, 1))
            np.testing.assert_allclose(features_of(recogniser, moved), features, atol=1e-2 * features.max())

    @pytest.mark.parametrize("size", [96, 150, 320])
    def test_almost_for_any_size(self, edge, seed, size):
        picture = stroke_picture(seed, 64, 64)
        larger = np.asarray(Image.fromarray(picture).resize((size, size), Image.Resampling.BICUBIC))
        assert likeness(features_of(edge, picture), features_of(edge, larger)) > 0.97

    def test_almost_on_uneven_paper(self, edge, seed):
        clean, photograph = stroke_picture(seed), stroke_picture(seed, paper=110, noise=4)
        assert likeness(features_of(edge, clean), features_of(edge, photograph)) > 0.8
