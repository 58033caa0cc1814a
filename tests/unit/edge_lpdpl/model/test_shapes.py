"""No picture makes a score of a valid model overflow, and no good model is near the bounds."""

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_models import small_model

from edge_lpdpl.errors import ModelError
from edge_lpdpl.library.shipped import shipped_model, shipped_models
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.metadata import Metadata
from edge_lpdpl.model.model import Model, Novelty
from edge_lpdpl.model.settings import HogSettings, Preprocessing, checked_numbers
from edge_lpdpl.model.shapes import BOUNDS, LARGEST, LIMITS, NOVELTY
from edge_lpdpl.numeral.buffers import make_workspace
from edge_lpdpl.numeral.engine import make_engine
from edge_lpdpl.numeral.kernels.histogram import histogram_of_gradients
from edge_lpdpl.numeral.plain.classify import classify
from edge_lpdpl.numeral.weights import DISTANCE, make_responses, model_weights

pytestmark = pytest.mark.slow

LARGEST_FEATURE = BOUNDS["selftest_features"]
MOST_CONSTANT = 1e6


def largest_numbers(features: int, dimensions: int, rank: int, factors: int) -> dict[str, float]:
    """The largest score and distance of a model of these sizes whose numbers are all as large as they may be."""
    projected = features * LARGEST_FEATURE * BOUNDS["projection"] + BOUNDS["projection_offset"]
    response = (dimensions + 1) * max(projected, MOST_CONSTANT) * BOUNDS["vectors"]
    away = projected + BOUNDS["novelty_means"]
    along = dimensions * away * BOUNDS["novelty_factors"]
    return {
        "score": 1 + rank * (BOUNDS["squares"] * response + BOUNDS["linears"]) * response,
        "distance": dimensions * BOUNDS["novelty_weights"] * away**2 + factors * along**2,
    }


def model_at_the_bounds(sign: float = 1) -> Model:
    """A small model whose numbers are all as large as they may be."""
    model = small_model()
    names = ("projection", "projection_offset", "vectors", "squares", "linears")
    arrays = {name: np.full_like(getattr(model, name), sign * BOUNDS[name]) for name in names}
    novelty = Novelty(*(np.full_like(array, BOUNDS[name]) for name, array in zip(NOVELTY, model.novelty, strict=True)))
    return dataclasses.replace(model, **arrays, novelty=novelty, constant=MOST_CONSTANT)


@given(seed=st.integers(0, 2**32 - 1), signed=st.booleans(), soft=st.booleans(), bins=st.integers(4, 18))
def test_no_histogram_holds_more(seed, signed, soft, bins):
    """The largest cells in which anything is, of squares of nothing but edges, without what makes numbers smaller."""
    settings = HogSettings(16, bins, signed, soft, soft, smoothing=0, square_root=False, contrast=0)
    buffers = make_workspace(Preprocessing(side=64), settings)
    row, column = np.random.default_rng(seed).integers(0, 4, size=(2, 64))
    stripes = (row[:, None] + column + np.add.outer(np.arange(64), np.arange(64))) // 2 % 2
    for square in (stripes, np.arange(64)[:, None] // 2 % 2 + np.zeros((64, 64))):
        buffers.square[:] = square
        histogram_of_gradients(settings, buffers)
        assert 1 < buffers.features.max() < LARGEST_FEATURE


def test_models_of_the_largest_sizes_do_not_overflow():
    """A margin is the difference of two scores, and rounding needs some room: a quarter of what float32 holds."""
    sizes = {axis: LIMITS[axis][1] for axis in ("features", "dimensions", "rank", "factors")}
    assert LIMITS["inputs"][1] <= LIMITS["dimensions"][1]
    assert all(1e37 < number < LARGEST / 4 for number in largest_numbers(**sizes).values())


def test_the_constant_is_bounded_too():
    values = {"dimensions": 1, "rank": 1, "atoms": 1, "threshold": 0, "false_rejects": 0, "unsure_share": 1}
    values |= {"usual_lead": 0, "least_lead": 0}
    checked_numbers(Metadata, values | {"constant": MOST_CONSTANT})
    with pytest.raises(ModelError, match="constant"):
        checked_numbers(Metadata, values | {"constant": MOST_CONSTANT * 1.001})


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize("sign", [1, -1])
def test_nothing_overflows_at_the_bounds(backend, sign):
    model = model_at_the_bounds(sign)
    features = np.full(model.feature_count, LARGEST_FEATURE, np.float32)
    engine = make_engine(model, backend)
    with np.errstate(all="raise"):
        engine.classify(features)
    largest = largest_numbers(model.feature_count, model.dimensions, model.rank, model.novelty.factors.shape[2])
    assert 0.1 * largest["score"] < np.abs(engine.responses.scores).max() <= 1.001 * largest["score"]
    assert 0.1 * largest["distance"] < engine.responses.decision[DISTANCE] <= 1.001 * largest["distance"]
    assert np.isfinite(engine.responses.decision).all()


@pytest.mark.parametrize("seed", range(5))
def test_no_features_take_a_model_beyond_what_its_numbers_allow(seed):
    """Histograms cannot have the sign that each class would like most; these have it for one dimension."""
    model = small_model(seed=seed)
    weights = model_weights(model)
    responses = make_responses(weights, model.constant)
    largest = largest_numbers(model.feature_count, model.dimensions, model.rank, model.novelty.factors.shape[2])
    for column in weights.projection.T:
        classify(np.sign(column) * np.float32(LARGEST_FEATURE), weights, responses)
        assert 1e4 < np.abs(responses.scores).max() < largest["score"]
        assert 1e-3 < responses.decision[DISTANCE] < largest["distance"]


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_models_are_far_from_the_bounds(name):
    tensors = read_model(shipped_model(name)).tensors()
    assert all(np.abs(tensors[name]).max() < bound / 50 for name, bound in BOUNDS.items() if name in tensors)


@pytest.mark.parametrize("name", ["projection", "projection_offset", "vectors", "squares", "linears"])
def test_a_model_is_made_up_to_the_bounds_and_not_beyond(name):
    model = model_at_the_bounds()
    beyond = getattr(model, name) * np.float32(1.001)
    with pytest.raises(
        ModelError, match=re.escape(f"{name} holds numbers that are not finite or beyond {BOUNDS[name]:g}")
    ):
        dataclasses.replace(model, **{name: beyond})
