"""K-SVD: a planted dictionary is found again."""

import numpy as np
from planted import random_dictionary

from train_host.baselines.ksvd import learn_dictionary, update_atoms
from train_host.baselines.sparse_coding import matching_pursuit


class TestKSVD:
    def test_fitting_atoms_never_raises_the_error_and_keeps_the_support(self):
        samples, dictionary = np.random.default_rng(3).standard_normal((50, 10)), random_dictionary()
        codes = matching_pursuit(dictionary, samples, 3)
        support, before = codes != 0, np.sum((samples - codes @ dictionary.T) ** 2)
        used = support.any(axis=0)
        update_atoms(dictionary, codes, samples)
        assert np.sum((samples - codes @ dictionary.T) ** 2) < before
        assert not codes[~support].any()
        np.testing.assert_allclose(np.linalg.norm(dictionary[:, used], axis=0), 1)

    def test_recovers_a_planted_dictionary(self):
        random = np.random.default_rng(0)
        truth = random_dictionary(size=20, atoms=12)
        codes = np.zeros((800, 12))
        for code in codes:
            code[random.permutation(12)[:2]] = random.uniform(1, 2, 2) * random.choice([-1, 1], 2)
        samples = codes @ truth.T
        found, _ = learn_dictionary(samples, samples[:12].T, 2, 60)
        nearest = np.abs(truth.T @ found).max(axis=1)
        assert np.mean(nearest > 0.99) >= 0.9

    def test_an_atom_without_users_becomes_the_worst_sample(self):
        dictionary, codes = np.eye(3)[:, :2].copy(), np.zeros((2, 2))
        samples = np.array([[0.0, 0.0, 5.0], [1.0, 0.0, 0.0]])
        codes[1, 0] = 1
        update_atoms(dictionary, codes, samples)
        np.testing.assert_allclose(dictionary[:, 1], [0, 0, 1])
