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
    images: NDArray[np.uint8], profile: Profile, kind: str = "hog", polarity: str = "auto", title: str = "features"
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
    side, whole = profile.preprocessing.side, kind == "pixels"
    features = np.zeros((len(images), side**2 if whole else profile.hog.feature_count(side)), np.float32)
    buffers = make_workspace(profile.preprocessing, profile.hog)
    settings = (POLARITIES[polarity], profile.preprocessing, profile.hog, buffers, whole)
    compiled = bind(extract_all, images[:0].copy(), *settings, features)
    for start in bar(title, range(0, len(images), CHUNK), unit_scale=CHUNK, delay=1):
        chunk = slice(start, start + CHUNK)
        compiled(np.ascontiguousarray(images[chunk]), *settings, features[chunk])
    return features


@kernel
def extract_all(
    images: NDArray[np.uint8],
    polarity: int,
    preprocessing: Preprocessing,
    hog: HogSettings,
    buffers: Workspace,
    whole: bool,
    features: Features,
) -> None:
    """Features of many pictures of one size, (N, height, width) uint8 into (N, n) float32; or their whole squares."""
    for index in range(len(images)):
        if extract(images[index], polarity, preprocessing, hog, buffers) > 0:
            features[index] = buffers.square.ravel() if whole else buffers.features
