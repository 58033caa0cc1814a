"""Histogram of oriented gradients: against its definition, scikit-image, and pictures whose gradients are known."""

import naive
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from plain_python import examples
from skimage.feature import hog as scikit_image_hog

from edge_lpdpl.model.settings import EDGE, PAPER, HogSettings, Preprocessing
from edge_lpdpl.numeral.buffers import make_workspace
from edge_lpdpl.numeral.kernels import histogram as hog
from edge_lpdpl.numeral.plain import histogram as numpy_features

both = pytest.mark.parametrize(
    "gradients", [hog.histogram_of_gradients, numpy_features.histogram_of_gradients], ids=["numba", "numpy"]
)
compiled = pytest.mark.parametrize("gradients", [hog.histogram_of_gradients], ids=["numba"])
"""For settings that NumPy does not compute."""

HARD = HogSettings(
    cell=3, bins=9, signed=False, soft_bins=False, soft_cells=False, smoothing=0, square_root=False, contrast=0
)
"""Settings for which scikit-image has the same definition."""

ROUNDING = 0.02
"""Share of a gradient of 80 levels that rounding may move to another bin."""

any_settings = st.builds(
    HogSettings,
    cell=st.sampled_from([2, 3, 4, 5, 16]),
    bins=st.sampled_from([4, 5, 8, 9, 12, 18]),
    signed=st.booleans(),
    soft_bins=st.booleans(),
    soft_cells=st.booleans(),
    smoothing=st.sampled_from([0, 1, 2]),
    square_root=st.booleans(),
    contrast=st.sampled_from([0, 1, 2]),
    least_norm=st.sampled_from([1e-5, 0.1]),
)


def features_of(gradients, square: np.ndarray, settings: HogSettings) -> np.ndarray:
    buffers = make_workspace(Preprocessing(side=len(square)), settings)
    buffers.square[:] = square
    gradients(settings, buffers)
    return buffers.features


def random_square(seed: int, side: int = 32) -> np.ndarray:
    """Random grey with flat areas between, where the gradient is 0."""
    random = np.random.default_rng(seed)
    return (random.random((side, side)) * (random.random((side, side)) < 0.6)).astype(np.float32)


def assert_same(features: np.ndarray, expected: np.ndarray, settings: HogSettings) -> None:
    """Equal to one part in 100,000 of the largest, before the square root, which magnifies small differences."""
    power = 2 if settings.square_root else 1
    features, expected = features.astype(float) ** power, expected**power
    np.testing.assert_allclose(features, expected, rtol=1e-5, atol=1e-5 * expected.max())


@compiled
@settings(max_examples=examples(50))
@given(st.integers(0, 2**32 - 1), st.sampled_from([16, 28, 32]), any_settings)
def test_features_are_what_the_definition_says(gradients, seed, side, hog_settings):
    square = random_square(seed, side)
    expected = naive.histogram_of_gradients(square, hog_settings)
    assert_same(features_of(gradients, square, hog_settings), expected, hog_settings)


@both
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("smoothing", range(4))
def test_the_fast_settings_are_no_exception(gradients, smoothing, seed):
    square, edge = random_square(seed), EDGE.hog._replace(smoothing=smoothing)
    assert_same(features_of(gradients, square, edge), naive.histogram_of_gradients(square, edge), edge)


def near_a_border(square: np.ndarray, bins: int) -> bool:
    """Whether a gradient lies so near to the border of two bins that rounding decides."""
    down, right = (np.gradient(square, axis=axis)[1:-1, 1:-1] for axis in (0, 1))
    place = np.degrees(np.arctan2(down, right)) % 180 * bins / 180
    return bool((np.abs(place - np.rint(place)) < 1e-5).any())


class TestAgainstScikitImage:
    @compiled
    @given(seed=st.integers(0, 2**32 - 1), cell=st.sampled_from([2, 3, 4]), bins=st.sampled_from([6, 8, 9]))
    def test_cells_that_have_the_norm_one(self, gradients, seed, cell, bins):
        square = np.random.default_rng(seed).random((32, 32)).astype(np.float32)
        assume(not near_a_border(square, bins))
        expected = scikit_image_hog(
            square.astype(float), bins, (cell, cell), cells_per_block=(1, 1), block_norm="L2", feature_vector=True
        )
        features = features_of(gradients, square, HARD._replace(cell=cell, bins=bins, contrast=2))
        np.testing.assert_allclose(features, expected, rtol=1e-5, atol=1e-5)

    @compiled
    @given(seed=st.integers(0, 2**32 - 1))
    def test_plain_cells_up_to_the_sum_of_all(self, gradients, seed):
        square = np.random.default_rng(seed).random((32, 32)).astype(np.float32)
        assume(not near_a_border(square, 9))
        expected = scikit_image_hog(
            square.astype(float), 9, (3, 3), cells_per_block=(10, 10), block_norm="L1", feature_vector=True
        )
        features = features_of(gradients, square, HARD)
        np.testing.assert_allclose(features / features.sum(), expected, rtol=1e-4, atol=1e-7)


