"""Distortions of pictures, each in steps of growing strength: camera, pen and careless handwriting."""

from collections.abc import Callable
from functools import wraps

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from train_host.datasets.pictures import border_level

Pictures = NDArray[np.uint8]
"""(N, height, width), uint8, light ink on dark or dark ink on light."""
Distortion = Callable[[Pictures, float], Pictures]


def _either_polarity(on_dark: Distortion) -> Distortion:
    """Extend a distortion of light ink on dark to dark ink on light: pictures are inverted before and after it."""

    @wraps(on_dark)
    def distort(pictures: Pictures, step: float) -> Pictures:
        is_light = border_level(pictures) >= 128
        turn = np.where(is_light, np.uint8(255), np.uint8(0))[:, None, None]  # 255 - grey is 255 ^ grey
        return on_dark(pictures ^ turn, step) ^ turn

    return distort


@_either_polarity
def blur(pictures: Pictures, sigma: float) -> Pictures:
    """Gaussian blur. `sigma` is in pixels of a picture 64 pixels wide."""
    wide = sigma * pictures.shape[2] / 64
    return np.stack([ndimage.gaussian_filter(picture.astype(float), wide) for picture in pictures]).astype(np.uint8)


@_either_polarity
def noise(pictures: Pictures, deviation: float) -> Pictures:
    """Gaussian noise with this standard deviation in grey levels. The seed is the count of pictures."""
    random = np.random.default_rng(len(pictures))
    noisy = pictures + random.normal(0, deviation, pictures.shape)
    return np.clip(np.rint(noisy), 0, 255).astype(np.uint8)


@_either_polarity
def rotation(pictures: Pictures, degrees: float) -> Pictures:
    """Rotation about the middle by this angle in degrees; every second picture turns the other way."""
    turned = [
        np.asarray(Image.fromarray(picture).rotate(degrees * (-1) ** index, Image.Resampling.BICUBIC))
        for index, picture in enumerate(pictures)
    ]
    return np.stack(turned)


@_either_polarity
def pen_width(pictures: Pictures, pixels: float) -> Pictures:
    """Dilation of the strokes by this many pixels."""
    side = 1 + round(pixels)
    return np.stack([ndimage.grey_dilation(picture, (side, side)) for picture in pictures])


@_either_polarity
def low_contrast(pictures: Pictures, loss: float) -> Pictures:
    """Loss of this share of the contrast, around grey 80 (dark ink: 175), with noise of 3 grey levels."""
    faint = 80 + (1 - loss) * (pictures.astype(float) - 80)
    return noise(np.rint(faint).astype(np.uint8), 3.0)


@_either_polarity
def perspective(pictures: Pictures, share: float) -> Pictures:
    """A view from the side: one of the four edges, in turn, is shorter by this share of its length."""
    height, width = pictures.shape[1:]
    inset = share / 2
    corners = np.array([[0, 0], [0, height], [width, height], [width, 0]], float)
    result = np.empty_like(pictures)
    for index, picture in enumerate(pictures):
        seen = corners.copy()
        first, second = index % 4, (index + 1) % 4
        seen[first] += inset * (corners[second] - corners[first])
        seen[second] += inset * (corners[first] - corners[second])
        # Source of each corner of the result: the inverse of the distortion, approximately.
        source = 2 * corners - seen
        moved = Image.fromarray(picture).transform(
            (width, height), Image.Transform.QUAD, tuple(source.ravel()), Image.Resampling.BICUBIC
        )
        result[index] = np.asarray(moved)
    return result


DISTORTIONS: dict[str, tuple[Distortion, tuple[float, ...], str]] = {
    "blur": (blur, (0, 0.5, 1, 1.5, 2, 3), "sigma, pixels of 64"),
    "noise": (noise, (0, 10, 20, 40, 60, 80), "deviation, grey levels"),
    "rotation": (rotation, (0, 5, 10, 15, 20, 30), "degrees"),
    "pen width": (pen_width, (0, 1, 2, 3, 4), "pixels added"),
    "low contrast": (low_contrast, (0, 0.5, 0.7, 0.8, 0.9), "share of contrast lost"),
    "perspective": (perspective, (0, 0.1, 0.2, 0.3, 0.4), "share by which an edge is shorter"),
}
"""Name to function, steps and unit of the steps."""
