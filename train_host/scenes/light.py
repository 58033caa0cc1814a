"""Light on the page: stronger on one side, weaker towards the corners, and with the shadow of a hand or an edge."""

import numpy as np
from scipy.ndimage import gaussian_filter

from train_host.synthetic.dice import Array, Dice


def shine(height: int, width: int, dice: Dice) -> Array:
    """Random brightness of every point, float64 (height, width), at most 1."""
    x = (np.arange(width) + 0.5)[None, :] / width - 0.5
    y = (np.arange(height) + 0.5)[:, None] / width - 0.5 * height / width
    tilt_x, tilt_y = 0.25 * dice.bell(2)
    light = 1 + tilt_x * x + tilt_y * y - dice.between(0, 0.6) * (x * x + y * y)
    if dice.chance(0.6):
        light *= 1 - dice.between(0.15, 0.6) * _shadow(x, y, width, dice)
    brightness: Array = light / light.max()
    return brightness


def _shadow(x: Array, y: Array, width: int, dice: Dice) -> Array:
    """Shadow of something between the lamp and the page, float64 in 0 to 1: an edge or an arm, sharp or soft."""
    angle, middle = dice.between(0, 2 * np.pi), dice.between(-0.35, 0.35)
    away = np.cos(angle) * x + np.sin(angle) * y - middle
    bend = dice.between(-1.5, 1.5) * (np.cos(angle) * y - np.sin(angle) * x) ** 2
    dark = (away + bend > 0) if dice.chance(0.6) else (np.abs(away + bend) < dice.between(0.06, 0.2))
    soft: Array = gaussian_filter(dark.astype(np.float64), dice.between(0.004, 0.05) * width)
    return soft
