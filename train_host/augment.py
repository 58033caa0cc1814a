"""Affine copies of pictures: what another slant, turn or proportion of the same writing looks like."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image


@dataclass(frozen=True)
class Jitter:
    """How many copies, and how far they go, each uniformly to both sides."""

    copies: int = 2
    rotation: float = 6.0
    """Degrees."""
    shear: float = 0.15
    """Pixels across for a pixel down."""
    stretch: float = 0.12
    """Natural logarithm of width gained and height lost."""


def jittered(images: NDArray[np.uint8], jitter: Jitter, seed: int, copy: int) -> NDArray[np.uint8]:
    """One affine copy of every picture (N, height, width), about its middle; the border's median fills what is bared.

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
    """Median grey of the border, which is paper, of pictures (..., height, width).

    >>> border_level(np.array([[9, 9, 9], [9, 0, 9], [9, 9, 9]])), border_level(np.zeros((2, 8, 8))).shape
    (np.float64(9.0), (2,))
    """
    sides = [pictures[..., 0, :], pictures[..., -1, :], pictures[..., :, 0], pictures[..., :, -1]]
    level: NDArray[np.float64] = np.median(np.concatenate(sides, axis=-1), axis=-1)
    return level


def _coefficients(jitter: Jitter, random: np.random.Generator, height: int, width: int) -> tuple[float, ...]:
    """Pillow's six numbers: where each pixel of the copy comes from."""
    turn = np.deg2rad(random.uniform(-jitter.rotation, jitter.rotation))
    shear = random.uniform(-jitter.shear, jitter.shear)
    stretch = np.exp(random.uniform(-jitter.stretch, jitter.stretch))
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    matrix = rotation @ np.array([[1, shear], [0, 1]]) @ np.diag([stretch, 1 / stretch])
    middle = np.array([width / 2, height / 2])
    shift = middle - matrix @ middle
    return (*matrix[0].tolist(), float(shift[0]), *matrix[1].tolist(), float(shift[1]))
