"""Count, sum and scatter of every class: equal to the matrices they stand for, and additive."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from train_host.method.statistics import ClassStatistics, gather_statistics


@given(st.integers(1, 12), st.integers(1, 5), st.integers(1, 4), st.integers(0, 99))
def test_statistics_are_those_of_each_class_columns(count, size, classes, seed):
    random = np.random.default_rng(seed)
    samples, targets = random.standard_normal((count, size)), random.integers(0, classes, count)
    for label, found in enumerate(gather_statistics(samples, targets, classes)):
        columns = samples[targets == label].T
        assert found.count == columns.shape[1]
        np.testing.assert_allclose(found.total, columns @ np.ones(columns.shape[1]), atol=1e-12)
        np.testing.assert_allclose(found.scatter, columns @ columns.T, atol=1e-12)


def test_parts_of_the_data_add_up():
    random = np.random.default_rng(0)
    samples, targets = random.standard_normal((20, 4)), np.arange(20) % 3
    first, second = gather_statistics(samples[:9], targets[:9], 3), gather_statistics(samples[9:], targets[9:], 3)
    for whole, one, other in zip(gather_statistics(samples, targets, 3), first, second, strict=True):
        for exact, added in zip(whole, one + other, strict=True):
            np.testing.assert_allclose(added, exact, rtol=1e-12, atol=1e-12)


def test_everything_is_float64_and_single_precision_loses_nothing():
    samples = np.random.default_rng(0).standard_normal((6, 3)).astype(np.float32)
    samples.setflags(write=False)
    (found,) = gather_statistics(samples, np.zeros(6, np.int8), 1)
    (expected,) = gather_statistics(samples.astype(np.float64), np.zeros(6, int), 1)
    assert found.total.dtype == found.scatter.dtype == np.float64
    np.testing.assert_array_equal(found.scatter, expected.scatter)


@pytest.mark.parametrize("count", [5, 1300], ids=["few", "more than are multiplied at a time"])
@pytest.mark.parametrize("weighted", [True, False])
def test_single_precision_counts_and_weighs_as_double_precision_does(count, weighted):
    random = np.random.default_rng(0)
    samples, targets = random.standard_normal((count, 3)), np.zeros(count, int)
    weights = random.integers(0, 4, count) / 2 if weighted else None
    (single,) = gather_statistics(samples, targets, 1, weights, np.float32)
    (double,) = gather_statistics(samples, targets, 1, weights)
    assert single.count == double.count == (weights.sum() if weighted else count)
    np.testing.assert_allclose(single.total, double.total, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(single.scatter, double.scatter, rtol=1e-5, atol=1e-3)
    np.testing.assert_array_equal(single.scatter, single.scatter.T)
    assert single.total.dtype == single.scatter.dtype == np.float64


def test_a_weight_counts_as_copies_do():
    samples, targets, weights = np.arange(12.0).reshape(4, 3), np.array([0, 1, 0, 1]), np.array([2, 0, 1, 3])
    weighted = gather_statistics(samples, targets, 2, weights)
    copied = gather_statistics(samples.repeat(weights, axis=0), targets.repeat(weights), 2)
    for one, other in zip(weighted, copied, strict=True):
        assert one.count == other.count
        np.testing.assert_allclose(one.total, other.total)
        np.testing.assert_allclose(one.scatter, other.scatter)


def test_a_class_without_samples_has_a_count_of_zero():
    empty = gather_statistics([[1.0, 2.0]], [1], 2)[0]
    assert isinstance(empty, ClassStatistics)
    assert (empty.count, empty.total.tolist(), empty.scatter.tolist()) == (0, [0, 0], [[0, 0], [0, 0]])


@pytest.mark.parametrize(
    ("samples", "targets", "wrong"),
    [
        ([1.0, 2.0], [0, 1], r"samples \(2,\) and targets \(2,\) do not belong together"),
        ([[1.0], [2.0]], [0], r"samples \(2, 1\) and targets \(1,\) do not belong together"),
        ([[1.0], [2.0]], [[0], [1]], r"targets \(2, 1\) do not belong together"),
        (np.zeros((0, 3)), np.zeros(0, int), "targets are not whole numbers from 0 to 1"),
        ([[1.0], [2.0]], [-1, 0], "targets are not whole numbers from 0 to 1"),
        ([[1.0], [2.0]], [0, 2], "targets are not whole numbers from 0 to 1"),
        ([[1.0], [2.0]], [0, 0.5], "targets are not whole numbers from 0 to 1"),
        ([[1.0], [2.0]], [0, np.nan], "targets are not whole numbers from 0 to 1"),
        ([[1.0], [np.nan]], [0, 1], "not finite"),
        ([[1.0], [np.inf]], [0, 1], "not finite"),
    ],
)
def test_what_is_wrong_is_named(samples, targets, wrong):
    with pytest.raises(ValueError, match=wrong):
        gather_statistics(samples, targets, 2)
