"""Whole pages, small enough for plain Python: kernels read what NumPy does, and reach beyond no array."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader, Reading
from edge_lpdpl.page.settings import LocateSettings

HEIGHT, WIDTH = 96, 160


def drawn(*lines: list[tuple[int, int]], width: int = 3) -> np.ndarray:
    image = Image.new("L", (WIDTH, HEIGHT), 200)
    draw = ImageDraw.Draw(image)
    for line in lines:
        draw.line(line, fill=50, width=width, joint="curve")
    return np.asarray(image)


def seven(left: int, top: int = 30) -> list[tuple[int, int]]:
    return [(left, top), (left + 18, top), (left + 7, top + 28)]


def box(left: int, top: int, side: int) -> list[tuple[int, int]]:
    right, bottom = left + side, top + side
    return [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]


def noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)


def checkerboard(side: int) -> np.ndarray:
    y, x = np.indices((HEIGHT, WIDTH)) // side
    return ((y + x) % 2 * 255).astype(np.uint8)


PAGES = {
    "a number": drawn(seven(30), seven(60), seven(95, 34)),
    "digits that touch": drawn(seven(40), seven(54)),
    "digits in boxes": drawn(seven(30), seven(70), *(box(left, 20, 42) for left in (18, 60, 102)), width=2),
    "a large digit": drawn([(40, 12), (110, 12), (60, 84)], width=5),
    "noise": noise(0),
    "checkerboard": checkerboard(5),
    "nothing": np.full((HEIGHT, WIDTH), 200, np.uint8),
}


def read(picture: np.ndarray, backend: str, ink: str = "auto") -> Reading:
    recogniser = Recogniser.load(shipped_model("latin10"), backend)
    found = PageReader(recogniser, *picture.shape, LocateSettings(polarity=ink)).read(picture)
    numerals = [one._replace(recognition=one.recognition._replace(elapsed=0, scores=())) for one in found.numerals]
    return found._replace(numerals=numerals, locate_us=0, recognise_us=0)


@pytest.mark.parametrize("name", PAGES)
def test_kernels_and_arrays_read_the_same(name):
    compiled, plain = read(PAGES[name], "numba"), read(PAGES[name], "numpy")
    assert [number.text for number in compiled.numbers] == [number.text for number in plain.numbers]
    assert [one.box for one in compiled.numerals] == [one.box for one in plain.numerals]
    assert compiled.unread == plain.unread
    assert bool(compiled.numbers) == (name in ("a number", "digits that touch", "digits in boxes", "a large digit"))
