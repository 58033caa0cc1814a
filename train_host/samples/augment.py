"""Affine augmented copies of pictures: the same writing with another slant, rotation or proportion."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from train_host.datasets.pictures import border_level
from train_host.recipe import Jitter


def jittered(images: NDArray[np.uint8], jitter: Jitter, seed: int, copy: int) -> NDArray[np.uint8]:
    """One affine augmented copy of every picture, uint8 (N, height, width), transformed about its middle.

    Pixels that come from outside a picture get the median of its border.

    Args:
        copy: number of the copy, 0 or more; the same seed and number give the same copy.

    >>> jittered(np.full((1, 8, 8), 7, np.uint8), Jitter(), 0, 0).mean()
    np.float64(7.0)
    """
    random = np.random.default_rng([seed, copy, len(images)])
    result = np.empty_like(images)
    for index, picture in enumerate(images):
        moved = Image.fromarray(picture).transform(
            picture.shape[::-1],
            Image.Transform.AFFINE,
            _coefficients(jitter, random, *picture.shape),
            Image.Resampling.BICUBIC,
            fillcolor=int(border_level(picture)),
        )
        result[index] = np.asarray(moved)
    return result


def _coefficients(jitter: Jitter, random: np.random.Generator, height: int, width: int) -> tuple[float, ...]:
    """Pillow's six affine coefficients, which map each pixel of the copy to where it comes from."""
    turn = np.deg2rad(random.uniform(-jitter.rotation, jitter.rotation))
    shear = random.uniform(-jitter.shear, jitter.shear)
    stretch = np.exp(random.uniform(-jitter.stretch, jitter.stretch))
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    matrix = rotation @ np.array([[1, shear], [0, 1]]) @ np.diag([stretch, 1 / stretch])
    middle = np.array([width / 2, height / 2])
    shift = middle - matrix @ middle
    return (*matrix[0].tolist(), float(shift[0]), *matrix[1].tolist(), float(shift[1]))
