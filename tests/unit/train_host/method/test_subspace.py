"""The subspace of all classes: the directions of largest variance, the same for the same data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from train_host.method import subspace
from train_host.method.subspace import principal_subspace, subspace_of_moments, whole_space


def cloud(seed: int, count: int = 40, size: int = 6) -> np.ndarray:
    """Float32 features off the origin, with a different variance in every direction."""
    random = np.random.default_rng(seed)
    turn = np.linalg.qr(random.standard_normal((size, size)))[0]
    stretched = random.standard_normal((count, size)) * 2.0 ** -np.arange(size)
    return (3 + stretched @ turn).astype(np.float32)


@given(st.integers(0, 999), st.integers(1, 6))
def test_directions_are_the_leading_singular_vectors(seed, dimensions):
    features = cloud(seed).astype(np.float64)
    directions = np.linalg.svd(features - features.mean(axis=0))[2][:dimensions]
    found = principal_subspace(features, dimensions, 1.0).projection
    unit = found / np.linalg.norm(found, axis=0)
    np.testing.assert_allclose(np.abs(directions @ unit), np.eye(dimensions), atol=1e-6)


def test_features_are_centred_and_scaled_to_length_one_on_average():
    features = cloud(0).astype(np.float64)
    inside = principal_subspace(features, 6, 0.0)(features)
    length = np.sqrt(np.mean(np.sum(features**2, axis=1)))
    np.testing.assert_allclose(inside.mean(axis=0), 0, atol=1e-12)
    distances = np.linalg.norm(features[:, None] - features, axis=2)
    np.testing.assert_allclose(np.linalg.norm(inside[:, None] - inside, axis=2), distances / length, atol=1e-12)


def test_the_constant_is_a_column_of_its_own_and_zero_is_none():
    features = cloud(0)
    with_constant, without = (principal_subspace(features, 3, constant) for constant in (0.7, 0.0))
    assert with_constant(features).shape == (40, 4)
    assert (with_constant(features)[:, -1] == 0.7).all()
    np.testing.assert_array_equal(with_constant(features)[:, :-1], without(features))


def test_moments_give_the_subspace_of_the_features():
    features = cloud(0).astype(np.float64)
    moments = len(features), features.sum(axis=0), features.T @ features
    by_moments, expected = subspace_of_moments(*moments, 3, 0.7), principal_subspace(features, 3, 0.7)
    np.testing.assert_allclose(by_moments(features), expected(features), atol=1e-9)


def test_the_sign_of_a_direction_is_fixed_by_its_largest_number():
    projection = principal_subspace(cloud(0), 6, 1.0).projection
    assert (projection[np.abs(projection).argmax(axis=0), np.arange(6)] > 0).all()
    np.testing.assert_allclose(projection, principal_subspace(cloud(0)[::-1], 6, 1.0).projection, atol=1e-7)


def test_chunking_rows_changes_nothing(monkeypatch):
    features = cloud(0)
    whole = principal_subspace(features, 4, 1.0)
    monkeypatch.setattr(subspace, "CHUNK", 7)
    np.testing.assert_allclose(principal_subspace(features, 4, 1.0).projection, whole.projection, atol=1e-12)
    monkeypatch.setattr(subspace, "CHUNK", 40)
    in_one = whole(features)
    monkeypatch.setattr(subspace, "CHUNK", 1)
    np.testing.assert_allclose(whole(features), in_one, atol=1e-12)


@pytest.mark.parametrize("count", [1, 3])
def test_fewer_samples_than_dimensions_are_no_matter(count):
    inside = principal_subspace(cloud(0, count), 5, 1.0)(cloud(1))
    assert inside.shape == (40, 6)
    assert np.isfinite(inside).all()


def test_blank_features_stay_finite():
    blank = np.zeros((4, 6), np.float32)
    np.testing.assert_array_equal(principal_subspace(blank, 2, 1.0)(blank), [[0, 0, 1]] * 4)


def test_the_whole_space_changes_nothing():
    features = cloud(0)
    inside = whole_space(features)(features)
    assert inside.dtype == np.float64
    np.testing.assert_array_equal(inside, features)


def test_a_projection_and_its_offset_are_stored_and_the_whole_space_needs_none():
    assert principal_subspace(cloud(0), 3, 1.0).stored_numbers == 6 * 3 + 3
    assert whole_space(cloud(0)).stored_numbers == 0
