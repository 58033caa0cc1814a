"""LpDPL, and every other method on dictionaries, as estimators of scikit-learn."""

import pickle

import numpy as np
import pytest
from planted import planted
from real_data import real_data
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from edge_lpdpl.errors import TrainingError
from train_host import LpDPL
from train_host.baselines.dlsi import DLSI
from train_host.baselines.dpl import DPL, InDPL
from train_host.baselines.lc_ksvd import LCKSVD1, LCKSVD2
from train_host.baselines.src import SRC
from train_host.datasets import open_dataset
from train_host.method.estimator import seed_of
from train_host.method.folding import fold
from train_host.method.subspace import principal_subspace
from train_host.recipe import EDGE_RECIPE
from train_host.samples.features import extract_features

pytestmark = pytest.mark.slow

IRIS = load_iris(return_X_y=True)


@parametrize_with_checks([LpDPL(), DPL(), InDPL(), SRC(), DLSI(), LCKSVD1(), LCKSVD2()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


class TestTools:
    def test_a_pipeline_in_a_grid_search_in_cross_validation(self):
        pipeline = make_pipeline(StandardScaler(), LpDPL())
        search = GridSearchCV(pipeline, {"lpdpl__atoms": [2, 4], "lpdpl__lambda1": [0.1, 10.0]}, cv=3)
        assert cross_val_score(search, *load_wine(return_X_y=True), cv=3).mean() > 0.9

    def test_a_clone_has_the_parameters_and_nothing_learned(self):
        copy = clone(LpDPL(atoms=2, lambda1=0.5).fit(*IRIS))
        assert (copy.atoms, copy.lambda1, hasattr(copy, "pairs_")) == (2, 0.5, False)

    def test_what_is_pickled_decides_the_same(self):
        model = LpDPL().fit(*IRIS)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.decision_function(IRIS[0]), model.decision_function(IRIS[0]))

    def test_its_parameters_and_what_they_are_where_nothing_is_said(self):
        assert LpDPL().get_params() == {
            "constant": 1.0,
            "atoms": None,
            "lambda1": 0.1,
            "lambda2": 0.1,
            "lambda3": 1.0,
            "gamma": 1e-4,
            "rho": 1.0,
            "max_iter": 10,
            "tol": 1e-5,
            "dtype": "float64",
            "random_state": 0,
            "n_jobs": None,
            "verbose": False,
        }

    def test_it_is_shown_with_the_parameters_that_were_given(self):
        assert repr(LpDPL(atoms=2)) == "LpDPL(atoms=2)"

    @pytest.mark.parametrize(("features", "atoms"), [(1, 1), (2, 1), (4, 2), (9, 5), (59, 30), (80, 30)])
    def test_atoms_are_half_of_the_numbers_with_the_constant_and_30_at_most(self, features, atoms):
        random = np.random.default_rng(0)
        model = LpDPL(max_iter=1).fit(random.standard_normal((12, features)), np.arange(12) % 2)
        assert model.pairs_[0].synthesis.shape == (features + 1, atoms)

    def test_a_seed_is_the_number_itself_or_drawn_from_all_that_scikit_learn_has(self):
        assert [seed_of(5), seed_of(np.int64(5)), type(seed_of(np.int64(5)))] == [5, 5, int]
        drawn = np.random.RandomState(0).randint(2**31 - 1)
        assert seed_of(np.random.RandomState(0)) == drawn

    def test_before_fit_it_says_so(self):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            LpDPL().predict(IRIS[0])


class TestLearning:
    def test_planted_classes_are_recovered_whatever_they_are_called(self):
        names = np.array(["c", "a", "b"])
        (samples, targets), fresh = planted(0), planted(1)
        model = LpDPL(atoms=4).fit(samples, names[targets])
        assert model.classes_.tolist() == ["a", "b", "c"]
        assert model.score(fresh.samples, names[fresh.targets]) == 1.0

    def test_the_largest_value_of_the_decision_function_is_the_label(self):
        model = LpDPL().fit(*IRIS)
        decided = model.classes_[model.decision_function(IRIS[0]).argmax(axis=1)]
        np.testing.assert_array_equal(decided, model.predict(IRIS[0]))

    def test_parts_teach_what_the_whole_teaches(self):
        samples, targets = planted(0)
        parts = LpDPL(atoms=4)
        for part in range(3):
            parts.partial_fit(samples[part::3], targets[part::3], classes=[0, 1, 2])
        whole = LpDPL(atoms=4).fit(samples, targets)
        np.testing.assert_allclose(parts.objective_history_, whole.objective_history_, rtol=1e-7)
        np.testing.assert_allclose(parts.decision_function(samples), whole.decision_function(samples), atol=1e-5)

    def test_a_part_may_have_one_class_alone_and_what_all_have_said_counts(self):
        samples, targets = planted(0)
        parts = LpDPL(atoms=4)
        for target in (2, 0, 1):
            with pytest.raises(NotFittedError):
                parts.predict(samples)
            parts.partial_fit(samples[targets == target], targets[targets == target], classes=[0, 1, 2])
        whole = LpDPL(atoms=4).fit(samples, targets)
        np.testing.assert_allclose(parts.decision_function(samples), whole.decision_function(samples), atol=1e-5)

    def test_parts_may_follow_a_fit(self):
        samples, targets = planted(0)
        half = LpDPL(atoms=4).fit(samples[::2], targets[::2]).partial_fit(samples[1::2], targets[1::2])
        whole = LpDPL(atoms=4).fit(samples, targets)
        np.testing.assert_allclose(half.decision_function(samples), whole.decision_function(samples), atol=1e-5)

    def test_a_weight_counts_like_as_many_copies(self):
        samples, targets = planted(0)
        weights = np.arange(len(targets)) % 3
        weighted = LpDPL(atoms=4).fit(samples, targets, sample_weight=weights)
        copied = LpDPL(atoms=4).fit(samples.repeat(weights, axis=0), targets.repeat(weights))
        np.testing.assert_allclose(weighted.decision_function(samples), copied.decision_function(samples), atol=1e-6)

    def test_the_history_counts_the_iterations(self):
        model = LpDPL(max_iter=4, tol=-1).fit(*IRIS)
        assert (model.n_iter_, len(model.objective_history_)) == (4, 5)

    def test_atoms_are_half_the_features_unless_asked_for(self):
        assert LpDPL().fit(*IRIS).pairs_[0].synthesis.shape == (5, 2)
        for atoms in (1, 7):
            assert LpDPL(atoms=atoms, constant=0.0).fit(*IRIS).pairs_[0].synthesis.shape == (4, atoms)
        assert LpDPL(constant=0.0).fit(IRIS[0][:, :1], IRIS[1]).pairs_[0].synthesis.shape == (1, 1)

    def test_what_is_folded_decides_the_same(self):
        model = LpDPL(constant=0.0).fit(*IRIS)
        np.testing.assert_array_equal(fold(model.pairs_).scores(IRIS[0]).argmin(axis=1), model.predict(IRIS[0]))

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"atoms": 0}, "'atoms' parameter of LpDPL must be an int"),
            ({"atoms": 2.5}, "'atoms' parameter of LpDPL must be an int"),
            ({"max_iter": 0}, "'max_iter' parameter of LpDPL must be an int"),
            ({"lambda1": -1.0}, r"'lambda1' parameter .* \[0.0, inf\). Got -1.0 instead"),
            ({"lambda2": "a"}, "'lambda2' parameter .* Got 'a' instead"),
            ({"lambda3": 0.0}, r"'lambda3' parameter .* \(0.0, inf\)"),
            ({"gamma": float("nan")}, "'gamma' parameter .* Got nan instead"),
            ({"rho": 0.0}, "'rho' parameter"),
            ({"dtype": "float16"}, "'dtype' parameter .* Got 'float16' instead"),
        ],
    )
    def test_a_parameter_that_cannot_be_is_refused(self, wrong, said):
        with pytest.raises(ValueError, match=said):
            LpDPL(**wrong).fit(*IRIS)
        with pytest.raises(ValueError, match=said):
            LpDPL(**wrong).partial_fit(*IRIS, classes=[0, 1, 2])

    def test_penalties_that_no_equation_can_be_solved_with_are_said_to_be(self):
        twice = np.hstack([IRIS[0], IRIS[0]])
        with pytest.raises(TrainingError, match="cannot be solved with these penalties: give a larger gamma"):
            LpDPL(gamma=0).fit(twice, IRIS[1])

    def test_a_constant_counts_from_the_next_fit_on(self):
        model = LpDPL().fit(*IRIS)
        before = model.decision_function(IRIS[0])
        np.testing.assert_array_equal(model.set_params(constant=0).decision_function(IRIS[0]), before)
        assert model.fit(*IRIS).decision_function(IRIS[0]).shape == before.shape
        assert not np.array_equal(model.decision_function(IRIS[0]), before)

    def test_a_label_that_is_no_class_is_refused(self):
        with pytest.raises(ValueError, match="7 is not one of the classes"):
            LpDPL().fit(*IRIS).partial_fit(IRIS[0][:2], [0, 7])

    def test_the_first_part_has_to_name_the_classes(self):
        with pytest.raises(ValueError, match="needs all classes"):
            LpDPL().partial_fit(*IRIS)


