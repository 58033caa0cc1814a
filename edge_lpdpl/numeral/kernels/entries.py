"""The hot path: the four steps in one compiled call, because each call from Python has a cost.

Those with one argument take the address of a record (`edge_lpdpl.numeral.record`), read the picture that it asks for,
and leave the results in its buffers.
"""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import array_at, part_of
from edge_lpdpl.model.settings import HogSettings, Preprocessing
from edge_lpdpl.numeral.buffers import Workspace
from edge_lpdpl.numeral.kernels.classify import classify
from edge_lpdpl.numeral.kernels.hand import consider_hand
from edge_lpdpl.numeral.kernels.histogram import histogram_of_gradients
from edge_lpdpl.numeral.kernels.ink import binarise, binarise_in_place
from edge_lpdpl.numeral.kernels.square import normalise
from edge_lpdpl.numeral.record import RECORD
from edge_lpdpl.numeral.taught import Taught
from edge_lpdpl.numeral.weights import Responses, Weights


@kernel
def record_at(address):
    """The record of a recogniser at an address."""
    return array_at(address, (1,), RECORD)[0]


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
    record = record_at(address)
    preprocessing, buffers = part_of(record, Preprocessing), part_of(record, Workspace)
    if record.picture == record.grey:
        return binarise_in_place(record.height, record.width, record.polarity, preprocessing, buffers)
    picture = array_at(record.picture, (record.height, record.width), np.uint8)
    return binarise(picture, record.polarity, preprocessing, buffers)


@kernel
def fit_square(address):
    """Ink to normalised square."""
    record = record_at(address)
    normalise(part_of(record, Preprocessing), part_of(record, Workspace))
    return 0


@kernel
def describe_square(address):
    """Normalised square to features."""
    record = record_at(address)
    histogram_of_gradients(part_of(record, HogSettings), part_of(record, Workspace))
    return 0


@kernel
def classify_features(address):
    """Features to decision."""
    record = record_at(address)
    features, responses = part_of(record, Workspace).features, part_of(record, Responses)
    if record.in_float16:
        classify(features, part_of(record, Weights, np.uint16), responses)
    else:
        classify(features, part_of(record, Weights, np.float32), responses)
    if record.hand_count > 0:
        # What is read here of the weights is the same in both kinds.
        consider_hand(part_of(record, Weights, np.float32), part_of(record, Taught), responses)
    return 0


@kernel
def read_square(address):
    """Normalised square to decision."""
    describe_square(address)
    return classify_features(address)