class TestDirections:
    """A square that gets lighter in one direction has gradients only in that direction."""

    @staticmethod
    def slope(degrees: float) -> np.ndarray:
        y, x = (np.mgrid[:32, :32] - 15.5) / 48
        return (x * np.cos(np.radians(degrees)) + y * np.sin(np.radians(degrees)) + 0.5).astype(np.float32)

    @both
    @pytest.mark.parametrize("number", range(8))
    def test_eight_bins_start_at_the_right_and_go_round_clockwise(self, gradients, number):
        cells = features_of(gradients, self.slope(45 * number), EDGE.hog._replace(smoothing=0)).reshape(8, 8, 8)
        inside = cells[2:-2, 2:-2]  # gradients are smaller at the rim
        assert (inside.argmax(axis=2) == number).all()
        others = np.delete(inside, number, axis=2)
        assert (others**2).max() < ROUNDING * (inside**2).max()

    @both
    def test_between_two_bins_both_have_half(self, gradients):
        cells = features_of(gradients, self.slope(22.5), EDGE.hog._replace(smoothing=0)).reshape(8, 8, 8)
        assert cells[4, 4, 0] == pytest.approx(cells[4, 4, 1], rel=ROUNDING)
        assert not cells[4, 4, 2:].any()

    @compiled
    @pytest.mark.parametrize(("right", "down", "number"), [(1, 0, 0), (1, 1, 1), (-1, 1, 3), (-1, -1, 1)])
    def test_a_hard_bin_begins_with_its_own_direction(self, gradients, right, down, number):
        y, x = np.mgrid[:32, :32]
        hard = HARD._replace(cell=4, bins=4)
        cells = features_of(gradients, (right * x + down * y) / 64 + 0.5, hard).reshape(8, 8, 4)
        assert (cells[1:-1, 1:-1].nonzero()[2] == number).all()

    @compiled
    def test_unsigned_bins_take_opposite_gradients_alike(self, gradients):
        features, opposite = (features_of(gradients, self.slope(angle), PAPER.hog) for angle in (50, 230))
        np.testing.assert_allclose(features, opposite, atol=1e-5)

    @both
    @given(seed=st.integers(0, 2**32 - 1))
    def test_turning_the_square_turns_the_bins(self, gradients, seed):
        square = random_square(seed)
        cells, turned = (
            features_of(gradients, grey, EDGE.hog).reshape(8, 8, 8) ** 2 for grey in (square, np.rot90(square))
        )
        expected = np.roll(np.rot90(cells), -2, axis=2)  # a quarter turn anticlockwise
        np.testing.assert_allclose(turned, expected, rtol=1e-5, atol=1e-5)

    @compiled
    @given(seed=st.integers(0, 2**32 - 1), bins=st.sampled_from([5, 8, 12]))
    def test_soft_shares_of_a_cell_add_up_to_its_gradients(self, gradients, seed, bins):
        square = random_square(seed)
        plain = HogSettings(bins=bins, soft_cells=False, smoothing=0, square_root=False)
        cells = features_of(gradients, square, plain).reshape(8, 8, bins)
        angles = np.arange(bins) * 2 * np.pi / bins
        right, down = np.zeros((2, 32, 32))
        right[:, 1:-1], down[1:-1] = square[:, 2:] - square[:, :-2], square[2:] - square[:-2]
        for vectors, direction in ((right, np.cos(angles)), (down, np.sin(angles))):
            expected = vectors.reshape(8, 4, 8, 4).sum(axis=(1, 3))
            np.testing.assert_allclose(cells @ direction, expected, atol=1e-5)


class TestContrast:
    @pytest.mark.parametrize(
        ("gradients", "hog_settings"),
        [
            (numpy_features.histogram_of_gradients, EDGE.hog),
            (hog.histogram_of_gradients, EDGE.hog),
            (hog.histogram_of_gradients, PAPER.hog),
            (hog.histogram_of_gradients, HARD._replace(contrast=2)),
        ],
    )
    @pytest.mark.parametrize("level", [0, 1])
    def test_a_plain_square_has_no_gradients(self, gradients, hog_settings, level):
        inside = features_of(gradients, np.full((32, 32), level, np.float32), hog_settings._replace(smoothing=0))
        assert not inside.any()

    @compiled
    def test_the_largest_number_of_the_picture_can_be_one(self, gradients):
        features = features_of(gradients, random_square(0) / 9, PAPER.hog)
        assert features.max() == 1
        np.testing.assert_allclose(features, features_of(gradients, random_square(0), PAPER.hog), atol=1e-6)

    @compiled
    def test_every_cell_can_have_the_norm_one(self, gradients):
        features = features_of(gradients, random_square(0), PAPER.hog._replace(contrast=2))
        norms = np.linalg.norm(features.reshape(-1, 9), axis=1)
        np.testing.assert_allclose(norms[norms > 0], 1, rtol=1e-5)
