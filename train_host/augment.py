"""Affine augmented copies of pictures: the same writing with another slant, rotation or proportion."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image


@dataclass(frozen=True)
class Jitter:
    """How many augmented copies to make, and the largest distortion in either direction; each is drawn uniformly."""

    copies: int = 2
    rotation: float = 6.0
    """Degrees."""
    shear: float = 0.15
    """Pixels of horizontal shift for each pixel of height."""
    stretch: float = 0.12
    """Natural logarithm of the factor by which the width grows and the height shrinks."""


WIDE = Jitter(copies=6, rotation=10.0, shear=0.3, stretch=0.18)
"""More copies, and larger distortions, for data of few people or of people unlike those who will be read."""


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


def border_level(pictures: NDArray[np.generic]) -> NDArray[np.float64]:
    """Median grey level of the border, which is taken to be paper, of pictures (..., height, width): float64 (...).

    >>> border_level(np.array([[9, 9, 9], [9, 0, 9], [9, 9, 9]])), border_level(np.zeros((2, 8, 8))).shape
    (np.float64(9.0), (2,))
    """
    sides = [pictures[..., 0, :], pictures[..., -1, :], pictures[..., :, 0], pictures[..., :, -1]]
    level: NDArray[np.float64] = np.median(np.concatenate(sides, axis=-1), axis=-1)
    return level


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
