"""The hot path: the four steps in one compiled call, because each call into compiled code has its price.

Those of one argument take the address of a record of `edge_lpdpl.numeral.state`, in which a picture may be asked
for, and leave everything else in the buffers that it names.
"""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.numeral.kernels import views
from edge_lpdpl.numeral.kernels.classify import classify
from edge_lpdpl.numeral.kernels.histogram import histogram_of_gradients
from edge_lpdpl.numeral.kernels.ink import binarise, binarise_in_place
from edge_lpdpl.numeral.kernels.square import normalise


@kernel
def extract(grey, polarity, preprocessing, hog, buffers):
    """Grey picture to features, in `buffers.features`; returns the number of ink pixels, 0 where there is nothing."""
    pixels = binarise(grey, polarity, preprocessing, buffers)
    if pixels > 0:
        normalise(preprocessing, buffers)
        histogram_of_gradients(hog, buffers)
    return pixels


@kernel
def extract_all(images, polarity, preprocessing, hog, buffers, features, pixels):
    """Features of many pictures of one size: (N, height, width) uint8 into (N, features) float32 and (N,) int64."""
    for index in range(len(images)):
        pixels[index] = extract(images[index], polarity, preprocessing, hog, buffers)
        if pixels[index] > 0:
            features[index] = buffers.features


@kernel
def recognise(address):
    """Picture to decision; returns the number of ink pixels, 0 where there is nothing."""
    pixels = find_ink(address)
    if pixels > 0:
        fit_square(address)
        read_square(address)
    return pixels


@kernel
def find_ink(address):
    """Picture to ink; returns the number of its pixels."""
    state = views.state_at(address)
    preprocessing, buffers = views.preprocessing_of(state), views.workspace_of(state)
    if state.picture == state.grey:
        return binarise_in_place(state.height, state.width, state.polarity, preprocessing, buffers)
    return binarise(views.picture_of(state), state.polarity, preprocessing, buffers)


@kernel
def fit_square(address):
    """Ink to normalised square."""
    state = views.state_at(address)
    normalise(views.preprocessing_of(state), views.workspace_of(state))
    return 0


@kernel
def describe_square(address):
    """Normalised square to features."""
    state = views.state_at(address)
    histogram_of_gradients(views.hog_of(state), views.workspace_of(state))
    return 0


@kernel
def classify_features(address):
    """Features to decision."""
    state = views.state_at(address)
    features, responses = views.workspace_of(state).features, views.responses_of(state)
    if state.in_halves:
        classify(features, views.weights_of(state, np.uint16), responses)
    else:
        classify(features, views.weights_of(state, np.float32), responses)
    return 0


@kernel
def read_square(address):
    """Normalised square to decision."""
    describe_square(address)
    return classify_features(address)
