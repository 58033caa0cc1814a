"""Non-numerals in view of the camera: dark shapes, printed letters, the edge of the page, fingers."""

import tomllib
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import gaussian_filter

from train_host.synthetic.dice import Array, Dice

PRINT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""Fonts and words of printed letters."""


def add_shapes(sheet: Array, dice: Dice) -> None:
    """Paint dark things on the page, such as coasters, magnets, blots and labels, into the sheet (height, width)."""
    height, width = sheet.shape
    for _ in range(1 + int(dice.between(0, 4))):
        size = dice.between(0.1, 0.3) * width
        aspect, angle = dice.between(1, 2.2), dice.between(0, np.pi)
        corners = 3 + int(dice.between(0, 4))
        turns = 2 * np.pi * (np.arange(corners) + 0.4 * dice.unit(corners)) / corners
        if dice.chance(0.5):
            turns = 2 * np.pi * np.arange(48) / 48  # round
        x, y = np.cos(turns) * size / 2, np.sin(turns) * size / 2 / aspect
        centre = dice.between(0.15, 0.85) * width, dice.between(0.15, 0.85) * height
        outline = np.column_stack(
            [centre[0] + np.cos(angle) * x - np.sin(angle) * y, centre[1] + np.sin(angle) * x + np.cos(angle) * y]
        )
        _fill(sheet, outline, dice.between(0.05, 0.4), dice.between(0.5, 1.5))


def add_letters(sheet: Array, dice: Dice) -> None:
    """Paint lines of print into the sheet (height, width)."""
    height, width = sheet.shape
    size = round(dice.between(0.02, 0.13) * width)
    layer = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(layer)
    fonts, known = PRINT["fonts"], PRINT["words"].split()
    font = _font(fonts[int(dice.between(0, len(fonts)))], size)
    top = dice.between(0.2, 0.6) * height
    for _ in range(1 + int(dice.between(0, 5))):
        words = [known[int(dice.between(0, len(known)))] for _ in range(1 + int(dice.between(0, 4)))]
        text = " ".join(words)
        draw.text((dice.between(0.18, 0.4) * width, top), text.upper() if dice.chance(0.3) else text, 255, font)
        top += 1.5 * size
    sheet *= 1 - dice.between(0.5, 0.9) * np.asarray(layer, np.float64) / 255


def add_edge(sheet: Array, dice: Dice) -> None:
    """Paint the table beyond one or two edges of the page into the sheet (height, width)."""
    height, width = sheet.shape
    far = 2.0 * width
    for _ in range(1 + dice.chance(0.5)):
        angle = np.pi / 2 * int(dice.between(0, 4)) + dice.between(-0.15, 0.15)
        out, along = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        reach = dice.between(0.12, 0.3) * (width if abs(out[0]) > abs(out[1]) else height)
        start = np.array([width / 2, height / 2]) + reach * out
        corners = (start - far * along, start + far * along, start + far * (along + out), start + far * (out - along))
        _fill(sheet, np.stack(corners), dice.between(0.1, 0.5), dice.between(0.7, 3), dice.between(0.02, 0.08))


def add_fingers(sheet: Array, dice: Dice) -> None:
    """Paint fingers that hold the page, from its border inwards, into the sheet (height, width)."""
    height, width = sheet.shape
    side = int(dice.between(0, 4))
    for finger in range(1 + int(dice.between(0, 3))):
        angle = np.pi / 2 * side + dice.between(-0.4, 0.4)
        inward = -np.array([np.cos(angle), np.sin(angle)])
        along = np.array([-inward[1], inward[0]])
        start = np.array([width, height]) * (0.5 - 0.5 * inward) + (finger - 1) * 0.11 * width * along
        thick, length = dice.between(0.035, 0.06) * width, dice.between(0.2, 0.42) * width
        turns = np.linspace(-np.pi / 2, np.pi / 2, 16)
        tip = start + length * inward
        outline = [start + thick * along - 0.3 * width * inward]
        outline += [tip + thick * (np.cos(turn) * inward - np.sin(turn) * along) for turn in turns]
        outline += [start - thick * along - 0.3 * width * inward]
        _fill(sheet, np.stack(outline), dice.between(0.3, 0.6), dice.between(1, 3), 0.03)
        nail = [tip + 0.55 * thick * (np.cos(turn) * inward + np.sin(turn) * along) for turn in 2 * turns]
        _fill(sheet, np.stack(nail), dice.between(0.5, 0.7), 1.0)


def _fill(sheet: Array, outline: Array, grey: float, softness: float, grain: float = 0.01) -> None:
    """Paint a polygon (n, 2) of one grey level, with some grain, into the sheet."""
    height, width = sheet.shape
    layer = Image.new("L", (width, height), 0)
    ImageDraw.Draw(layer).polygon([(float(x), float(y)) for x, y in outline], fill=255)
    cover = gaussian_filter(np.asarray(layer, np.float64) / 255, softness * width / 960)
    surface = grey * (1 + grain * gaussian_filter(np.cos(np.arange(height * width) * 1.7).reshape(height, width), 1))
    sheet += cover * (surface - sheet)


@lru_cache(maxsize=64)
def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    """One of the fonts that come with matplotlib."""
    import matplotlib

    return ImageFont.truetype(str(Path(matplotlib.get_data_path(), "fonts", "ttf", f"{name}.ttf")), size)
