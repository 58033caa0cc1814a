"""The folded form is eq. 12 exactly, but for the squared length of the sample, which is the same for every class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import planted

from train_host import LpDPL
from train_host.method.folding import agreement, fold, fold_class
from train_host.method.lpdpl import DictionaryPair, straight_scores

SHAPES = {"m < n/2": (9, 3, 4), "m = n/2": (8, 4, 4), "m > n/2": (6, 5, 4), "m > n": (4, 7, 3)}


def random_pairs(size: int, atoms: int, classes: int, seed: int = 0) -> list[DictionaryPair]:
    random = np.random.default_rng(seed)
    shapes = (size, atoms), (atoms, size), (classes, atoms)
    return [DictionaryPair(*map(random.standard_normal, shapes)) for _ in range(classes)]


def naive_form(pair: DictionaryPair, label: int) -> tuple[np.ndarray, np.ndarray]:
    """S and b of the quadratic form, in the notation of METHOD."""
    D, P, W = pair
    R, C = D @ P, W @ P
    h = np.eye(len(W))[label]
    return -(R + R.T) + R.T @ R + C.T @ C, -2 * C.T @ h


@given(st.integers(1, 12), st.integers(1, 8), st.integers(2, 5), st.integers(0, 999))
def test_scores_and_decisions_are_those_of_eq_12(size, atoms, classes, seed):
    pairs = random_pairs(size, atoms, classes, seed)
    samples = np.random.default_rng(seed).standard_normal((20, size))
    straight = straight_scores(pairs, samples)
    folded = fold(pairs).scores(samples)
    expected = straight - np.sum(samples**2, axis=1, keepdims=True)
    assert np.abs(folded - expected).max() <= 1e-9 * np.abs(straight).max()
    np.testing.assert_array_equal(folded.argmin(axis=1), straight.argmin(axis=1))


@pytest.mark.parametrize(("size", "atoms", "classes"), SHAPES.values(), ids=SHAPES)
class TestForm:
    def test_has_the_least_rank_that_suffices(self, size, atoms, classes):
        folded = fold(random_pairs(size, atoms, classes))
        rank = min(2 * atoms, size)
        assert folded.vectors.shape == (size, rank, classes)
        assert folded.squares.shape == folded.linears.shape == (rank, classes)

    def test_factors_the_quadratic_form(self, size, atoms, classes):
        for label, pair in enumerate(random_pairs(size, atoms, classes)):
            vectors, squares, linear = fold_class(pair, label)
            form, slope = naive_form(pair, label)
            np.testing.assert_allclose(vectors * squares @ vectors.T, form, atol=1e-10 * np.abs(form).max())
            np.testing.assert_allclose(vectors @ linear, slope, atol=1e-10 * np.abs(form).max())

    def test_directions_are_orthonormal_and_the_strongest_come_first(self, size, atoms, classes):
        vectors, squares, _ = fold_class(random_pairs(size, atoms, classes)[0], 0)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(vectors.shape[1]), atol=1e-12)
        assert (np.diff(np.abs(squares)) <= 0).all()


def test_learned_dictionaries_fold_as_well_as_random_ones():
    samples, targets = planted(0)
    model = LpDPL(constant=0.0, atoms=3).fit(samples, targets)
    fresh = planted(1).samples
    straight = model.scores(fresh)
    folded = fold(model.pairs_).scores(fresh)
    np.testing.assert_allclose(folded, straight - np.sum(fresh**2, axis=1, keepdims=True), rtol=1e-9, atol=1e-9)
    assert agreement(folded, straight) == 1


def test_two_classes_with_the_same_dictionaries_differ_by_their_labels_only():
    (pair, _) = random_pairs(5, 2, 2)
    twins = [pair, pair]
    samples = np.random.default_rng(1).standard_normal((10, 5))
    straight = straight_scores(twins, samples)
    np.testing.assert_allclose(
        np.diff(fold(twins).scores(samples), axis=1), np.diff(straight, axis=1), atol=1e-9 * np.abs(straight).max()
    )


def test_agreement_is_the_share_of_equal_decisions():
    ones = np.array([[0, 1], [1, 0], [0, 1], [0, 1]])
    others = np.array([[5, 9], [3, 8], [-1, 0], [0, 2]])
    assert agreement(ones, ones) == 1
    assert agreement(ones, others) == agreement(others, ones) == 0.75
