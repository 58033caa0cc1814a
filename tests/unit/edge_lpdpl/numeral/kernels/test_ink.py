"""Grey picture to ink: block means of a large picture, Otsu's threshold, growth along faint strokes, no specks.

Ink is the same for either polarity.
"""

import naive
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from plain_python import examples
from skimage.filters import threshold_otsu
from skimage.measure import label, regionprops
from stroke_pictures import nothing_to_read, stroke_picture, stroke_pictures

from edge_lpdpl.files.grey import INK_AUTO, INK_DARK, INK_LIGHT
from edge_lpdpl.model.settings import EDGE, PAPER, Preprocessing
from edge_lpdpl.numeral.buffers import (
    BOTTOM,
    HEIGHT,
    LEFT,
    LEVEL,
    PICTURE_SIDE,
    PIXELS,
    RIGHT,
    TOP,
    WIDTH,
    Workspace,
    make_workspace,
)
from edge_lpdpl.numeral.kernels import ink as binarise
from edge_lpdpl.numeral.plain import ink as numpy_ink

pytestmark = pytest.mark.slow

PLAIN = Preprocessing(low_ratio=1.0, speck_share=0.0, paper_window=0.0, ink_percentile=0)
POLARITIES = [INK_LIGHT, INK_DARK, INK_AUTO]
both = pytest.mark.parametrize("find_ink", [binarise.binarise, numpy_ink.binarise], ids=["numba", "numpy"])


def new_buffers() -> Workspace:
    return make_workspace(EDGE.preprocessing, EDGE.hog)


@pytest.fixture
def buffers() -> Workspace:
    return new_buffers()


def ink_of(buffers: Workspace) -> np.ndarray:
    height, width = buffers.found[HEIGHT], buffers.found[WIDTH]
    return buffers.ink[: height * width].reshape(height, width)


def otsu_compiled(picture: np.ndarray) -> tuple[int, float, float]:
    return binarise.otsu_threshold(np.bincount(picture.ravel(), minlength=256), picture.size)


def otsu_numpy(picture: np.ndarray) -> tuple[int, float, float]:
    return numpy_ink.otsu(numpy_ink.count_levels(picture))


otsus = pytest.mark.parametrize("otsu", [otsu_compiled, otsu_numpy], ids=["numba", "numpy"])

grey_pictures = st.builds(
    lambda seed, low, high, shape: np.random.default_rng(seed).integers(low, high, size=shape, dtype=np.uint8),
    st.integers(0, 2**32 - 1),
    st.integers(0, 100),
    st.integers(102, 256),
    st.tuples(st.integers(2, 30), st.integers(2, 30)),
)
pictures_of_two_levels = (grey_pictures | stroke_pictures()).filter(lambda picture: picture.min() < picture.max())


class TestOtsu:
    @otsus
    @given(pictures_of_two_levels)
    def test_no_other_threshold_parts_the_classes_better(self, otsu, picture):
        threshold, below, above = otsu(picture)
        best = naive.between_class_variance(picture, naive.otsu(picture))
        assert float(naive.between_class_variance(picture, threshold)) == pytest.approx(float(best), rel=1e-12)
        assert below == pytest.approx(picture[picture <= threshold].mean())
        assert above == pytest.approx(picture[picture > threshold].mean())

    @otsus
    @given(pictures_of_two_levels)
    def test_is_as_good_as_that_of_scikit_image(self, otsu, picture):
        ours, theirs = (
            float(naive.between_class_variance(picture, threshold))
            for threshold in (otsu(picture)[0], int(threshold_otsu(picture)))
        )
        assert ours == pytest.approx(theirs, rel=1e-9)

    @otsus
    def test_has_no_answer_for_a_single_level(self, otsu):
        assert otsu(np.full((9, 9), 200, np.uint8)) == (-1, 0, 0)


other_settings = st.builds(
    EDGE.preprocessing._replace,
    longest_side=st.integers(32, 160),
    most_growth=st.floats(0, 3),
    least_speck=st.integers(1, 20),
    most_ink=st.floats(0.1, 1),
    faint_peak=st.floats(0, 1),
    faint_share=st.floats(0, 0.01),
    faint_reach=st.floats(0, 2),
    photograph_level=st.integers(0, 255),
    photograph_percentile=st.integers(0, 100),
)


