"""Pictures to features, with the device's own kernels: training and recognition see the same numbers."""

import ctypes

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import POLARITIES
from edge_lpdpl.jit.loader import load_kernels
from edge_lpdpl.jit.record import address_of, make_record, request_writer
from edge_lpdpl.model.settings import Profile
from edge_lpdpl.numeral.buffers import make_workspace
from edge_lpdpl.numeral.engine import ENTRIES
from edge_lpdpl.numeral.record import RECORD, Request
from train_host.progress import bar

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
    buffers, kernels = make_workspace(profile.preprocessing, profile.hog), load_kernels(ENTRIES)
    record = make_record(RECORD, profile.preprocessing, profile.hog, buffers)  # no weights: these steps read none
    ask, address = request_writer(record, Request), ctypes.c_void_p(record.ctypes.data)
    for index in bar(title, range(len(images)), delay=1):
        picture = np.ascontiguousarray(images[index])
        ask(address_of(picture), *picture.shape, POLARITIES[polarity])
        if kernels["find_ink"](address) > 0:
            kernels["fit_square"](address)
            if not whole:
                kernels["describe_square"](address)
            features[index] = buffers.square.ravel() if whole else buffers.features
    return features
