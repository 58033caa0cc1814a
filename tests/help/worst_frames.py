"""Frames that cost most: full of ink, or of what looks like rules or writing; (height, width) uint8, dark on light."""

from collections.abc import Callable

import numpy as np
from form_pictures import SCALE, blank_form
from PIL import Image, ImageDraw

from edge_lpdpl.form.fields import Field
from edge_lpdpl.form.sheet import Area
from edge_lpdpl.numeral.recogniser import Recogniser

Frame = np.ndarray
PAPER, INK = 200, 30


class Counting(Recogniser):
    """Counts what it reads."""

    readings = 0

    def recognise(self, *arguments):
        self.readings += 1
        return super().recognise(*arguments)


def zigzags(rows: int, columns: int, high: int, step: int, size: tuple[int, int] = (480, 640)) -> Frame:
    """Rows of zigzag lines, which may be cut everywhere: each has as many candidates as a line may have."""
    image, pen, (height, width) = *_paper(size), size
    for row in range(rows):
        y = 16 + row * (height - 32) / rows
        for column in range(columns):
            x, wide = 20 + column * (width - 40) / columns, 0.9 * (width - 40) / columns
            pen.line([(x + i * step, y + high * (i % 2)) for i in range(int(wide / step))], fill=INK, width=3)
    return np.asarray(image)


def bars(rows: int, columns: int, high: int) -> Frame:
    """As many parts as a frame may have, each a line of its own."""
    image, pen = _paper((480, 640))
    for row in range(rows):
        for column in range(columns):
            x, y = 20 + column * (600 // columns), 16 + row * (448 // rows)
            pen.rectangle((x, y, x + 4, y + high), fill=INK)
    return np.asarray(image)


def squares(rows: int, columns: int, side: int) -> Frame:
    """Empty boxes, which no rule and no numeral explains."""
    image, pen = _paper((480, 640))
    for row in range(rows):
        for column in range(columns):
            x, y = 20 + column * (600 // columns), 16 + row * (448 // rows)
            pen.rectangle((x, y, x + side, y + side), outline=INK, width=3)
    return np.asarray(image)


def grid(rows: int, columns: int) -> Frame:
    """A printed table."""
    image, pen = _paper((480, 640))
    for row in range(rows + 1):
        pen.line((30, 30 + row * 420 / rows, 610, 30 + row * 420 / rows), fill=INK, width=3)
    for column in range(columns + 1):
        pen.line((30 + column * 580 / columns, 30, 30 + column * 580 / columns, 450), fill=INK, width=3)
    return np.asarray(image)


def strokes(count: int, length: int) -> Frame:
    """Strokes of any direction, as of a text that nobody can read."""
    image, pen = _paper((480, 640))
    dice = np.random.default_rng(0)
    for _ in range(count):
        (x, y), angle = dice.uniform((20, 20), (620, 460)), dice.uniform(0, 2 * np.pi)
        pen.line((x, y, x + length * np.cos(angle), y + length * np.sin(angle)), fill=INK, width=4)
    return np.asarray(image)


def checkerboard(side: int, size: tuple[int, int] = (480, 640)) -> Frame:
    y, x = np.indices(size) // side
    return ((y + x) % 2 * 255).astype(np.uint8)


def specks(side: int, share: float) -> Frame:
    """Squares at random places, each of them ink with a probability."""
    cells = np.random.default_rng(0).random((480 // side + 1, 640 // side + 1)) < share
    return np.where(np.kron(cells, np.ones((side, side)))[:480, :640] > 0, INK, PAPER).astype(np.uint8)


WORST: dict[str, Callable[[], Frame]] = {
    "zigzags": lambda: zigzags(20, 4, 16, 8),
    "wide zigzags": lambda: zigzags(16, 4, 20, 10),
    "one large zigzag": lambda: zigzags(2, 1, 160, 12),
    "bars": lambda: bars(16, 16, 20),
    "squares": lambda: squares(16, 16, 18),
    "a table of boxes": lambda: squares(10, 24, 18),
    "a printed table": lambda: grid(12, 12),
    "a narrow table": lambda: grid(12, 40),
    "strokes": lambda: strokes(300, 20),
    "a web of strokes": lambda: strokes(600, 20),
    "pixels": lambda: checkerboard(2),
    "a checkerboard": lambda: checkerboard(8),
    "fine specks": lambda: specks(2, 0.3),
    "specks": lambda: specks(6, 0.1),
    "all ink": lambda: np.full((480, 640), INK, np.uint8),
    "a large frame": lambda: zigzags(20, 4, 36, 18, (1080, 1920)),
    "a large checkerboard": lambda: checkerboard(14, (1080, 1920)),
}


def _paper(size: tuple[int, int]) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("L", size[::-1], PAPER)
    return image, ImageDraw.Draw(image)


def full_form() -> tuple[list[Field], Frame]:
    """A form with as many fields as there may be, and a frame (1080, 1920) of it, with zigzags in every field."""
    areas = [Area(9 + 48.5 * column, 28 + 30 * row, 45, 12) for row in range(8) for column in range(4)]
    sheet = Image.fromarray((255 * blank_form()).astype(np.uint8))
    pen = ImageDraw.Draw(sheet)
    for area in areas:
        for left in (2, 16, 30):
            points = [(area.x + left + 0.8 * step, area.y + 4 + 4 * (step % 2)) for step in range(16)]
            pen.line([(SCALE * x, SCALE * y) for x, y in points], fill=INK, width=3)
    lying = sheet.transpose(Image.Transpose.ROTATE_90).resize((1527, 1080), Image.Resampling.BOX)
    frame = Image.new("L", (1920, 1080), PAPER // 2)
    frame.paste(lying, (200, 0))
    return [Field(f"field {number}", area) for number, area in enumerate(areas, 1)], np.asarray(frame)
