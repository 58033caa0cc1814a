"""Large pictures come down to the working size by block means; small ones are left as they are."""

import naive
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge_lpdpl.numeral.buffers import WORKING_SIDE
from edge_lpdpl.numeral.kernels.ink import shrink
from edge_lpdpl.numeral.plain import ink as numpy_ink


def compiled(grey: np.ndarray, out: np.ndarray, longest_side: int = WORKING_SIDE) -> np.ndarray:
    height, width = shrink(grey, longest_side, out)
    return out[: height * width].reshape(height, width)


def plain(grey: np.ndarray, out: np.ndarray, longest_side: int = WORKING_SIDE) -> np.ndarray:
    return numpy_ink.shrink(grey, longest_side, out)


both = pytest.mark.parametrize("shrunk", [compiled, plain], ids=["numba", "numpy"])


def random_picture(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, size=(height, width), dtype=np.uint8)


@pytest.fixture
def out() -> np.ndarray:
    return np.full(WORKING_SIDE**2, 99, np.uint8)


@both
@pytest.mark.parametrize("shape", [(8, 8), (64, 64), (160, 160), (1, 160), (160, 9)])
def test_a_picture_of_the_working_size_is_copied(shrunk, shape, out):
    picture = random_picture(*shape)
    np.testing.assert_array_equal(shrunk(picture, out), picture)
    assert (out[picture.size :] == 99).all()


@both
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


@both
@given(st.integers(8, 40), st.integers(161, 700), st.booleans(), st.integers(0, 2**32 - 1), st.integers(32, 160))
@example(8, 321, True, 0, 160)
def test_pixels_are_the_means_of_their_blocks(shrunk, short, long, upright, seed, longest_side):
    picture = random_picture(*((long, short) if upright else (short, long)), seed)
    out = np.zeros(WORKING_SIDE**2, np.uint8)
    np.testing.assert_array_equal(shrunk(picture, out, longest_side), naive.shrink(picture, longest_side))


@both
def test_halves_are_rounded_up(shrunk, out):
    picture = np.zeros((8, 320), np.uint8)
    picture[0, 0] = picture[0, 1] = 1  # 2 of 4
    picture[0, 2] = 1  # 1 of 4
    assert shrunk(picture, out)[0, :3].tolist() == [1, 0, 0]


@both
def test_the_largest_picture_can_be_all_white(shrunk, out):
    assert (shrunk(np.full((4096, 4096), 255, np.uint8), out) == 255).all()
