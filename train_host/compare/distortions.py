"""What a camera, a cheap pen or a hasty hand do to a picture, each in growing steps."""

from collections.abc import Callable
from functools import wraps

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from train_host.augment import border_level

Pictures = NDArray[np.uint8]
"""(N, height, width), either polarity."""
Distortion = Callable[[Pictures, float], Pictures]


def _either_polarity(on_dark: Distortion) -> Distortion:
    """A distortion of light ink on dark for dark ink on light too, which is turned light for it and back again."""

    @wraps(on_dark)
    def distort(pictures: Pictures, step: float) -> Pictures:
        is_light = border_level(pictures) >= 128
        turn = np.where(is_light, np.uint8(255), np.uint8(0))[:, None, None]  # 255 - grey is 255 ^ grey
        turned: Pictures = on_dark(pictures ^ turn, step) ^ turn
        return turned

    return distort


@_either_polarity
def blur(pictures: Pictures, sigma: float) -> Pictures:
    """Gaussian blur of so many pixels of a picture 64 pixels wide."""
    wide = sigma * pictures.shape[2] / 64
    return np.stack([ndimage.gaussian_filter(picture.astype(float), wide) for picture in pictures]).astype(np.uint8)


@_either_polarity
def noise(pictures: Pictures, deviation: float) -> Pictures:
    """Grey noise of so many grey levels, the same for the same pictures."""
    random = np.random.default_rng(len(pictures))
    noisy = pictures + random.normal(0, deviation, pictures.shape)
    return np.clip(np.rint(noisy), 0, 255).astype(np.uint8)


@_either_polarity
def rotation(pictures: Pictures, degrees: float) -> Pictures:
    """Turned about the middle, every other picture the other way."""
    turned = [
        np.asarray(Image.fromarray(picture).rotate(degrees * (-1) ** index, Image.Resampling.BICUBIC))
        for index, picture in enumerate(pictures)
    ]
    return np.stack(turned)


@_either_polarity
def pen_width(pictures: Pictures, pixels: float) -> Pictures:
    """Strokes wider by so many pixels."""
    side = 1 + round(pixels)
    return np.stack([ndimage.grey_dilation(picture, (side, side)) for picture in pictures])


@_either_polarity
def low_contrast(pictures: Pictures, loss: float) -> Pictures:
    """The share of the contrast that is lost; the rest lies on grey 80 (dark ink: 175), with noise of 3 grey levels."""
    faint = 80 + (1 - loss) * (pictures.astype(float) - 80)
    return noise(np.rint(faint).astype(np.uint8), 3.0)


@_either_polarity
def perspective(pictures: Pictures, share: float) -> Pictures:
    """Seen from the side: one edge is shorter by this share of itself, another one at every picture."""
    height, width = pictures.shape[1:]
    inset = share / 2
    corners = np.array([[0, 0], [0, height], [width, height], [width, 0]], float)
    result = np.empty_like(pictures)
    for index, picture in enumerate(pictures):
        seen = corners.copy()
        first, second = index % 4, (index + 1) % 4
        seen[first] += inset * (corners[second] - corners[first])
        seen[second] += inset * (corners[first] - corners[second])
        # Where each corner of the result comes from: the wider edge pulls in what the shorter one shows.
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
"""Name to function, steps and their unit."""
