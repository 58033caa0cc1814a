"""From features to a decision: the folded form of eq. 12, the best two classes, the confidence of their margin."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.jit.intrinsics import fused
from edge_lpdpl.jit.memory import round_to_float16
from edge_lpdpl.numeral.kernels import classify
from edge_lpdpl.numeral.plain import engine as numpy_engine
from edge_lpdpl.numeral.weights import BEST, DISTANCE, LEAD, Responses, Weights, as_float16, make_responses

pytestmark = pytest.mark.slow

both = pytest.mark.parametrize("decide", [classify.classify, numpy_engine.classify], ids=["numba", "numpy"])

MARGINS, CONFIDENCES = np.float32([0.5, 1, 3]), np.float32([0.25, 0.5, 1])


def read_only(array: np.ndarray) -> np.ndarray:
    """Read-only, like the arrays of a model."""
    array = np.ascontiguousarray(array, np.float32)
    array.setflags(write=False)
    return array


UNCHECKED = np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((0, 0, 0))


def weights_of(
    *, projection=(), offset=(), vectors, squares, linears, novelty=UNCHECKED, non_numerals: int = 0
) -> Weights:
    projection = np.reshape(projection, (-1, len(offset))) if len(offset) else np.zeros((0, 0))
    arrays = map(read_only, (projection, offset, vectors, squares, linears, MARGINS, CONFIDENCES, *novelty))
    return Weights(*arrays, non_numerals)


def random_weights(
    seed: int,
    features: int,
    dimensions: int,
    rank: int,
    classes: int,
    constant: float,
    factors: int = 0,
    non_numerals: int = 0,
) -> Weights:
    """Random weights. Without dimensions there is no projection; without factors there is no novelty."""
    forms = classes + non_numerals
    random = np.random.default_rng(seed)
    inputs = dimensions + (constant > 0) if dimensions else features
    return weights_of(
        projection=random.normal(size=(features, dimensions)),
        offset=random.normal(size=dimensions),
        vectors=random.normal(size=(inputs, rank, forms)),
        squares=random.normal(size=(rank, forms)),
        linears=random.normal(size=(rank, forms)),
        non_numerals=non_numerals,
        novelty=(
            random.normal(size=(classes, dimensions or features)),
            random.random(size=(classes, dimensions or features)),
            random.normal(size=(classes, dimensions or features, factors)),
        )
        if factors
        else UNCHECKED,
    )


def weights_that_score(scores: list[float]) -> tuple[np.ndarray, Weights]:
    """Features and weights that give exactly `scores`, which are small whole numbers or halves."""
    classes = len(scores)
    linears = np.float32(scores)[None] - 1
    weights = weights_of(vectors=np.ones((1, 1, classes)), squares=np.zeros((1, classes)), linears=linears)
    return np.ones(1, np.float32), weights


def decided(decide, features: np.ndarray, weights: Weights, constant: float = 0.0) -> Responses:
    responses = make_responses(weights, constant)
    decide(features, weights, responses)
    return responses


@both
@given(
    seed=st.integers(0, 2**32 - 1),
    features=st.integers(1, 50),
    dimensions=st.integers(0, 20),
    rank=st.integers(1, 8),
    classes=st.integers(2, 20),
    constant=st.sampled_from([0.0, 0.5]),
    factors=st.integers(0, 17),
    non_numerals=st.integers(0, 1),
)
def test_scores_and_decision_are_what_the_definition_says(
    decide, seed, features, dimensions, rank, classes, constant, factors, non_numerals
):
    constant = constant if dimensions else 0.0
    weights = random_weights(seed, features, dimensions, rank, classes, constant, factors, non_numerals)
    random = np.random.default_rng(seed + 1)
    histogram = (random.random(features) * (random.random(features) < 0.5)).astype(np.float32)
    responses = decided(decide, histogram, weights, constant)
    expected = naive.scores(histogram, weights, constant)
    np.testing.assert_allclose(responses.all_scores, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
    assert len(responses.scores) == classes
    best, *expected = naive.decision(responses.scores, weights)
    np.testing.assert_allclose(responses.decision[:4], [best, *expected], atol=1e-6)
    np.testing.assert_allclose(responses.decision[DISTANCE], naive.novelty(best, responses.inputs, weights), rtol=1e-4)
    lead = responses.others[0] - responses.scores[best] if non_numerals else 0
    assert responses.decision[LEAD] == lead


@both
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=12))
def test_the_first_of_equal_classes_wins(decide, scores):
    responses = decided(decide, *weights_that_score(scores))
    assert responses.scores.tolist() == scores
    best, second = responses.decision[:2].astype(int).tolist()
    assert best == scores.index(min(scores))
    others = [score for label, score in enumerate(scores) if label != best]
    assert scores[second] == min(others)
    assert second == min(label for label, score in enumerate(scores) if label != best and score == min(others))


@both
@pytest.mark.parametrize(
    ("margin", "confidence"), [(0, 0.25), (0.5, 0.25), (0.75, 0.375), (1, 0.5), (2, 0.75), (3, 1), (50, 1)]
)
def test_confidence_is_read_off_straight_lines_between_knots(decide, margin, confidence):
    decision = decided(decide, *weights_that_score([60, 2 + margin, 2])).decision
    assert decision[2:4].tolist() == [margin, confidence]


@both
def test_features_that_are_all_zero_leave_the_offset_and_the_constant(decide):
    weights = random_weights(0, features=7, dimensions=3, rank=2, classes=4, constant=0.5)
    responses = decided(decide, np.zeros(7, np.float32), weights, 0.5)
    np.testing.assert_array_equal(responses.inputs, [*weights.offset, np.float32(0.5)])


@both
def test_a_decision_leaves_nothing_behind_for_the_next(decide):
    weights = random_weights(0, features=7, dimensions=3, rank=2, classes=4, constant=0.5, factors=2)
    first, second = np.random.default_rng(0).random((2, 7), np.float32)
    responses = decided(decide, first, weights, 0.5)
    expected = responses.scores.copy(), responses.decision.copy()
    decide(second, weights, responses)
    decide(first, weights, responses)
    np.testing.assert_array_equal(responses.scores, expected[0])
    np.testing.assert_array_equal(responses.decision, expected[1])


@both
def test_novelty_is_the_distance_from_the_class_that_won(decide):
    """One dimension, and two classes around 0 and 10. The first always wins."""
    weights = weights_of(
        projection=[[1.0]],
        offset=[0.0],
        vectors=np.ones((1, 1, 2)),
        squares=np.zeros((1, 2)),
        linears=np.zeros((1, 2)),
        novelty=([[0.0], [10.0]], [[0.25], [1.0]], np.zeros((2, 1, 1))),
    )
    assert [decided(decide, np.float32([z]), weights).decision[DISTANCE] for z in (0, 2, 4, 10)] == [0, 1, 4, 25]


@given(
    seed=st.integers(0, 2**32 - 1), dimensions=st.integers(0, 20), rank=st.integers(1, 8), classes=st.integers(2, 20)
)
def test_weights_in_halves_decide_to_the_bit_as_the_same_numbers_in_floats(seed, dimensions, rank, classes):
    floats = random_weights(seed, 30, dimensions, rank, classes, constant=0.0, factors=3)
    floats = floats._replace(projection=round_to_float16(floats.projection), vectors=round_to_float16(floats.vectors))
    halves = as_float16(floats)
    assert (halves.projection.dtype, halves.vectors.dtype, halves.squares.dtype) == (np.uint16, np.uint16, np.float32)
    histogram = np.random.default_rng(seed + 1).random(30, np.float32)
    one, other = (decided(classify.classify, histogram, weights) for weights in (floats, halves))
    np.testing.assert_array_equal(one.scores, other.scores)
    np.testing.assert_array_equal(one.decision, other.decision)


@pytest.mark.parametrize("name", ["projection", "vectors"])
def test_weights_stay_floats_where_one_is_no_half(name):
    whole = weights_of(
        projection=np.ones((3, 2)), offset=[0, 0], vectors=np.ones((2, 1, 2)), squares=[[1, 1]], linears=[[0, 0]]
    )
    odd = whole._replace(**{name: getattr(whole, name) + np.float32(1e-4)})
    assert as_float16(whole) is not whole
    assert as_float16(odd) is odd


def test_kernels_add_in_the_order_of_the_features():
    """Every machine gets the same bits: one sum per column, each step in float32 and rounded once."""
    features, dimensions = 30, 5
    weights = random_weights(3, features, dimensions, rank=1, classes=2, constant=0.0)
    histogram = np.random.default_rng(3).random(features, np.float32)
    histogram[::3] = 0
    sums = weights.offset.copy()
    for feature, row in zip(histogram, weights.projection, strict=True):
        sums = fused(feature, row, sums)
    np.testing.assert_array_equal(decided(classify.classify, histogram, weights).inputs, sums)


def test_novelty_is_added_up_in_the_order_of_the_dimensions_and_then_of_the_factors():
    weights = random_weights(5, features=20, dimensions=9, rank=1, classes=2, constant=0.0, factors=3)
    responses = decided(classify.classify, np.random.default_rng(5).random(20, np.float32), weights)
    label = int(responses.decision[BEST])
    away = responses.inputs - weights.novelty_means[label]
    along, total = np.zeros(3, np.float32), np.float32(0)
    for difference, row in zip(away, weights.novelty_factors[label], strict=True):
        along = fused(difference, row, along)
    for difference, weight in zip(away, weights.novelty_weights[label], strict=True):
        total += difference * (difference * weight)
    for product in along:
        total += product * product
    assert responses.decision[DISTANCE] == total
