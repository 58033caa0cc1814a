"""Which side of the threshold is paper, and how uneven paper is subtracted."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_python import examples
from scipy import ndimage
from stroke_pictures import stroke_picture

from edge_lpdpl.model.settings import EDGE
from edge_lpdpl.numeral.buffers import PICTURE_SIDE
from edge_lpdpl.numeral.kernels.ink import is_photograph
from edge_lpdpl.numeral.kernels.paper import border_is_light, open_map, subtract_paper
from edge_lpdpl.numeral.plain import ink as numpy_ink


def compiled_border(picture: np.ndarray, threshold: int) -> bool:
    return border_is_light(picture.ravel(), *picture.shape, threshold)


def compiled_paper(picture: np.ndarray, window: int) -> np.ndarray:
    left = picture.ravel().copy()
    subtract_paper(left, *picture.shape, window, np.zeros((2, PICTURE_SIDE**2), np.uint8))
    return picture - left.reshape(picture.shape)


borders = pytest.mark.parametrize("light", [compiled_border, numpy_ink.border_is_light], ids=["numba", "numpy"])
papers = pytest.mark.parametrize("paper", [compiled_paper, numpy_ink.paper_under], ids=["numba", "numpy"])
photographs = pytest.mark.parametrize("photograph", [is_photograph, numpy_ink.is_photograph], ids=["numba", "numpy"])


@borders
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 12), st.integers(0, 255))
def test_the_border_is_light_where_most_of_it_is(light, seed, height, width, threshold):
    picture = np.random.default_rng(seed).integers(0, 256, size=(height, width), dtype=np.uint8)
    assert light(picture, threshold) == naive.border_is_light(picture, threshold)


@borders
def test_a_border_half_and_half_counts_as_dark_paper(light):
    picture = np.zeros((16, 16), np.uint8)
    picture[:, :8] = 255
    assert not light(picture, 127)
    picture[0, 8] = 255
    assert light(picture, 127)


@borders
def test_what_is_written_inside_does_not_matter(light):
    picture = np.full((16, 16), 255, np.uint8)
    picture[1:-1, 1:-1] = 0
    assert light(picture, 127)


@papers
@settings(max_examples=examples(40))
@given(st.integers(0, 2**32 - 1), st.integers(1, 24), st.integers(1, 24), st.integers(1, 30))
def test_paper_is_the_opening_by_squares_inside_the_picture(paper, seed, height, width, window):
    picture = np.random.default_rng(seed).integers(0, 256, size=(height, width), dtype=np.uint8)
    np.testing.assert_array_equal(paper(picture, window), naive.opening(picture, window))


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("window", [1, 2, 3, 7, 16])
def test_the_opening_needs_no_more_room_than_a_row(window, rows):
    picture = np.random.default_rng(0).integers(0, 256, size=(20, 16), dtype=np.uint8)
    levels = np.pad(picture, ((0, 0), (0, 3))).ravel()
    open_map(levels, np.zeros(rows * 19, np.uint8), 20, 16, 19, window)
    np.testing.assert_array_equal(levels.reshape(20, 19)[:, :16], naive.opening(picture, window))


@papers
@pytest.mark.parametrize("window", [3, 9, 25])
def test_away_from_the_rim_it_is_the_opening_of_scipy(paper, window):
    picture = stroke_picture(1, 96, 128, paper=120, noise=30)
    inside = slice(window, -window), slice(window, -window)
    expected = ndimage.grey_opening(picture, size=(window, window))
    np.testing.assert_array_equal(paper(picture, window)[inside], expected[inside])


@papers
def test_strokes_are_no_paper(paper):
    shade = np.broadcast_to(np.arange(64, dtype=np.uint8), (64, 64)).copy()
    written = shade.copy()
    written[20:24, 10:50] = 255
    np.testing.assert_array_equal(paper(shade, 9), paper(written, 9))


@papers
def test_even_paper_is_taken_off_whole(paper):
    assert (paper(np.full((40, 50), 77, np.uint8), 9) == 77).all()


@photographs
@given(st.integers(0, 2**32 - 1), st.sampled_from([8, 10, 20, 256]), st.integers(0, 254))
def test_a_photograph_has_no_black_paper(photograph, seed, levels, threshold):
    picture = np.random.default_rng(seed).integers(0, levels, size=(12, 12), dtype=np.uint8)
    picture[0, 0] = 0
    counts = np.bincount(picture.ravel(), minlength=256)
    for preprocessing in (
        EDGE.preprocessing,
        EDGE.preprocessing._replace(photograph_level=5, photograph_percentile=60),
    ):
        expected = naive.is_photograph(picture, threshold, preprocessing)
        assert photograph(counts, threshold, preprocessing) == expected


@photographs
@pytest.mark.parametrize(("darkest", "expected"), [(8, False), (9, True)])
def test_a_clean_picture_may_have_little_black_in_it(photograph, darkest, expected):
    counts = np.zeros(256, np.int64)
    counts[darkest], counts[90], counts[250] = 25, 75, 100
    assert photograph(counts, 128, EDGE.preprocessing) is expected