class TestInk:
    @both
    @settings(max_examples=examples(120))
    @given(
        stroke_pictures(),
        st.sampled_from([EDGE.preprocessing, PAPER.preprocessing]) | other_settings,
        st.sampled_from(POLARITIES),
        st.booleans(),
    )
    def test_is_what_the_definition_says(self, find_ink, picture, preprocessing, polarity, inverted):
        picture, buffers = 255 - picture if inverted else picture, new_buffers()
        pixels = find_ink(picture, polarity, preprocessing, buffers)
        expected = naive.binarise(picture, polarity, preprocessing)
        assert (pixels > 0) == (expected is not None)
        if expected:
            np.testing.assert_array_equal(ink_of(buffers), expected.ink)
            assert buffers.found[LEVEL] == expected.level
            assert buffers.found[PIXELS] == pixels == np.count_nonzero(expected.ink)

    @both
    @pytest.mark.parametrize(("height", "width"), [(161, 200), (300, 40)])
    def test_of_a_large_picture_is_that_of_its_block_means(self, find_ink, height, width, buffers):
        picture = stroke_picture(3, height, width)
        assert find_ink(picture, INK_LIGHT, EDGE.preprocessing, buffers) > 0
        small = naive.shrink(picture)
        assert tuple(buffers.found[[HEIGHT, WIDTH]]) == small.shape
        np.testing.assert_array_equal(ink_of(buffers), naive.binarise(small, INK_LIGHT, EDGE.preprocessing).ink)

    @both
    @given(stroke_pictures(), st.sampled_from([0.3, 0.6, 1.0]), st.sampled_from([0.0, 0.01]))
    def test_is_the_regions_of_scikit_image_that_hold_a_seed(self, find_ink, picture, ratio, share):
        buffers, size = new_buffers(), picture.size
        plain = PLAIN._replace(low_ratio=ratio, speck_share=share)
        pixels = find_ink(picture, INK_LIGHT, plain, buffers)
        threshold, _, _ = otsu_numpy(picture)
        low = naive.low_threshold(picture, threshold, plain)
        expected = np.zeros_like(picture)
        for region in regionprops(label(picture > low, connectivity=2), picture):
            if region.intensity_max > threshold and region.area >= max(2, int(share * size)):
                expected[tuple(region.coords.T)] = picture[tuple(region.coords.T)]
        expected = naive.faint_ink(picture, expected, threshold, low, max(2, int(share * size)), plain)
        if pixels:
            np.testing.assert_array_equal(ink_of(buffers), expected)
        else:
            assert np.count_nonzero(expected) in (0, *range(int(plain.most_ink * size), size + 1))

    @both
    @pytest.mark.parametrize("seed", range(5))
    def test_is_boxed(self, find_ink, seed, buffers):
        find_ink(stroke_picture(seed), INK_LIGHT, EDGE.preprocessing, buffers)
        ink = ink_of(buffers)
        top, bottom, left, right = buffers.found[[TOP, BOTTOM, LEFT, RIGHT]]
        assert not np.delete(ink, np.s_[top:bottom], axis=0).any()
        assert not np.delete(ink, np.s_[left:right], axis=1).any()
        assert ink[top].any()
        assert ink[bottom - 1].any()
        assert ink[:, left].any()
        assert ink[:, right - 1].any()

    @both
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("profile", [EDGE, PAPER], ids=lambda profile: profile.name)
    def test_is_the_same_light_or_dark(self, find_ink, profile, seed):
        picture = stroke_picture(seed)
        inks = []
        for grey, polarity in [
            (picture, INK_LIGHT),
            (picture, INK_AUTO),
            (255 - picture, INK_DARK),
            (255 - picture, INK_AUTO),
        ]:
            buffers = new_buffers()
            assert find_ink(grey, polarity, profile.preprocessing, buffers) > 0
            inks.append(ink_of(buffers))
        assert all(np.array_equal(ink, inks[0]) for ink in inks)


