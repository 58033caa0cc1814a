"""The parts of the picture that `draw` puts together, with Pillow alone, because this runs on the device.

Pillow's own font has no Chinese, so a class is shown by a shipped picture of it, put through the model's own steps.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import specimens
from edge_lpdpl.model.labels import Label
from edge_lpdpl.numeral.recogniser import Recogniser

PANEL = 320
"""Pixels: side of a step."""

GROUND, BLACK, TEXT, FAINT = "#14171c", "#000000", "#eceff4", "#98a1b0"
BEST, SECOND, OTHER, UNREAD = "#ffb454", "#5aa9e6", "#4d5666", "#7d8794"
ACCEPTED, REJECTED = BEST, SECOND

_MOST_BARS = 16
_FINE = 4  # drawn so many times larger, then reduced: Pillow's own lines have jagged edges


class Glyphs:
    """Pictures of a model's classes, as far as pictures of them are shipped."""

    def __init__(self, recogniser: Recogniser) -> None:
        self._recogniser = recogniser
        chosen = specimens(recogniser.model.labels)
        self._paths = {specimen.label.character: specimen.path for specimen in chosen}  # the last look wins: paper

    def of(self, character: str, size: int) -> Image.Image | None:
        """The class's square, `size` pixels a side, None where there is no picture of it; uses the buffers."""
        path = self._paths.get(character)
        if path is None or self._recogniser.recognise(read_picture(path)).label is None:
            return None
        square = self._recogniser.engine.buffers.square
        return grey_image(square * 255).resize((size, size), Image.Resampling.LANCZOS).convert("RGB")


def spaced(reason: str) -> str:
    """A reason as words. `edge_lpdpl.page.rejection.why` names the character, too, which Pillow's own font lacks.

    >>> spaced("unlike_any_numeral")
    'unlike any numeral'
    """
    return reason.replace("_", " ")


def frame(width: int, height: int) -> Image.Image:
    """An empty black part."""
    return Image.new("RGB", (width, height), BLACK)


def draw_nothing(side: int) -> Image.Image:
    """A part that says that there is nothing here."""
    image = frame(side, side)
    write(image, (side // 2, side // 2), "nothing here", 24, FAINT, anchor="mm")
    return image


def draw_picture(grey: NDArray[np.generic], box: tuple[int, int, int, int] | None = None) -> Image.Image:
    """A picture (height, width) of 0..255, as large as fits, with a box (left, top, right, bottom) around a part."""
    height, width = grey.shape
    scale = PANEL / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    # Pixels that are enlarged shall be seen as such.
    how = Image.Resampling.NEAREST if scale >= 1 else Image.Resampling.LANCZOS
    image = frame(PANEL, PANEL)
    left, top = (PANEL - size[0]) // 2, (PANEL - size[1]) // 2
    image.paste(grey_image(grey).resize(size, how), (left, top))
    if box is not None:
        x0, y0, x1, y1 = (round(edge * scale) for edge in box)
        corners = (left + x0 - 1, top + y0 - 1, left + x1, top + y1)
        ImageDraw.Draw(image).rectangle(corners, outline=SECOND)
    return image


def draw_histogram(histogram: NDArray[np.float32], directions: NDArray[np.float32], signed: bool) -> Image.Image:
    """A star in every cell, with a ray in every direction as long as its number; unsigned ones both ways.

    Args:
        histogram: (cells, cells, bins), not negative.
        directions: (bins, 2) x to the right and y down.
    """
    cells, side = len(histogram), PANEL * _FINE
    pitch = side / cells
    image = Image.new("L", (side, side), 0)
    draw = ImageDraw.Draw(image)
    for step in range(1, cells):
        for line in ((step * pitch, 0, step * pitch, side), (0, step * pitch, side, step * pitch)):
            draw.line(line, fill=38, width=_FINE // 2)
    longest = float(histogram.max()) or 1.0
    for (row, column, direction), number in sorted(np.ndenumerate(histogram), key=lambda entry: float(entry[1])):
        if number <= 0.02 * longest:
            continue
        x, y = directions[direction] * (0.5 * pitch * number / longest)
        middle_x, middle_y = (column + 0.5) * pitch, (row + 0.5) * pitch
        start = (middle_x, middle_y) if signed else (middle_x - x, middle_y - y)
        shade = 110 + round(145 * float(number) / longest)
        draw.line((*start, middle_x + x, middle_y + y), fill=shade, width=round(1.6 * _FINE))
    return image.resize((PANEL, PANEL), Image.Resampling.LANCZOS).convert("RGB")


def draw_bars(width: int, labels: Sequence[Label], scores: NDArray[np.float32], glyphs: Glyphs) -> Image.Image:
    """A bar for every class, in their order: how much smaller its score is than the largest; the smallest wins."""
    order = np.argsort(scores, kind="stable")
    shown = sorted(order[:_MOST_BARS].tolist())
    leads = (scores.max() - scores) / (float(np.ptp(scores)) or 1.0)
    colours = {int(order[0]): BEST, int(order[1]): SECOND}
    image = frame(width, PANEL)
    draw = ImageDraw.Draw(image)
    pitch = PANEL / len(shown)
    size = max(8, min(28, int(pitch) - 2))
    for place, label in enumerate(shown):
        middle = round((place + 0.5) * pitch)
        glyph = glyphs.of(labels[label].character, size)
        if glyph is not None:
            image.paste(glyph, (6, middle - size // 2))
        colour = colours.get(label, FAINT)
        write_value(image, (size + 16, middle), labels[label].value, round(0.84 * size), colour)
        start = size + 80
        end = start + round((width - start - 8) * float(leads[label]))
        half = max(2, round(0.3 * pitch))
        draw.rectangle((start, middle - half, max(end, start + 1), middle + half), fill=colours.get(label, OTHER))
    return image


def write(
    image: Image.Image, place: tuple[int, int], text: str, size: int, colour: str = TEXT, anchor: str = "la"
) -> int:
    """Write a line of text; returns the x at which it ends. `anchor` is Pillow's: `la` gives the left top corner."""
    draw = ImageDraw.Draw(image)
    draw.text(place, text, font=_font(size), fill=colour, anchor=anchor)
    return math.ceil(draw.textbbox(place, text, font=_font(size), anchor=anchor)[2])


def write_value(image: Image.Image, place: tuple[int, int], value: int, size: int, colour: str = TEXT) -> int:
    """Write a number, a large power of ten as such, from the middle of its left edge; returns the x of its end."""
    left, middle = place
    baseline = middle + round(0.36 * size)  # half the height of a figure below the middle
    exponent = len(str(value)) - 1
    if exponent < 4 or value != 10**exponent:
        return write(image, (left, baseline), f"{value:,}", size, colour, anchor="ls")
    end = write(image, (left, baseline), "10", size, colour, anchor="ls") + max(1, size // 16)
    small = max(8, round(0.64 * size))
    return write(image, (end, baseline - round(0.36 * size)), str(exponent), small, colour, anchor="ls")


@lru_cache(maxsize=16)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def grey_image(grey: NDArray[np.generic]) -> Image.Image:
    """A picture (height, width) of 0..255, rounded."""
    return Image.fromarray(np.clip(np.asarray(grey, np.float64) + 0.5, 0, 255).astype(np.uint8))
