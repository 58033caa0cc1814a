"""DLSI: the objective falls, and its penalty keeps dictionaries apart."""

import numpy as np
import pytest
from planted import planted
from sklearn.linear_model import Lasso

from train_host.baselines.baseline import unit_rows
from train_host.baselines.dlsi import DLSI, pairwise_coherence

TRAINING, FRESH = planted(seed=1), planted(seed=2)


class TestDLSI:
    def test_objective_falls(self):
        history = DLSI(atoms=4).fit(*TRAINING).objective_history_
        assert (np.diff(history) <= 1e-3 * history[0]).all()  # codes are found to a tolerance
        assert history[-1] < history[0]

    def test_penalty_keeps_dictionaries_apart(self):
        together, apart = (DLSI(atoms=4, eta=eta).fit(*TRAINING).dictionaries_ for eta in (0.0, 1.0))
        assert pairwise_coherence(apart) < pairwise_coherence(together)

    def test_objective_is_the_misfit_and_the_coherence_by_its_weight_for_each_sample_of_a_class(self):
        model = DLSI(atoms=4, eta=1.0, max_iter=100).fit(*TRAINING)
        samples, targets = TRAINING
        misfit = model.scores(samples)[np.arange(len(targets)), targets].sum()
        coherence = len(samples) / 3 * pairwise_coherence(model.dictionaries_)
        assert coherence > 0.05 * misfit, "or it is not tested"
        assert model.objective_history_[-1] == pytest.approx(misfit + coherence, rel=1e-3)

    def test_codes_minimise_the_misfit_that_decides(self):
        """||x - D a||² + penalty |a|_1, by scikit-learn, whose Lasso minimises half of the first term by n."""
        model = DLSI(atoms=4, penalty=0.3).fit(*TRAINING)
        rows = unit_rows(model._inside(FRESH.samples[:20]))
        for dictionary, misfits in zip(model.dictionaries_, model.scores(FRESH.samples[:20]).T, strict=True):
            lasso = Lasso(alpha=0.3 / 2 / len(dictionary), fit_intercept=False, tol=1e-10, max_iter=100_000)
            for row, misfit in zip(rows, misfits, strict=True):
                codes = lasso.fit(dictionary, row).coef_
                best = np.sum((row - dictionary @ codes) ** 2) + 0.3 * np.abs(codes).sum()
                assert misfit == pytest.approx(best, rel=1e-4)