class TestFaintStrokes:
    """A bright stroke at the left with a faint branch, and a fainter detached stroke."""

    @pytest.fixture
    def picture(self) -> np.ndarray:
        picture = np.zeros((40, 40), np.uint8)
        picture[5:35, 5:9] = 220
        picture[20, 9:25] = 70
        picture[30, 15:38] = 34
        return picture

    @both
    def test_belong_to_the_ink_they_are_connected_to(self, find_ink, picture, buffers):
        find_ink(picture, INK_LIGHT, PLAIN._replace(low_ratio=0.3), buffers)
        ink = ink_of(buffers)
        assert (ink[20, 9:25] == 70).all()
        assert not ink[30, 15:38].any()

    @both
    def test_are_cut_by_plain_otsu(self, find_ink, picture, buffers):
        find_ink(picture, INK_LIGHT, PLAIN, buffers)
        np.testing.assert_array_equal(ink_of(buffers), np.where(picture == 220, picture, 0))

    @both
    def test_connect_at_a_corner(self, find_ink, picture, buffers):
        picture[4, 9] = picture[3, 10] = picture[2, 11] = 70
        find_ink(picture, INK_LIGHT, PLAIN._replace(low_ratio=0.4), buffers)
        assert ink_of(buffers)[2, 11] == 70

    @both
    @pytest.mark.parametrize(("more", "taken"), [(0, True), (1, False)])
    def test_are_no_more_than_the_ink_they_are_connected_to(self, find_ink, picture, more, taken, buffers):
        """Faint pixels that would more than double the ink are of the paper: shade, ruled lines, bleed-through."""
        picture[10:13, 9:36] = picture[30, 15:38] = 70  # 81 pixels and 39 of both faint strokes; the bright one has 120
        picture[38, :more] = 70
        assert find_ink(picture, INK_LIGHT, PLAIN._replace(low_ratio=0.2), buffers) == (120 + 81 + 39 if taken else 120)

    @both
    @pytest.mark.parametrize(("growth", "pixels"), [(0.25, 160), (0.5, 192)])
    def test_are_no_larger_a_share_of_it_than_the_settings_say(self, find_ink, growth, pixels, buffers):
        ramp = np.arange(256, dtype=np.uint8).reshape(16, 16)  # 128 pixels are above the threshold
        assert find_ink(ramp, INK_LIGHT, PLAIN._replace(low_ratio=0.0, most_growth=growth), buffers) == pixels

    @both
    def test_full_ink_is_a_percentile_of_the_ink(self, find_ink, picture, buffers):
        find_ink(picture, INK_LIGHT, PLAIN._replace(low_ratio=0.4, ink_percentile=5), buffers)
        assert buffers.found[LEVEL] == 70  # 16 pixels of 136 are faint
        find_ink(picture, INK_LIGHT, PLAIN._replace(low_ratio=0.4, ink_percentile=75), buffers)
        assert buffers.found[LEVEL] == 220


class TestStrokesApart:
    """A faint detached stroke beside one that is 20 pixels long, so that 10 pixels are near.

    Otsu's threshold is at the level of the dirt in the corner, 100: neither the dirt nor the stroke is above it.
    """

    @pytest.fixture
    def picture(self) -> np.ndarray:
        picture = np.zeros((64, 64), np.uint8)
        picture[40:44, 20:40] = 220
        picture[2:5, 60:62] = 100
        return picture

    @both
    @pytest.mark.parametrize(
        ("where", "level", "taken"),
        [
            (np.s_[34:35, 28:34], 90, True),
            (np.s_[34:35, 28:34], 45, False),  # not half as high as the threshold
            (np.s_[34:35, 28:31], 90, True),
            (np.s_[34:35, 28:30], 90, False),  # less than 3 pixels in 4096
            (np.s_[30:31, 28:34], 90, True),
            (np.s_[29:30, 28:34], 90, False),  # 11 pixels above
            (np.s_[47:54, 30:31], 90, True),
            (np.s_[41:44, 49:50], 90, True),
            (np.s_[41:44, 50:51], 90, False),  # 11 pixels to the right
            (np.s_[34:35, 0:50], 90, False),  # a line that goes on beyond the picture
        ],
    )
    def test_belong_to_the_ink_where_they_are_near_and_no_specks(self, find_ink, picture, where, level, taken, buffers):
        picture[where] = level
        find_ink(picture, INK_LIGHT, EDGE.preprocessing, buffers)
        assert (ink_of(buffers)[where] == (level if taken else 0)).all()
        assert not ink_of(buffers)[2:5, 60:62].any()


@both
@pytest.mark.parametrize(("side", "found"), [(3, False), (4, True)])
def test_a_speck_is_left_out_by_its_share_of_the_picture(find_ink, side, found, buffers):
    picture = np.zeros((100, 100), np.uint8)
    picture[50 : 50 + side, 50 : 50 + side] = 255
    assert (find_ink(picture, INK_LIGHT, PLAIN._replace(speck_share=0.001), buffers) > 0) is found


@both
@pytest.mark.parametrize("picture", nothing_to_read().values(), ids=nothing_to_read())
def test_nothing_is_found_where_nothing_is_written(find_ink, picture, buffers):
    buffers.found[:] = 7
    assert find_ink(picture, INK_AUTO, EDGE.preprocessing, buffers) == 0
    assert buffers.found[PIXELS] == 0


@both
@pytest.mark.parametrize(("difference", "found"), [(9, False), (10, True)])
def test_ink_has_to_stand_out(find_ink, difference, found, buffers):
    picture = np.zeros((40, 40), np.uint8)
    picture[10:30, 18:22] = difference
    assert (find_ink(picture, INK_LIGHT, PLAIN._replace(least_contrast=10.0), buffers) > 0) is found


@both
@pytest.mark.parametrize(("rows", "found"), [(31, True), (32, False)])
def test_a_covered_lens_is_no_writing(find_ink, rows, found, buffers):
    picture = np.zeros((40, 40), np.uint8)
    picture[:rows] = 255
    assert (find_ink(picture, INK_LIGHT, PLAIN, buffers) > 0) is found


