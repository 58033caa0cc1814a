"""Light on the page, and a simulated camera.

Light is stronger on one side, weaker towards the corners, and has the shadow of a hand or an edge. The camera sees the
page rotated, in perspective, a little out of focus, with noise, perhaps as JPEG.
"""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, map_coordinates

from train_host.synthetic.dice import Array, Dice

MARGIN = 0.25
"""How far the page reaches beyond the frame on every side, as a share of the frame's size."""


def shine(height: int, width: int, dice: Dice) -> Array:
    """Random brightness of every point, float64 (height, width), at most 1."""
    x = (np.arange(width) + 0.5)[None, :] / width - 0.5
    y = (np.arange(height) + 0.5)[:, None] / width - 0.5 * height / width
    tilt_x, tilt_y = 0.25 * dice.bell(2)
    light = 1 + tilt_x * x + tilt_y * y - dice.between(0, 0.6) * (x * x + y * y)
    if dice.chance(0.6):
        light *= 1 - dice.between(0.15, 0.6) * _shadow(x, y, width, dice)
    return light / light.max()


def _shadow(x: Array, y: Array, width: int, dice: Dice) -> Array:
    """Shadow of something between the lamp and the page, float64 in 0 to 1: an edge or an arm, sharp or soft."""
    angle, middle = dice.between(0, 2 * np.pi), dice.between(-0.35, 0.35)
    away = np.cos(angle) * x + np.sin(angle) * y - middle
    bend = dice.between(-1.5, 1.5) * (np.cos(angle) * y - np.sin(angle) * x) ** 2
    dark = (away + bend > 0) if dice.chance(0.6) else (np.abs(away + bend) < dice.between(0.06, 0.2))
    return gaussian_filter(dark.astype(np.float64), dice.between(0.004, 0.05) * width)


def view(height: int, width: int, dice: Dice) -> Array:
    """A random homography (3, 3) from points (x, y, 1) of the page to points of the frame: rotation and perspective."""
    angle = np.radians(dice.between(-0.8, 0.8) * 10.0)  # up to 8 degrees
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    tilt = np.eye(3)
    tilt[2, :2] = 0.1 * dice.between(-1, 1) / width, 0.1 * dice.between(-1, 1) / width
    tilt[1, 0] = dice.between(-0.03, 0.03)
    centre = np.array([[1, 0, width / 2], [0, 1, height / 2], [0, 0, 1.0]])
    back = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1.0]])
    return centre @ tilt @ turn @ back


def project(points: Array, homography: Array) -> Array:
    """Map points (n, 2) of the page to points (n, 2) of the frame."""
    image = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return image[:, :2] / image[:, 2:]


def look(sheet: Array, homography: Array, height: int, width: int) -> Array:
    """The frame (height, width) float64 as the camera sees the sheet, which reaches MARGIN beyond the frame."""
    back: Array = np.linalg.inv(homography).astype(np.float64)
    y, x = np.mgrid[0:height, 0:width]
    page = project(np.column_stack([x.ravel(), y.ravel()]).astype(np.float64), back)
    places = page[:, 1] + round(MARGIN * height), page[:, 0] + round(MARGIN * width)
    return map_coordinates(sheet, places, order=1, mode="nearest").reshape(height, width)


def expose(scene: Array, dice: Dice) -> NDArray[np.uint8]:
    """Grey levels, uint8 (height, width), of the light on the sensor (height, width), 0 to 1."""
    height, width = scene.shape
    blurred = gaussian_filter(scene, dice.between(0.3, 1.3) * width / 640)
    exposure = dice.between(150, 245)
    levels = exposure * blurred + dice.between(2, 18)
    noise = dice.between(0.5, 3.5) * np.sqrt(0.3 + 0.7 * np.clip(levels, 0, 255) / 200)
    grey = np.clip(levels + noise * dice.bell(height, width) + 0.5, 0, 255).astype(np.uint8)
    return _as_jpeg(grey, int(dice.between(60, 95))) if dice.chance(0.5) else grey


def _as_jpeg(grey: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    file = io.BytesIO()
    Image.fromarray(grey).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file), np.uint8)
