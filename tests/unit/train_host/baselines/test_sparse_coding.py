"""Sparse codes are those of scikit-learn's solvers."""

import numpy as np
import pytest
from planted import random_dictionary
from sklearn.linear_model import Lasso, orthogonal_mp

from train_host.baselines.sparse_coding import MOST_IN_GRAM, lasso, matching_pursuit


class TestMatchingPursuit:
    def test_codes_are_those_of_scikit_learn(self):
        dictionary, samples = random_dictionary(), np.random.default_rng(1).standard_normal((40, 10))
        theirs = orthogonal_mp(dictionary, samples.T, n_nonzero_coefs=4).T
        np.testing.assert_allclose(matching_pursuit(dictionary, samples, 4), theirs, atol=1e-8)

    def test_keeps_the_sparsity_and_finds_a_planted_mixture(self):
        dictionary = random_dictionary(atoms=12, size=40)
        planted_codes = np.zeros((30, 12))
        for row, code in enumerate(planted_codes):
            code[np.random.default_rng(row).permutation(12)[:3]] = [3.0, -2.0, 1.0]
        found = matching_pursuit(dictionary, planted_codes @ dictionary.T, 3)
        assert (np.count_nonzero(found, axis=1) <= 3).all()
        np.testing.assert_allclose(found, planted_codes, atol=1e-6)

    def test_takes_equal_atoms_and_a_sample_of_zeros(self):
        dictionary = np.ones((2, 3)) / np.sqrt(2)
        codes = matching_pursuit(dictionary, np.array([[1.0, 1.0], [0.0, 0.0]]), 3)
        np.testing.assert_allclose(codes @ dictionary.T, [[1, 1], [0, 0]], atol=1e-6)


class TestLasso:
    @pytest.mark.parametrize("atoms", [6, 30])
    def test_codes_are_those_of_scikit_learn(self, atoms):
        dictionary = random_dictionary(atoms=atoms)
        samples = np.random.default_rng(1).standard_normal((15, 10))
        ours = lasso(dictionary, samples, 0.1, tolerance=1e-8)
        theirs = Lasso(alpha=0.1 / 10, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(dictionary, samples.T)
        np.testing.assert_allclose(ours, theirs.coef_, atol=1e-5)

    def test_starting_elsewhere_ends_in_the_same_codes(self):
        dictionary, samples = random_dictionary(), np.random.default_rng(1).standard_normal((15, 10))
        found = lasso(dictionary, samples, 0.1, tolerance=1e-8)
        again = lasso(
            dictionary, samples, 0.1, start=np.random.default_rng(2).standard_normal((15, 20)), tolerance=1e-8
        )
        np.testing.assert_allclose(again, found, atol=1e-6)

    def test_many_atoms_more_than_a_gram_matrix_is_kept_of_leave_no_response_above_the_penalty(self):
        dictionary = random_dictionary(atoms=MOST_IN_GRAM + 100, size=30)
        samples = np.random.default_rng(1).standard_normal((20, 30))
        codes = lasso(dictionary, samples, 0.2)
        responses = (samples - codes @ dictionary.T) @ dictionary
        assert np.abs(responses).max() <= 0.2 * 1.001
        used = codes != 0
        np.testing.assert_allclose(responses[used], 0.2 * np.sign(codes[used]), rtol=1e-3)

    def test_takes_equal_atoms_and_a_sample_of_zeros(self):
        codes = lasso(np.ones((2, 3)) / np.sqrt(2), np.array([[1.0, 1.0], [0.0, 0.0]]), 0.1)
        np.testing.assert_allclose(codes.sum(axis=1), [np.sqrt(2) - 0.1, 0], atol=1e-6)

    def test_a_large_penalty_leaves_nothing(self):
        assert not lasso(random_dictionary(), np.ones((2, 10)), 100.0).any()
