"""A point that is too small to be a part of the ink, or that the camera's blur joins to a digit, leaves a doubt."""

import numpy as np
import pytest
from PIL import Image, ImageFilter

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.lines import has_dot
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.page.locator import Locator


@pytest.fixture(scope="module", params=["numba", "numpy"])
def reader(request) -> PageReader:
    return PageReader(Recogniser.load(shipped_model("latin10"), request.param), 480, 640)


def three_bars(blur: float = 0.0, *dots: tuple[int, int, int, int]) -> np.ndarray:
    """A page (480, 640) with 111, and with dots: left, top, width and height."""
    frame = np.full((480, 640), 200, np.uint8)
    for left in (200, 260, 320):
        frame[200:280, left : left + 8] = 40
    for left, top, width, height in dots:
        frame[top : top + height, left : left + width] = 40
    return np.asarray(Image.fromarray(frame).filter(ImageFilter.GaussianBlur(blur)))


def outcomes(reader: PageReader, frame: np.ndarray) -> list[tuple[str, str | None]]:
    return [(number.text, number.reason) for number in reader.read(frame).numbers]


def test_a_number_without_a_dot_is_sure(reader):
    assert outcomes(reader, three_bars()) == outcomes(reader, three_bars(1.5)) == [("111", None)]


@pytest.mark.parametrize("side", [3, 4, 5, 6])
@pytest.mark.parametrize("left", [226, 300])
def test_a_small_point_is_never_lost(reader, side, left):
    for place in range(2):  # on the edges of the blocks that become one pixel, and across them
        found = outcomes(reader, three_bars(0.5, (left + place, 274, side, side)))
        assert found not in ([], [("111", None)])
        assert all(reason or text in ("1.11", "1,11", "11.1", "11,1") for text, reason in found)


@pytest.mark.parametrize("gap", [2, 3, 4])
def test_a_point_that_the_blur_joins_to_a_digit_is_never_lost(reader, gap):
    found = outcomes(reader, three_bars(1.5, (268 + gap, 270, 9, 9)))
    assert all(text != "111" or reason for text, reason in found)


@pytest.mark.parametrize("dots", [[(225, 226, 4, 4)], [(225, 276, 1, 1)], [(170, 276, 3, 2)]])
def test_what_is_not_at_the_foot_or_between_digits_is_no_point(reader, dots):
    assert outcomes(reader, three_bars(0.5, *dots))[-1] == ("111", None)


def test_both_backends_see_the_same_contrast():
    frame = three_bars(1.5, (300, 274, 5, 5))
    seen = []
    for backend in ("numba", "numpy"):
        locator = Locator(480, 640, backend=backend)
        locator.find(frame)
        seen.append(locator.contrast(-5, 90, 400, 500).copy())
    assert seen[0].shape == (150, 320)
    assert np.array_equal(*seen)
    assert seen[0].max() > 150


def test_a_dot_is_small_compact_and_apart():
    band = np.zeros((20, 60), np.uint8)
    band[:12, 10:14] = band[:12, 40:44] = 200

    def dots(rows: slice, columns: slice, value: int = 200) -> bool:
        one = band.copy()
        one[rows, columns] = value
        return has_dot(one, 30, 200 / 255, 4.0)

    assert not has_dot(band, 30, 200 / 255, 4.0)
    assert dots(slice(9, 12), slice(24, 27))
    assert dots(slice(9, 12), slice(24, 27), 70)
    assert dots(slice(9, 12), slice(14, 18)) is False, "it touches the digit"
    assert dots(slice(9, 12), slice(24, 27), 30) is False, "too faint"
    assert dots(slice(9, 10), slice(24, 28)) is False, "a line"
    assert dots(slice(5, 15), slice(22, 32)) is False, "too large"
    assert dots(slice(17, 20), slice(24, 27)) is False, "cut off by the border"
