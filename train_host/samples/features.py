"""Pictures to features, with the device's own kernels: training and recognition see the same numbers."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import POLARITIES
from edge_lpdpl.jit.compiler import bind, kernel
from edge_lpdpl.model.settings import HogSettings, Preprocessing, Profile
from edge_lpdpl.numeral.buffers import Workspace, make_workspace
from edge_lpdpl.numeral.kernels.entries import extract
from train_host.progress import bar

CHUNK = 500
"""Pictures described at a time, between two updates of the progress bar."""

Features = NDArray[np.float32]


def extract_features(
    images: NDArray[np.uint8],
    profile: Profile,
    kind: str = "hog",
    polarity: str = "auto",
    title: str = "features",
) -> Features:
    """Features (N, n) float32 of pictures (N, height, width) uint8; a row of zeros where a picture has no visible ink.

    Args:
        kind: `hog`, or `pixels` for the flattened square.
        polarity: of the ink: `dark`, `light`, or `auto` to detect it.
        title: of the progress bar.

    >>> from train_host.recipe import EDGE_RECIPE
    >>> features = extract_features(np.zeros((2, 32, 32), np.uint8), EDGE_RECIPE.profile)
    >>> features.shape, features.dtype, bool(features.any())
    ((2, 512), dtype('float32'), False)
    """
    buffers = make_workspace(profile.preprocessing, profile.hog)
    count = profile.hog.feature_count(profile.preprocessing.side)
    histograms = np.zeros((len(images), count), np.float32)
    squares = np.zeros((len(images), profile.preprocessing.side**2), np.float32) if kind == "pixels" else None
    pixels = np.zeros(len(images), np.int64)
    step = 1 if squares is not None else CHUNK
    settings = (POLARITIES[polarity], profile.preprocessing, profile.hog, buffers)
    compiled = bind(extract_all, images[:0].copy(), *settings, histograms, pixels)
    for start in bar(title, range(0, len(images), step), unit_scale=step, delay=1):
        chunk = slice(start, start + step)
        compiled(np.ascontiguousarray(images[chunk]), *settings, histograms[chunk], pixels[chunk])
        if squares is not None and pixels[start]:
            squares[start] = buffers.square.ravel()
    return histograms if squares is None else squares


@kernel
def extract_all(
    images: NDArray[np.uint8],
    polarity: int,
    preprocessing: Preprocessing,
    hog: HogSettings,
    buffers: Workspace,
    features: Features,
    pixels: NDArray[np.int64],
) -> None:
    """Features of many pictures of one size: (N, height, width) uint8 into (N, features) float32 and (N,) int64."""
    for index in range(len(images)):
        pixels[index] = extract(images[index], polarity, preprocessing, hog, buffers)
        if pixels[index] > 0:
            features[index] = buffers.features