@both
@pytest.mark.parametrize("side", [16, 32, 64])
def test_a_bold_zero_that_fills_the_picture_is_writing(find_ink, side, buffers):
    places = (np.arange(side) + 0.5) / side - 0.5
    radius = np.hypot(places[:, None], places)
    zero = ((radius > 0.1) & (radius < 0.5)).astype(np.uint8) * 255
    assert find_ink(zero, INK_AUTO, EDGE.preprocessing, buffers) == np.count_nonzero(zero) > 0.7 * zero.size


@both
def test_uneven_paper_is_taken_off(find_ink, buffers):
    shade = np.linspace(40, 180, 64).astype(np.uint8)
    picture = np.broadcast_to(shade, (64, 64)).copy()
    picture[30:33, 8:56] += 60  # fainter than the unevenness of the shade
    assert find_ink(picture, INK_LIGHT, EDGE.preprocessing, buffers) == 3 * 48
    assert buffers.found[[TOP, BOTTOM, LEFT, RIGHT]].tolist() == [30, 33, 8, 56]


@both
@pytest.mark.parametrize("darkness", [12, 20, 40])
def test_ruled_lines_are_no_ink(find_ink, darkness, buffers):
    """Three lines cross the stroke, on paper so white that it is not subtracted."""
    picture = np.full((64, 64), 255, np.uint8)
    picture[5::10] -= np.uint8(darkness)
    picture[18:46, 30:33] = 120
    assert find_ink(picture, INK_DARK, EDGE.preprocessing, buffers) == 28 * 3


@both
@pytest.mark.parametrize("pencil", [60, 100, 140])
def test_a_darker_corner_is_no_ink(find_ink, pencil, buffers):
    """A stroke runs into the corner; the paper elsewhere is so white that it is not subtracted."""
    squares = np.linspace(-1, 1, 64) ** 2
    picture = 255 - 20 * np.maximum(np.add.outer(squares, squares) - 0.5, 0)
    for row in range(20, 56):
        picture[row, row : row + 3] -= pencil
    assert find_ink(picture.astype(np.uint8), INK_DARK, EDGE.preprocessing, buffers) == 36 * 3


# Large pictures are reduced to the working size; small ones stay as they are.


def shrink_compiled(grey: np.ndarray, out: np.ndarray, longest_side: int = PICTURE_SIDE) -> np.ndarray:
    height, width = binarise.shrink(grey, longest_side, out)
    return out[: height * width].reshape(height, width)


def shrink_numpy(grey: np.ndarray, out: np.ndarray, longest_side: int = PICTURE_SIDE) -> np.ndarray:
    return numpy_ink.shrink(grey, longest_side, out)


in_both = pytest.mark.parametrize("shrunk", [shrink_compiled, shrink_numpy], ids=["numba", "numpy"])


def random_picture(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, size=(height, width), dtype=np.uint8)


@pytest.fixture
def out() -> np.ndarray:
    return np.full(PICTURE_SIDE**2, 99, np.uint8)


@in_both
@pytest.mark.parametrize("shape", [(8, 8), (64, 64), (160, 160), (1, 160), (160, 9)])
def test_a_picture_of_the_working_size_is_copied(shrunk, shape, out):
    picture = random_picture(*shape)
    np.testing.assert_array_equal(shrunk(picture, out), picture)
    assert (out[picture.size :] == 99).all()


@in_both
@pytest.mark.parametrize(
    ("shape", "smaller"),
    [
        ((161, 161), (81, 81)),
        ((320, 320), (160, 160)),
        ((321, 8), (107, 3)),
        ((8, 4096), (1, 158)),
        ((4096, 4096), (158, 158)),
        ((480, 640), (120, 160)),
    ],
)
def test_the_longer_side_decides_how_much_smaller(shrunk, shape, smaller, out):
    assert shrunk(np.zeros(shape, np.uint8), out).shape == smaller


@in_both
@given(st.integers(8, 40), st.integers(161, 700), st.booleans(), st.integers(0, 2**32 - 1), st.integers(32, 160))
@example(8, 321, True, 0, 160)
def test_pixels_are_the_means_of_their_blocks(shrunk, short, long, upright, seed, longest_side):
    picture = random_picture(*((long, short) if upright else (short, long)), seed)
    out = np.zeros(PICTURE_SIDE**2, np.uint8)
    np.testing.assert_array_equal(shrunk(picture, out, longest_side), naive.shrink(picture, longest_side))


@in_both
def test_halves_are_rounded_up(shrunk, out):
    picture = np.zeros((8, 320), np.uint8)
    picture[0, 0] = picture[0, 1] = 1  # 2 of 4
    picture[0, 2] = 1  # 1 of 4
    assert shrunk(picture, out)[0, :3].tolist() == [1, 0, 0]


@in_both
def test_the_largest_picture_can_be_all_white(shrunk, out):
    assert (shrunk(np.full((4096, 4096), 255, np.uint8), out) == 255).all()
