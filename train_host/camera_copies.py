"""Copies as a camera gives them: at another size, out of focus, with another pen, in less light, with noise.

What is found on a page reaches the recogniser so (`edge_lpdpl.page` lifts it onto black, without the soft edge of its
strokes), but data sets are scanned: a model that has seen scans alone reads what a camera sees with less confidence
than it should, and rejects it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, grey_dilation

from edge_lpdpl.page.parts_table import LIFTED_SIDE, SOFT
from train_host.augment import border_level

Array = NDArray[np.float64]

MARGIN = 2
"""Pixels of a copy that stay free around the ink, at least."""

SEEN = 0.25
"""Share of the strongest ink in a picture from which on ink counts where its box is looked for."""

INK = 6
"""Grey levels of a copy from which on there is ink, on which noise lies; the paper has been taken off."""


@dataclass(frozen=True)
class CameraView:
    """How many copies, and what the camera makes of them, each uniformly between none and what is given here."""

    copies: int = 2
    least_side: int = 24
    """Pixels of a frame that the longer side of the ink takes where it is small ..."""
    most_side: int = 160
    """... and where it is large; every ratio of sizes is as likely."""
    blur: float = 1.3
    """Standard deviation of what is out of focus, in pixels of a frame."""
    boldness: float = 0.5
    """Hundredths of the longer side by which the pen is wider, to either side."""
    darkness: float = 0.53
    """Share of the light that is missing."""
    noise: float = 5.0
    """Standard deviation in grey levels."""


def camera_copies(images: NDArray[np.uint8], view: CameraView, seed: int, copy: int) -> NDArray[np.uint8]:
    """One copy of every picture (N, height, width), light ink on black, (N, LIFTED_SIDE, LIFTED_SIDE).

    >>> camera_copies(np.full((1, 16, 8), 7, np.uint8), CameraView(), 0, 0).shape
    (1, 64, 64)
    """
    random = np.random.default_rng([seed, copy, len(images), LIFTED_SIDE])
    return np.stack([_seen(_ink(picture), view, random) for picture in images])


def _ink(picture: NDArray[np.uint8]) -> Array:
    """The picture's ink, cut out with a little paper around it; the paper, which the border shows, is 0."""
    border = float(border_level(picture))
    difference: Array = np.clip(picture - border if border < 128 else border - picture, 0, 255)
    marks = difference > SEEN * difference.max()
    rows, columns = np.flatnonzero(marks.any(axis=1)), np.flatnonzero(marks.any(axis=0))
    if not len(rows):
        return difference
    cut: Array = np.pad(difference[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], MARGIN)
    return cut


def _seen(ink: Array, view: CameraView, random: np.random.Generator) -> NDArray[np.uint8]:
    side = np.exp(random.uniform(np.log(view.least_side), np.log(view.most_side)))
    frame = _resized(ink, side)
    pen = 1 + 2 * view.boldness * side / 100
    wide = 1 + 2 * int(np.ceil((pen - 1) / 2))
    frame += random.random() * (pen - 1) / max(wide - 1, 1) * (grey_dilation(frame, (wide, wide)) - frame)
    frame = gaussian_filter(frame, 0.3 + view.blur * random.random())
    seen = _resized(frame, min(side, LIFTED_SIDE - 2 * MARGIN))
    seen = np.maximum(seen - seen.max() / SOFT, 0)
    seen *= 255 * (1 - view.darkness * random.random()) / max(float(seen.max()), 1.0)
    seen += random.normal(0, view.noise * random.random(), seen.shape) * (seen > INK)
    free = LIFTED_SIDE - seen.shape[0], LIFTED_SIDE - seen.shape[1]
    return np.pad(np.clip(seen, 0, 255).astype(np.uint8), [(room // 2, room - room // 2) for room in free])


def _resized(picture: Array, side: float) -> Array:
    """The picture in proportion, its longer side of `side` pixels."""
    scale = side / max(picture.shape)
    size = max(2, round(picture.shape[1] * scale)), max(2, round(picture.shape[0] * scale))
    small = Image.fromarray(picture.astype(np.float32)).resize(size, Image.Resampling.BICUBIC)
    return np.maximum(np.asarray(small, np.float64), 0)
