"""What a hand adds to the scores: as the definition says, and the same bits in both backends."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.numeral.kernels import classify as kernels
from edge_lpdpl.numeral.kernels import hand as hand_kernels
from edge_lpdpl.numeral.plain import classify as plain
from edge_lpdpl.numeral.plain import hand as plain_hand
from edge_lpdpl.numeral.taught import REACH, STRENGTH, Taught, work_out
from edge_lpdpl.numeral.weights import BEST, DISTANCE, TAUGHT, Responses, Weights, make_responses

pytestmark = pytest.mark.slow

CLASSES, DIMENSIONS = 7, 24
both = pytest.mark.parametrize(
    ("classify", "consider"),
    [(kernels.classify, hand_kernels.consider_hand), (plain.classify, plain_hand.consider_hand)],
    ids=["numba", "numpy"],
)


def weights_of(random: np.random.Generator) -> Weights:
    """Weights without a projection, whose inputs are the features and whose scores differ little."""

    def array(*shape: int) -> np.ndarray:
        return np.float32(random.normal(size=shape) / 8)

    nothing = np.zeros((0, 0), np.float32)
    arrays = array(DIMENSIONS, 3, CLASSES), array(3, CLASSES), array(3, CLASSES)
    table = np.float32([0, 0.5]), np.float32([0.5, 1])
    novelty = array(CLASSES, DIMENSIONS), np.abs(array(CLASSES, DIMENSIONS)), array(CLASSES, DIMENSIONS, 2)
    return Weights(nothing, np.zeros(0, np.float32), *arrays, *table, *novelty)


def pictures(random: np.random.Generator, count: int) -> np.ndarray:
    """Features at the distances from each other that pictures have."""
    return np.float32(random.normal(size=(count, DIMENSIONS)) * np.sqrt(random.uniform(0.01, 2)) / np.sqrt(DIMENSIONS))


def considered(classify, consider, features: np.ndarray, weights: Weights, taught: Taught) -> Responses:
    responses = make_responses(weights, 0.0)
    classify(features, weights, responses)
    consider(weights, taught, responses)
    return responses


@both
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 70))
def test_each_class_gains_by_its_nearest_sample(classify, consider, seed, count):
    random = np.random.default_rng(seed)
    weights, features = weights_of(random), pictures(random, 1)[0]
    samples, labels = pictures(random, count), random.integers(0, CLASSES, count).tolist()
    responses = considered(classify, consider, features, weights, work_out(samples, labels, CLASSES))
    before = make_responses(weights, 0.0)
    classify(features, weights, before)
    gains = naive.gains(features, samples, labels, CLASSES, float(STRENGTH), float(REACH))
    np.testing.assert_allclose(responses.scores, before.scores - gains, atol=1e-5)
    best, *expected = naive.decision(responses.scores, weights)
    np.testing.assert_allclose(responses.decision[:4], [best, *expected], atol=1e-6)
    np.testing.assert_allclose(responses.decision[DISTANCE], naive.novelty(best, responses.inputs, weights), rtol=1e-4)
    assert responses.decision[TAUGHT] == (best != before.decision[BEST])


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 70))
def test_both_backends_add_the_same_bits(seed, count):
    random = np.random.default_rng(seed)
    samples, labels = pictures(random, count), random.integers(0, CLASSES, count).tolist()
    inputs = np.append(pictures(random, 1)[0], np.float32(0.5))  # with a constant, which does not count
    one, other = (work_out(samples, labels, CLASSES) for _ in range(2))
    hand_kernels.nearness(inputs, one)
    plain_hand.nearness(inputs, other)
    np.testing.assert_array_equal(one.near, other.near)


@both
def test_the_very_sample_gains_all(classify, consider):
    random = np.random.default_rng(0)
    weights, features = weights_of(random), pictures(random, 1)[0]
    responses = make_responses(weights, 0.0)
    classify(features, weights, responses)
    worst = int(responses.scores.argmax())
    expected = responses.scores[worst] - STRENGTH
    consider(weights, work_out([features], [worst], CLASSES), responses)
    assert responses.scores[worst] == pytest.approx(expected, abs=1e-5)


@both
def test_what_is_far_away_gains_next_to_nothing(classify, consider):
    random = np.random.default_rng(0)
    weights, features = weights_of(random), pictures(random, 1)[0]
    responses = make_responses(weights, 0.0)
    classify(features, weights, responses)
    before = responses.scores.copy()
    consider(weights, work_out([features + np.float32(1e3)], [2], CLASSES), responses)
    np.testing.assert_allclose(responses.scores, before, atol=1e-6)


@both
def test_a_hundred_samples_of_one_class_pull_no_more_than_the_nearest_of_them(classify, consider):
    random = np.random.default_rng(1)
    weights, features = weights_of(random), pictures(random, 1)[0]
    sample = pictures(random, 1)[0]
    responses = considered(classify, consider, features, weights, work_out([sample], [3], CLASSES))
    often = considered(classify, consider, features, weights, work_out([sample] * 100, [3] * 100, CLASSES))
    np.testing.assert_array_equal(often.scores, responses.scores)