class TestSinglePrecision:
    def test_the_work_is_done_in_it(self):
        samples = IRIS[0].astype(np.float32)
        model = LpDPL(dtype="float32").fit(samples, IRIS[1])
        reference = LpDPL().fit(samples, IRIS[1])
        assert not np.array_equal(model.decision_function(samples), reference.decision_function(samples))
        np.testing.assert_allclose(model.decision_function(samples), reference.decision_function(samples), rtol=1e-2)

    @pytest.mark.parametrize("name", ["chinese_mnist.zip", "usps.h5", "madbase.zip", "mnist_part"])
    def test_real_numerals_are_decided_alike(self, name):
        assert agreement(real_data(name), every=5) >= 0.9995


def agreement(path, every=1):
    """Share of test pictures that float32 and float64 decide alike; every n-th picture is trained on or tested."""
    data = open_dataset(path)
    chosen = np.arange(len(data))[::every]
    features = extract_features(data.images[chosen], EDGE_RECIPE.profile)
    test = np.arange(len(chosen)) % 5 == 0
    subspace = principal_subspace(features[~test], 72, 1.0)
    rows = subspace(features).astype(np.float32)
    single, double = (
        LpDPL(atoms=12, lambda1=1e-5, constant=0.0, dtype=dtype).fit(rows[~test], data.targets[chosen][~test])
        for dtype in ("float32", "float64")
    )
    return np.mean(single.predict(rows[test]) == double.predict(rows[test]))
