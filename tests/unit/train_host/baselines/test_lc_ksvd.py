"""LC-KSVD: the matrices of its authors, and codes that fall on the atoms of their class."""

import numpy as np
import pytest
from planted import planted

from train_host.baselines.baseline import unit_rows
from train_host.baselines.ksvd import learn_dictionary
from train_host.baselines.lc_ksvd import LCKSVD1, LCKSVD2
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
