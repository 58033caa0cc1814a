"""Augmented copies as a camera sees them: another size, out of focus, another pen, less light, noise.

`edge_lpdpl.page` cuts ink out of a page and hands it to the recogniser on black, without the soft edge of its
strokes. Data sets are scanned. A model that is trained on scans alone reads camera pictures with too little confidence
and rejects them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, grey_dilation

from edge_lpdpl.page.parts_table import LIFTED_SIDE, SOFT
from train_host.datasets.pictures import border_level, box_of
from train_host.recipe import CameraView

Array = NDArray[np.float64]

MARGIN = 2
"""Least number of free pixels around the ink of a copy."""

SEEN = 0.25
"""Share of the strongest ink in a picture above which a pixel counts as ink when its bounding box is found."""

INK = 6
"""Grey level of a copy, with the paper subtracted, above which a pixel is ink; noise is added to ink alone."""


def camera_copies(images: NDArray[np.uint8], view: CameraView, seed: int, copy: int) -> NDArray[np.uint8]:
    """One camera copy of every picture (N, height, width): light ink on black, uint8 (N, LIFTED_SIDE, LIFTED_SIDE).

    Args:
        copy: number of the copy, 0 or more; the same seed and number give the same copy.

    >>> camera_copies(np.full((1, 16, 8), 7, np.uint8), CameraView(), 0, 0).shape
    (1, 64, 64)
    """
    random = np.random.default_rng([seed, copy, len(images), LIFTED_SIDE])
    return np.stack([_seen(ink_of(picture), view, random) for picture in images])


def ink_of(picture: NDArray[np.uint8]) -> Array:
    """The picture's ink, cut out with a margin, float64; the paper, whose level the border shows, is 0."""
    border = float(border_level(picture))
    difference: Array = np.clip(picture - border if border < 128 else border - picture, 0, 255)
    left, top, right, bottom = box_of(difference > SEEN * difference.max())
    return np.pad(difference[top:bottom, left:right], MARGIN) if right else difference


def _seen(ink: Array, view: CameraView, random: np.random.Generator) -> NDArray[np.uint8]:
    """Ink as a camera sees it, (LIFTED_SIDE, LIFTED_SIDE)."""
    side = np.exp(random.uniform(np.log(view.least_side), np.log(view.most_side)))
    frame = resized(ink, side)
    pen = 1 + 2 * view.boldness * side / 100
    wide = 1 + 2 * int(np.ceil((pen - 1) / 2))
    frame += random.random() * (pen - 1) / max(wide - 1, 1) * (grey_dilation(frame, (wide, wide)) - frame)
    frame = gaussian_filter(frame, 0.3 + view.blur * random.random())
    seen = resized(frame, min(side, LIFTED_SIDE - 2 * MARGIN))
    seen = np.maximum(seen - seen.max() / SOFT, 0)
    seen *= 255 * (1 - view.darkness * random.random()) / max(float(seen.max()), 1.0)
    seen += random.normal(0, view.noise * random.random(), seen.shape) * (seen > INK)
    return in_the_middle(np.clip(seen, 0, 255).astype(np.uint8))


def in_the_middle(picture: NDArray[Any]) -> NDArray[Any]:
    """A picture that has no side above LIFTED_SIDE, in the middle of black, (LIFTED_SIDE, LIFTED_SIDE)."""
    free = LIFTED_SIDE - picture.shape[0], LIFTED_SIDE - picture.shape[1]
    return np.pad(picture, [(room // 2, room - room // 2) for room in free])


def resized(picture: Array, side: float) -> Array:
    """The picture scaled in proportion, so that its longer side is `side` pixels."""
    scale = side / max(picture.shape)
    size = max(2, round(picture.shape[1] * scale)), max(2, round(picture.shape[0] * scale))
    small = Image.fromarray(picture.astype(np.float32)).resize(size, Image.Resampling.BICUBIC)
    return np.maximum(np.asarray(small, np.float64), 0)
