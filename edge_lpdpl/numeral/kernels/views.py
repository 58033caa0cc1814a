"""What a record of `edge_lpdpl.numeral.state` tells, for the kernels: the same tuples of settings and arrays again."""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import array_at
from edge_lpdpl.jit.memory import LANES, WORD
from edge_lpdpl.model.settings import HogSettings, Preprocessing
from edge_lpdpl.numeral.buffers import (
    DIRECTIONS,
    MARGIN,
    MOST_TAPS,
    MOST_WORDS,
    PLANE,
    SIDE,
    STRIP,
    WORKING_SIDE,
    OctantBuffers,
    Workspace,
)
from edge_lpdpl.numeral.state import STATE
from edge_lpdpl.numeral.weights import Responses, Weights

AREA = WORKING_SIDE * WORKING_SIDE
PIXELS = SIDE * SIDE


@kernel
def state_at(address):
    """The record at an address."""
    return array_at(address, (1,), STATE)[0]


@kernel
def picture_of(state):
    """The picture that is to be read."""
    return array_at(state.picture, (state.height, state.width), np.uint8)


@kernel
def preprocessing_of(state):
    """Settings of binarisation and normalisation."""
    return Preprocessing(
        state.side,
        state.low_ratio,
        state.speck_share,
        state.least_contrast,
        state.paper_window,
        state.ink_percentile,
        state.by_moments,
        state.moment_width,
        state.aspect_power,
        state.margin,
        state.longest_side,
        state.most_growth,
        state.least_speck,
        state.most_ink,
        state.faint_peak,
        state.faint_share,
        state.faint_reach,
        state.photograph_level,
        state.photograph_percentile,
        state.pixel_spread,
    )


@kernel
def hog_of(state):
    """Settings of the histogram."""
    return HogSettings(
        state.cell,
        state.bins,
        state.signed,
        state.soft_bins,
        state.soft_cells,
        state.smoothing,
        state.square_root,
        state.contrast,
        state.least_norm,
    )


@kernel
def workspace_of(state):
    """Its buffers."""
    side = state.side
    return Workspace(
        array_at(state.grey, (AREA + WORD,), np.uint8),
        array_at(state.paper, (2, AREA), np.uint8),
        array_at(state.ink, (AREA + WORD,), np.uint8),
        array_at(state.bitmaps, (5, MOST_WORDS), np.int64),
        array_at(state.counts, (256,), np.int32),
        array_at(state.found, (8,), np.int64),
        array_at(state.masses, (WORKING_SIDE,), np.uint16),
        array_at(state.taps, (2, MOST_TAPS, side), np.float32),
        array_at(state.spans, (2, 3, side), np.int64),
        array_at(state.aims, (4, side), np.float64),
        array_at(state.levels, (WORKING_SIDE, WORKING_SIDE), np.float32),
        array_at(state.rows, (side, WORKING_SIDE), np.float32),
        array_at(state.columns, (WORKING_SIDE, (side + LANES - 1) // LANES * LANES), np.float32),
        array_at(state.square, (side, side), np.float32),
        array_at(state.smooth, (2, side, side), np.float32),
        OctantBuffers(
            array_at(state.octants_levels, (PIXELS + 2 * SIDE,), np.int16),
            array_at(state.octants_halfway, (PIXELS + 2 * SIDE,), np.int16),
            array_at(state.octants_right, (PIXELS + 2 * MARGIN,), np.int16),
            array_at(state.octants_down, (PIXELS + 2 * MARGIN,), np.int16),
            array_at(state.octants_lines, (DIRECTIONS * PLANE,), np.uint16),
            array_at(state.octants_sums, (DIRECTIONS, STRIP), np.int32),
            array_at(state.octants_shares, (DIRECTIONS, STRIP), np.float32),
        ),
        array_at(state.features, (state.feature_count,), np.float32),
        array_at(state.directions, (state.direction_count, 2), np.float32),
    )


@kernel
def weights_of(state, kind):
    """Weights of its model; `kind` is the type of those that may be halves: np.float32, or np.uint16 for their bits."""
    rank, classes = state.rank, state.classes
    checked, dimensions = state.novelty_classes, state.novelty_dimensions
    return Weights(
        array_at(state.projection, (state.projected, state.dimensions), kind),
        array_at(state.offset, (state.dimensions,), np.float32),
        array_at(state.vectors, (state.input_count, rank, classes), kind),
        array_at(state.squares, (rank, classes), np.float32),
        array_at(state.linears, (rank, classes), np.float32),
        array_at(state.margins, (state.knots,), np.float32),
        array_at(state.confidences, (state.knots,), np.float32),
        array_at(state.novelty_means, (checked, dimensions), np.float32),
        array_at(state.novelty_weights, (checked, dimensions), np.float32),
        array_at(state.novelty_factors, (checked, dimensions, state.novelty_factor_count), np.float32),
    )


@kernel
def responses_of(state):
    """Buffers of its classifier."""
    return Responses(
        array_at(state.inputs, (state.input_count,), np.float32),
        array_at(state.places, (max(state.input_count, state.projected) + 1,), np.int64),
        array_at(state.responses, (state.rank * state.classes,), np.float32),
        array_at(state.scores, (state.classes,), np.float32),
        array_at(state.decision, (5,), np.float64),
        array_at(state.away, (state.novelty_dimensions,), np.float32),
        array_at(state.along, (state.novelty_factor_count,), np.float32),
    )
