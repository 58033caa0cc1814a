"""Bounds of weights: no picture makes a score of an accepted model overflow; good models are far from the bounds."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_models import small_model

from edge_lpdpl.errors import ModelError
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.settings import HogSettings, Preprocessing
from edge_lpdpl.model.shapes import LARGEST_FEATURE, bounds
from edge_lpdpl.numeral.buffers import make_workspace
from edge_lpdpl.numeral.kernels.histogram import histogram_of_gradients
from edge_lpdpl.numeral.plain.classify import classify
from edge_lpdpl.numeral.weights import make_responses, model_weights


@given(seed=st.integers(0, 2**32 - 1), signed=st.booleans(), soft=st.booleans(), bins=st.integers(4, 18))
def test_no_histogram_holds_more(seed, signed, soft, bins):
    """The largest values of cells: squares of nothing but edges, without the steps that reduce values."""
    settings = HogSettings(16, bins, signed, soft, soft, smoothing=0, square_root=False, contrast=0)
    buffers = make_workspace(Preprocessing(side=64), settings)
    row, column = np.random.default_rng(seed).integers(0, 4, size=(2, 64))
    stripes = (row[:, None] + column + np.add.outer(np.arange(64), np.arange(64))) // 2 % 2
    for square in (stripes, np.arange(64)[:, None] // 2 % 2 + np.zeros((64, 64))):
        buffers.square[:] = square
        histogram_of_gradients(settings, buffers)
        assert 1 < buffers.features.max() < LARGEST_FEATURE


@pytest.mark.parametrize("seed", range(5))
def test_no_features_exceed_the_bounds(seed):
    """No histogram has the worst sign for every class; these features have it for one dimension."""
    model = small_model(seed=seed)
    found, weights = bounds(model.tensors(), model.constant), model_weights(model)
    responses = make_responses(weights, model.constant)
    for column in weights.projection.T:
        classify(np.sign(column) * np.float32(LARGEST_FEATURE), weights, responses)
        assert 1e4 < np.abs(responses.scores).max() < found["score"]
        assert 1e-6 * found["novelty"] < responses.decision[4] < found["novelty"]


@pytest.mark.parametrize("name", ["arabic10", "chinese15", "latin10"])
def test_shipped_models_are_far_from_it(name):
    model = read_model(shipped_model(name))
    assert max(bounds(model.tensors(), model.constant).values()) < 1e15


def test_a_model_is_made_up_to_the_largest_float_and_not_beyond():
    model = small_model()
    factor = np.float32(1e38 / bounds(model.tensors(), model.constant)["score"])
    dataclasses.replace(model, squares=model.squares * factor / 2, linears=model.linears * factor / 2)
    with pytest.raises(ModelError, match="a score could overflow"):
        dataclasses.replace(model, squares=model.squares * factor, linears=model.linears * factor)
