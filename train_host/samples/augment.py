"""Augmented copies of pictures: the same writing with another slant, rotation or proportion, its strokes bent."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, map_coordinates

from train_host.datasets.pictures import border_level
from train_host.recipe import Jitter

SMOOTH = 0.214
"""Standard deviation of the Gaussian that smooths a field, over the longer side: strokes are bent, and not torn."""


def jittered(images: NDArray[np.uint8], jitter: Jitter, seed: int, copy: int) -> NDArray[np.uint8]:
    """One augmented copy of every picture, uint8 (N, height, width), transformed about its middle, and bent if
    the jitter says so.

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
        result[index] = _bent(np.asarray(moved), jitter.bend, random) if jitter.bend else np.asarray(moved)
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


def _bent(picture: NDArray[np.uint8], bend: float, random: np.random.Generator) -> NDArray[np.uint8]:
    """A picture whose pixels are moved by a smooth random field (P. Y. Simard, D. Steinkraus and J. C. Platt, "Best
    Practices for Convolutional Neural Networks Applied to Visual Document Analysis", ICDAR 2003)."""
    side = max(picture.shape)
    field = gaussian_filter(
        random.uniform(-1, 1, (2, *picture.shape)), (0, SMOOTH * side, SMOOTH * side), mode="constant"
    )
    field *= bend * side * random.random() / np.sqrt((field**2).mean(axis=(1, 2), keepdims=True))
    bent: NDArray[np.uint8] = map_coordinates(picture, np.indices(picture.shape) + field, order=1, mode="nearest")
    return bent
