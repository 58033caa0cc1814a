"""DLSI: the objective falls, and its penalty keeps dictionaries apart."""

import numpy as np
from planted import planted

from train_host.baselines.dlsi import DLSI
from train_host.baselines.incoherence import pairwise_coherence

TRAINING, FRESH = planted(seed=1), planted(seed=2)


class TestDLSI:
    def test_objective_falls(self):
        history = DLSI(atoms=4).fit(*TRAINING).objective_history_
        assert (np.diff(history) <= 1e-3 * history[0]).all()  # codes are found to a tolerance
        assert history[-1] < history[0]

    def test_penalty_keeps_dictionaries_apart(self):
        together, apart = (DLSI(atoms=4, eta=eta).fit(*TRAINING).dictionaries_ for eta in (0.0, 1.0))
        assert pairwise_coherence(apart) < pairwise_coherence(together)
