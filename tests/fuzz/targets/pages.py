"""A page, drawn by what the input says: kernels and NumPy find the same parts, and read the same numbers."""

from functools import cache

import numpy as np
from PIL import Image, ImageDraw

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader

LONGEST = 240
SIZES = ((96, 160), (120, 120), (64, 200), (330, 90))
MODELS = ("latin10", "arabic10", "chinese15")
SURE, CLOSE = 0.6, 0.01
"""Confidence of a number that no other reading can be as probable as, and how far the backends' may be apart: the
scores of NumPy agree with those of the kernels to 1 in 10,000."""


@cache
def readers(model: str, shape: tuple[int, int]) -> list[PageReader]:
    return [PageReader(Recogniser.load(shipped_model(model), backend), *shape) for backend in ("numba", "numpy")]


readers(MODELS[0], SIZES[0])  # loads the kernels now: no input waits for that


def draw(data: bytes, shape: tuple[int, int]) -> np.ndarray:
    """Strokes, dots, boxes and noise: six bytes each, what, where (4), how dark and how wide."""
    height, width = shape
    image = Image.new("L", (width, height), 200)
    pen = ImageDraw.Draw(image)
    grain = 0
    for start in range(0, len(data) - 5, 6):
        kind, *place, look = data[start : start + 6]
        x0, y0, x1, y1 = (at * side // 256 for at, side in zip(place, (width, height) * 2, strict=True))
        box = min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
        level, wide = look & 0xF0, 1 + (look & 0x07)
        match kind % 6:
            case 0 | 1:
                pen.line((x0, y0, x1, y1), fill=level, width=wide)
            case 2:
                pen.rectangle(box, outline=level, width=wide)
            case 3:
                pen.ellipse(box, outline=level, width=wide)
            case 4:
                pen.ellipse((x0 - wide, y0 - wide, x0 + wide, y0 + wide), fill=level)
            case 5:
                grain = look & 0x3F
    page = np.asarray(image)
    if grain:
        noise = np.random.default_rng(len(data)).integers(-grain, grain + 1, shape)
        page = (page + noise).clip(0, 255).astype(np.uint8)
    return page


def check(data: bytes) -> None:
    if len(data) < 7:
        return
    shape, model = SIZES[data[0] % 4], MODELS[data[0] // 4 % 3]
    page = draw(data[1:], shape)
    kernels, arrays = readers(model, shape)
    assert kernels.locator.find(page) == arrays.locator.find(page)
    assert kernels.locator.unread() == arrays.locator.unread()
    assert kernels.locator.dividers() == arrays.locator.dividers()
    one, other = kernels.read(page), arrays.read(page)
    for mine, theirs in ((one, other), (other, one)):
        same = {(number.text, number.box): number.confidence for number in theirs.numbers}
        for number in mine.numbers:
            if number.confidence >= SURE:
                assert abs(same[number.text, number.box] - number.confidence) < CLOSE, (mine, theirs)
