"""Struck numerals: the numeral is still there, and strokes as thick as its own lie over it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.model.labels import Label
from train_host.datasets import Dataset
from train_host.samples import struck as module
from train_host.samples.non_numerals import SIZE
from train_host.synthetic.pictures import draw_numeral

SOLID = np.zeros((2, 60, 60), np.uint8)
SOLID[:, 10:50, 20:40] = 200


@pytest.fixture(scope="module")
def pictures() -> np.ndarray:
    return np.stack([draw_numeral(character, seed=3) for character in "零一二三四五六七八九" * 4])


def written(pictures: np.ndarray, targets: np.ndarray | None = None, characters: str = "") -> Dataset:
    """A data set of these pictures, each of another class where no targets are given."""
    targets = np.arange(len(pictures)) if targets is None else targets
    characters = characters or "".join(chr(ord("a") + place) for place in range(len(pictures)))
    return Dataset("some", pictures, tuple(Label(one, place) for place, one in enumerate(characters)), targets)


def struck(pictures: np.ndarray, seed: int) -> np.ndarray:
    """The copies, where every picture is of another class."""
    return module.struck(written(pictures), seed)


def only(monkeypatch, way) -> None:
    """Let every numeral be struck in one way."""
    monkeypatch.setattr(module, "_WAYS", (way,))
    dice = np.random.default_rng
    monkeypatch.setattr(np.random, "default_rng", lambda seed: Always(dice(seed)))


class Always:
    """A generator whose every choice is the first, or least, one."""

    def __init__(self, random: np.random.Generator) -> None:
        self.uniform, self.normal, self.random = random.uniform, random.normal, random.random

    def integers(self, least: int, most: int | None = None) -> int:
        return least if most else 0

    def choice(self, places: np.ndarray) -> int:
        return int(places[0])


def test_are_light_on_black_and_show_something_whatever_the_picture_was(pictures):
    for originals in (pictures, 255 - pictures):
        copies = struck(originals, 0)
        assert (copies.shape, copies.dtype) == ((len(pictures), SIZE, SIZE), np.uint8)
        assert np.median(copies) == 0
        assert (copies.max(axis=(1, 2)) > 100).all()


def test_a_seed_gives_the_same_and_another_seed_others(pictures):
    np.testing.assert_array_equal(struck(pictures, 1), struck(pictures, 1))
    assert not np.array_equal(struck(pictures, 1), struck(pictures, 2))


def test_a_numeral_is_struck_in_more_than_one_way(pictures):
    copies = struck(np.repeat(pictures[:1], 50, axis=0), 0)
    assert len({copy.tobytes() for copy in copies}) > 40


@pytest.mark.parametrize("way", module._WAYS)
def test_a_stroke_reaches_from_one_side_to_the_other(monkeypatch, way):
    """The strokes alone: the numeral is a box, whose ink is taken away."""
    only(monkeypatch, way)
    drawn = []
    monkeypatch.setattr(module, "draw_line", lambda trace, *_: drawn.append(trace.points) or np.zeros((SIZE, SIZE)))
    struck(SOLID, 0)
    xs, ys = np.concatenate(drawn).T
    middle = SIZE / 2
    assert xs.min() < middle - 2, xs
    assert xs.max() > middle + 2, xs
    assert middle - 30 < ys.min() <= ys.max() < middle + 30


def test_the_pen_is_about_as_thick_as_that_of_the_numeral(monkeypatch):
    bars = np.zeros((3, 60, 60), np.uint8)
    for bar, width in zip(bars, (3, 6, 9), strict=True):
        bar[5:55, 20 : 20 + width] = 255
    only(monkeypatch, module._line)
    widths = []
    monkeypatch.setattr(module, "draw_line", lambda _, size, width: widths.append(width) or np.zeros((size, size)))
    struck(bars, 0)
    scale = [module.LEAST_SIDE / 50, module.MOST_SIDE / 50]
    for found, width in zip(widths, (3, 6, 9), strict=True):
        assert 0.6 * width * scale[0] < found < 1.4 * width * scale[1] + 1


def test_what_is_written_over_a_numeral_is_of_another_class(monkeypatch):
    monkeypatch.setattr(module, "_WAYS", ())
    bars = np.zeros((4, 60, 60), np.uint8)
    bars[:2, 5:55, 27:33] = bars[2:, 27:33, 5:55] = 255
    for copy in module.struck(written(bars, np.array([0, 0, 1, 1]), "ab"), 0):
        assert copy[SIZE // 2 - 10, SIZE // 2] > 200
        assert copy[SIZE // 2, SIZE // 2 - 10] > 200


def test_a_bar_and_a_dot_are_numerals_all_the_same_and_are_not_struck():
    boxes = np.repeat(SOLID[:1], 5, axis=0)
    copies = module.struck(written(boxes, characters="一1٠05"), 0)
    assert [bool(copy.any()) for copy in copies] == [False, False, False, True, True]


def test_a_stroke_is_as_dark_as_the_numeral(monkeypatch, pictures):
    only(monkeypatch, module._line)
    faint = (pictures * 0.3).astype(np.uint8)
    assert np.abs(struck(faint, 0).astype(int) - struck(pictures, 0)).mean() < 3


@given(st.integers(8, 40), st.integers(8, 40), st.integers(0, 2**32 - 1))
def test_any_picture_has_a_copy(height, width, seed):
    pictures = np.random.default_rng(seed).integers(0, 256, (3, height, width), np.uint8)
    assert struck(pictures, seed).shape == (3, SIZE, SIZE)
    assert not struck(np.full((2, height, width), seed % 256, np.uint8), seed).any()


def test_the_originals_stay_as_they_are(pictures):
    before = pictures.copy()
    pictures.setflags(write=False)
    struck(pictures, 0)
    np.testing.assert_array_equal(pictures, before)
