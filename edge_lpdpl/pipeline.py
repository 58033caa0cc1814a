"""The hot path: the four steps in one compiled call, because each call into compiled code has its price."""

from edge_lpdpl.binarise import binarise
from edge_lpdpl.classify import classify
from edge_lpdpl.compiled import kernel
from edge_lpdpl.hog import histogram_of_gradients
from edge_lpdpl.normalise import normalise


@kernel
def extract(grey, polarity, preprocessing, hog, buffers):
    """Grey picture to features, in `buffers.features`; returns the number of ink pixels, 0 where there is nothing."""
    pixels = binarise(grey, polarity, preprocessing, buffers)
    if pixels > 0:
        normalise(preprocessing, buffers)
        histogram_of_gradients(hog, buffers)
    return pixels


@kernel
def read_square(hog, buffers, weights, responses):
    """Normalised square to decision: features and classification."""
    histogram_of_gradients(hog, buffers)
    classify(buffers.features, weights, responses)


@kernel
def recognise(grey, polarity, preprocessing, hog, buffers, weights, responses):
    """Grey picture to decision, in `responses`; returns the number of ink pixels, 0 where there is nothing."""
    pixels = binarise(grey, polarity, preprocessing, buffers)
    if pixels > 0:
        normalise(preprocessing, buffers)
        read_square(hog, buffers, weights, responses)
    return pixels


@kernel
def extract_all(images, polarity, preprocessing, hog, buffers, features, pixels):
    """Features of many pictures of one size: (N, height, width) uint8 into (N, features) float32 and (N,) int64."""
    for index in range(len(images)):
        pixels[index] = extract(images[index], polarity, preprocessing, hog, buffers)
        if pixels[index] > 0:
            features[index] = buffers.features
