"""LC-KSVD: the matrices of its authors, and codes that fall on the atoms of their class."""

import numpy as np
import pytest
from planted import planted, random_dictionary

from train_host.baselines.baseline import unit_rows
from train_host.baselines.lc_ksvd import LCKSVD1, LCKSVD2, learn_dictionary, update_atoms
from train_host.baselines.sparse_coding import matching_pursuit

TRAINING, FRESH = planted(seed=1), planted(seed=2)


class TestLabelConsistency:
    def test_codes_of_a_class_fall_on_its_atoms(self):
        model = LCKSVD1(atoms=4, nonzeros=2, constant=0.0).fit(*TRAINING)
        codes = np.abs(matching_pursuit(model.dictionary_, unit_rows(FRESH.samples), 2))
        owner = np.arange(3).repeat(4)
        own = codes[owner[None, :] == FRESH.targets[:, None]].sum()
        assert own > 0.9 * codes.sum()

    @pytest.mark.parametrize(("kind", "beta"), [(LCKSVD1, 0.0), (LCKSVD2, 4.0)])
    def test_one_number_a_class_is_the_same_as_a_wanted_code_and_a_one_hot_class(self, kind, beta):
        """The stacked matrices equal those of the authors, term by term."""
        model = kind(atoms=4, nonzeros=2, max_iter=3, constant=0.0).fit(*TRAINING)
        rows, one_hot, owner = unit_rows(TRAINING.samples), np.eye(3)[TRAINING.targets], np.arange(3).repeat(4)
        atoms = np.hstack(model._start(rows, TRAINING.targets))
        wanted = (TRAINING.targets[:, None] == owner).astype(float)
        maps = [np.sqrt(16.0) * (owner[:, None] == owner), np.sqrt(beta) * np.eye(3)[:, owner]]
        stacked = np.hstack([rows, np.sqrt(16.0) * wanted, np.sqrt(beta) * one_hot])
        learned, _ = learn_dictionary(stacked, np.vstack([atoms, *maps]), 2, 3)
        expected = learned[:8] / np.linalg.norm(learned[:8], axis=0)
        np.testing.assert_allclose(model.dictionary_, expected, atol=1e-8)
        if beta:
            classifier = learned[-3:] / np.sqrt(beta) / np.linalg.norm(learned[:8], axis=0)
            np.testing.assert_allclose(model.classifier_, classifier, atol=1e-8)

    @pytest.mark.parametrize("kind", [LCKSVD1, LCKSVD2])
    def test_atoms_have_length_one_where_samples_are_seen(self, kind):
        model = kind(atoms=4, nonzeros=2).fit(*TRAINING)
        np.testing.assert_allclose(np.linalg.norm(model.dictionary_, axis=0), 1)


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
