"""Every method: separates planted classes, is the same again, and is trained like the others."""

import json

import numpy as np
import pytest
from planted import Planted, planted
from small_sets import QUICK, drawn_digits

from edge_lpdpl.errors import TrainingError
from train_host.baselines.baseline import Baseline
from train_host.baselines.methods import METHODS, find_method, method_recipe
from train_host.baselines.training import train_method
from train_host.compare.table import evaluate
from train_host.samples.prepare import prepare

pytestmark = pytest.mark.slow

ON_FEATURES = [name for name, method in METHODS.items() if method.module and method.sees == "hog"]
LINEAR = ("lc-ksvd1", "lc-ksvd2", "linear-svm")
"""Methods that are linear in samples or codes: they tell a sample from its negative."""
TRAINING, FRESH = planted(seed=1), planted(seed=2)


def planted_cones(seed: int) -> Planted:
    """The planted subspaces, where every sample is a mixture with positive weights."""
    random = np.random.default_rng([seed, 2])
    bases = np.random.default_rng(0).standard_normal((3, 2, 8))
    samples = random.uniform(0.5, 1.5, (3, 30, 2)) @ bases + 0.01 * random.standard_normal((3, 30, 8))
    return Planted(samples.reshape(-1, 8), np.arange(3).repeat(30))


def small(name: str) -> Baseline:
    """A method of a size that suits the planted samples."""
    settings = {"src": {}, "knn": {}, "linear-svm": {"penalty": 100.0}, "rbf-svm": {"penalty": 1e4}}
    sparse = {"atoms": 4, "nonzeros": 2}
    settings |= {"lc-ksvd1": sparse | {"ridge": 1e-3}, "lc-ksvd2": sparse}
    return find_method(name).build(**settings.get(name, {"atoms": 3}))


class TestEveryMethodOnFeatures:
    @pytest.mark.parametrize("name", ON_FEATURES)
    def test_separates_planted_subspaces_it_has_not_seen(self, name):
        training, fresh = (planted_cones(1), planted_cones(2)) if name in LINEAR else (TRAINING, FRESH)
        model = small(name).fit(*training)
        assert np.mean(model.predict(fresh.samples) == fresh.targets) >= 0.97

    @pytest.mark.parametrize("name", ON_FEATURES)
    def test_is_the_same_again_and_says_what_it_is(self, name):
        first, second = small(name).fit(*TRAINING), small(name).fit(*TRAINING)
        scores = first.scores(FRESH.samples)
        assert scores.shape == (len(FRESH.targets), 3)
        np.testing.assert_array_equal(scores, second.scores(FRESH.samples))
        assert first.numbers > 0
        assert json.loads(json.dumps(first.get_params())) == first.get_params()

    @pytest.mark.parametrize("name", METHODS)
    def test_stands_in_the_registry_with_its_source(self, name):
        method = find_method(name)
        assert method.title
        assert method.source

    def test_no_other_name_is_taken(self):
        with pytest.raises(TrainingError, match=r"no method 'magic': use one of lpdpl, lpdpl-plain, .*dpl, indpl"):
            find_method("magic")


class TestTrainMethod:
    DIGITS = drawn_digits()

    @pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.sees == "hog"])
    def test_reads_drawn_digits_of_new_writers(self, name):
        recipe = method_recipe(name, QUICK)
        samples = prepare(self.DIGITS, recipe)
        new = np.flatnonzero(self.DIGITS.writers == 6)
        decider = train_method(name, samples, np.flatnonzero(self.DIGITS.writers < 6), recipe)
        decided = decider.scores(samples.features[new]).argmin(axis=1)
        assert np.mean(decided == samples.targets[new]) > 0.6

    def test_settings_reach_the_estimator(self):
        samples = prepare(self.DIGITS, QUICK)
        decider = train_method("dpl", samples, np.arange(len(self.DIGITS)), QUICK, atoms=2)
        assert decider.baseline.pairs_[0].synthesis.shape == (21, 2)

    def test_a_linear_machine_is_one_matrix_of_the_features(self):
        samples = prepare(self.DIGITS, QUICK)
        decider = train_method("linear-svm", samples, np.arange(len(self.DIGITS)), QUICK)
        matrix, offset = decider.baseline.as_matrix(decider.subspace)
        np.testing.assert_allclose(samples.features @ matrix + offset, -decider.scores(samples.features), atol=1e-9)

    def test_evaluate_takes_a_method(self):
        found = evaluate(self.DIGITS, QUICK, "between-subject", method="rbf-svm", groups=2)
        assert (found["method"], found["n"]) == ("rbf-svm", 120)
        assert found["accuracy"] > 0.5
