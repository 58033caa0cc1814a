"""DPL and InDPL: the objective is that of the paper, and falls."""

import numpy as np
import pytest
from planted import planted

from train_host.baselines.dlsi import pairwise_coherence
from train_host.baselines.dpl import DPL, InDPL
from train_host.method.folding import fold

TRAINING, FRESH = planted(seed=1), planted(seed=2)


class TestDPL:
    def test_defaults_are_those_of_the_authors(self):
        assert DPL().get_params() == {
            "atoms": 30,
            "tau": 0.05,
            "discrimination": 0.003,
            "gamma": 1e-4,
            "constant": 1.0,
            "max_iter": 20,
            "random_state": 0,
        }

    @pytest.mark.parametrize("kind", [DPL, InDPL])
    def test_objective_falls_and_atoms_stay_in_the_unit_ball(self, kind):
        model = kind(atoms=3).fit(*TRAINING)
        assert (np.diff(model.objective_history_) <= 1e-9 * model.objective_history_[0]).all()
        for pair in model.pairs_:
            assert (np.linalg.norm(pair.synthesis, axis=0) <= 1 + 1e-9).all()

    @pytest.mark.parametrize("kind", [DPL, InDPL])
    def test_folds_into_the_form_that_the_device_evaluates(self, kind):
        model = kind(atoms=3).fit(*TRAINING)
        inside = np.insert(FRESH.samples, FRESH.samples.shape[1], 1.0, axis=1)
        length = np.sum(inside**2, axis=1, keepdims=True)
        np.testing.assert_allclose(fold(model.pairs_).scores(inside), model.scores(FRESH.samples) - length + 1)

    def test_objective_is_the_one_of_the_paper_letter_by_letter(self):
        model = DPL(atoms=3, max_iter=1, constant=0.0).fit(*TRAINING)
        X = TRAINING.samples.T
        expected = 0.0
        for label, start in enumerate(LpDPLStart.pairs(model)):
            own, others = X[:, TRAINING.targets == label], X[:, TRAINING.targets != label]
            D, P = start
            A = np.linalg.solve(D.T @ D + 0.05 * np.eye(3), 0.05 * P @ own + D.T @ own)
            expected += np.sum((own - D @ A) ** 2) + 0.05 * np.sum((P @ own - A) ** 2)
            expected += 0.003 * np.sum((P @ others) ** 2) + 1e-4 * np.sum(P**2)
        assert model.objective_history_[0] == pytest.approx(expected)

    def test_penalty_keeps_dictionaries_apart(self):
        together, apart = (InDPL(atoms=3, eta=eta).fit(*TRAINING) for eta in (0.0, 1.0))
        coherences = [pairwise_coherence([pair.synthesis for pair in model.pairs_]) for model in (together, apart)]
        assert coherences[1] < 0.5 * coherences[0]


class LpDPLStart:
    """Where DPL starts, as `train_host.method.lpdpl` draws it."""

    @staticmethod
    def pairs(model: DPL):
        for label in range(3):
            random = np.random.default_rng([model.random_state, label])
            D, P = random.standard_normal((8, 3)), random.standard_normal((3, 8))
            yield D / np.linalg.norm(D, axis=0), P / np.linalg.norm(P, axis=1, keepdims=True)
