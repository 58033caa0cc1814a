"""Copies as a camera gives them: at another size, out of focus, with another pen, in less light, with noise.

What is found on a page reaches the recogniser so (`edge_lpdpl.locate` lifts it onto black), but data sets are scanned:
a model that has seen scans alone reads what a camera sees with less confidence than it should, and rejects it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, grey_dilation

Array = NDArray[np.float64]

SIDE = 64
"""Pixels of a copy's longer side."""

INK = 6
"""Grey levels from which on there is ink, on which noise lies; the paper has been taken off."""


@dataclass(frozen=True)
class CameraView:
    """How many copies, and what the camera makes of them, each uniformly between none and what is given here."""

    copies: int = 2
    least_side: int = 20
    """Pixels of a frame that the longer side of a picture takes where it is small ..."""
    most_side: int = 96
    """... and where it is large; every ratio of sizes is as likely."""
    blur: float = 0.8
    """Standard deviation of what is out of focus, in 64ths of that side."""
    boldness: float = 1.0
    """Pixels of the copy by which the pen is wider."""
    darkness: float = 0.53
    """Share of the light that is missing."""
    noise: float = 5.0
    """Standard deviation in grey levels."""


def camera_copies(images: NDArray[np.uint8], view: CameraView, seed: int, copy: int) -> NDArray[np.uint8]:
    """One copy of every picture (N, height, width), light ink on black, (N, SIDE, ...) in proportion.

    >>> camera_copies(np.full((1, 16, 8), 7, np.uint8), CameraView(), 0, 0).shape
    (1, 64, 32)
    """
    random = np.random.default_rng([seed, copy, len(images), SIDE])
    return np.stack([_seen(_ink(picture), view, random) for picture in images])


def _ink(picture: NDArray[np.uint8]) -> Array:
    """The picture with its paper, which the border shows, at 0, and its ink above."""
    border = float(np.median(np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])))
    difference = picture - border if border < 128 else border - picture
    return np.clip(difference, 0, 255)


def _seen(ink: Array, view: CameraView, random: np.random.Generator) -> NDArray[np.uint8]:
    side = np.exp(random.uniform(np.log(view.least_side), np.log(view.most_side)))
    small = _resized(ink, _size(ink, side), Image.Resampling.BICUBIC)
    frame = gaussian_filter(small, 0.4 + view.blur * random.random() * side / 64)
    seen = _resized(frame, _size(ink, SIDE), Image.Resampling.BILINEAR)
    wider = gaussian_filter(grey_dilation(seen, (3, 3)), 0.5)
    seen += view.boldness * random.random() * (wider - seen)
    seen *= 255 * (1 - view.darkness * random.random()) / max(float(seen.max()), 1.0)
    seen += random.normal(0, view.noise * random.random(), seen.shape) * (seen > INK)
    return np.clip(seen, 0, 255).astype(np.uint8)


def _size(picture: Array, side: float) -> tuple[int, int]:
    """Width and height in proportion, the longer one of `side` pixels."""
    scale = side / max(picture.shape)
    return max(2, round(picture.shape[1] * scale)), max(2, round(picture.shape[0] * scale))


def _resized(picture: Array, size: tuple[int, int], resampling: Image.Resampling) -> Array:
    return np.asarray(Image.fromarray(picture.astype(np.float32)).resize(size, resampling), np.float64)
