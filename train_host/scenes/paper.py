"""A sheet of paper and what is on it besides the writing: grain, ruled lines, writing on the back, creases.

A sheet is float64 (height, width): the share of the light that each point reflects.
"""

import numpy as np
from scipy.ndimage import gaussian_filter, zoom

from train_host.scenes.inks import Inks
from train_host.synthetic.dice import Array, Dice


def blank_sheet(height: int, width: int, dice: Dice) -> Array:
    """A sheet (height, width) with fine grain and larger clouds."""
    sheet = np.full((height, width), dice.between(0.72, 0.95))
    for size, strength in ((0.7, 0.012), (2.5, 0.008), (12.0, 0.012)):
        sheet += dice.between(0.2, 1) * strength * cloud(height, width, size, dice)
    return sheet


def cloud(height: int, width: int, size: float, dice: Dice) -> Array:
    """Smooth noise of mean 0 and deviation 1, float64 (height, width), with lumps of about `size` pixels."""
    step = max(1, int(size / 2))  # large lumps need no fine grid
    coarse = gaussian_filter(dice.bell(-(-height // step) + 1, -(-width // step) + 1), size / step)
    fine: Array = zoom(coarse, step, order=1)[:height, :width] if step > 1 else coarse[:height, :width]
    return fine / coarse.std()


def rule(sheet: Array, dice: Dice, strongest: float = 0.35) -> None:
    """Print ruled lines or squares into the sheet.

    Args:
        strongest: largest share of the light that a line absorbs.
    """
    width = sheet.shape[1]
    pitch = dice.between(0.055, 0.16) * width
    strength = dice.between(0.08, strongest)
    thickness = dice.between(0.8, 2.2) * width / 900
    _stripes(sheet, pitch, dice.between(0, pitch), thickness, strength)
    if dice.chance(0.3):
        _stripes(sheet.T, pitch, dice.between(0, pitch), thickness, strength)


def _stripes(sheet: Array, pitch: float, start: float, thickness: float, strength: float) -> None:
    rows = np.arange(len(sheet)) + 0.5
    away = np.abs((rows - start + pitch / 2) % pitch - pitch / 2)
    sheet *= 1 - strength * np.clip(thickness / 2 + 0.5 - away, 0, 1)[:, None]


def show_through(sheet: Array, inks: Inks, dice: Dice) -> None:
    """Add writing on the back of the sheet that shows through: mirrored, blurred and faint."""
    height, width = sheet.shape
    back = np.zeros_like(sheet)
    em = dice.between(0.07, 0.25) * width
    for _ in range(2 + int(dice.between(0, 9))):
        cover = inks.draw(inks.throw(dice), em, dice.between(0, 1))[:, ::-1]
        top, left = int(dice.between(0, height - 1)), int(dice.between(0, width - 1))
        part = back[top : top + cover.shape[0], left : left + cover.shape[1]]
        np.maximum(part, cover[: part.shape[0], : part.shape[1]], out=part)
    sheet *= 1 - dice.between(0.05, 0.2) * gaussian_filter(back, dice.between(0.8, 3) * width / 640)


def crease(light: Array, dice: Dice) -> None:
    """Fold the paper along a line: its sides reflect the light differently, and the fold itself is a thin shadow.

    Args:
        light: brightness (height, width), changed in place.
    """
    height, width = light.shape
    angle = dice.between(0, np.pi)
    across = np.cos(angle), np.sin(angle)
    columns, rows = (
        np.arange(width) - dice.between(0.1, 0.9) * width,
        np.arange(height) - dice.between(0.1, 0.9) * height,
    )
    away = across[0] * columns[None, :] + across[1] * rows[:, None]
    away += 0.006 * width * cloud(height, width, 0.03 * width, dice)
    reach = dice.between(0.02, 0.1) * width
    light *= 1 + dice.around(0, 0.05) * np.sign(away) * np.exp(-np.abs(away) / reach)
    light *= 1 - dice.between(0, 0.16) * np.clip(dice.between(0.6, 1.8) * width / 900 + 0.5 - np.abs(away), 0, 1)
