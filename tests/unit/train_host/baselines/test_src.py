"""SRC: residuals are those of scikit-learn's codes."""

import numpy as np
from planted import planted
from sklearn.linear_model import Lasso

from train_host.baselines.baseline import unit_rows
from train_host.baselines.src import SRC

TRAINING, FRESH = planted(seed=1), planted(seed=2)


class TestSRC:
    def test_a_training_sample_is_its_own_class(self):
        assert (SRC().fit(*TRAINING).predict(TRAINING.samples) == TRAINING.targets).all()

    def test_residuals_are_those_of_scikit_learns_codes(self):
        few = TRAINING.targets.argsort(kind="stable").reshape(3, -1)[:, :4].ravel()
        samples, targets = TRAINING.samples[few], TRAINING.targets[few]
        model = SRC(penalty=0.05, constant=0.0).fit(samples, targets)
        atoms, rows = model.dictionary_, unit_rows(FRESH.samples[::9])
        theirs = Lasso(alpha=0.05 / 8, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(atoms, rows.T).coef_
        for label, residuals in enumerate(model.scores(FRESH.samples[::9]).T):
            own = model.owner_ == label
            expected = np.linalg.norm(rows - theirs[:, own] @ atoms[:, own].T, axis=1)
            np.testing.assert_allclose(residuals, expected, atol=1e-4)

    def test_can_be_held_to_a_few_samples_a_class(self):
        model = SRC(most_each=5, constant=0.0).fit(*TRAINING)
        assert model.dictionary_.shape == (8, 15)
        assert np.bincount(model.owner_).tolist() == [5, 5, 5]
