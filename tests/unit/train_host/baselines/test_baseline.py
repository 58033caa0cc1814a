"""Every rival: an invariant of its algorithm, the solver that it could have used instead, or a planted truth."""

import json

import numpy as np
import pytest
from planted import Planted, planted
from sklearn.linear_model import Lasso, orthogonal_mp
from small_sets import QUICK, drawn_digits

from edge_lpdpl.errors import TrainingError
from train_host.baselines import METHODS, find_method, method_recipe, train_method
from train_host.baselines.baseline import Baseline, unit_rows
from train_host.baselines.dlsi import DLSI
from train_host.baselines.dpl import DPL
from train_host.baselines.incoherence import pairwise_coherence
from train_host.baselines.indpl import InDPL
from train_host.baselines.ksvd import learn_dictionary, update_atoms
from train_host.baselines.lc_ksvd import LCKSVD1, LCKSVD2
from train_host.baselines.sparse_coding import MOST_IN_GRAM, lasso, matching_pursuit
from train_host.baselines.src import SRC
from train_host.protocols import evaluate
from train_host.training import prepare

ON_FEATURES = [name for name, method in METHODS.items() if method.module and method.sees == "hog"]
LINEAR = ("lc-ksvd1", "lc-ksvd2", "linear-svm")
"""Methods that are linear in samples or codes, to which a sample and its opposite are different things."""
TRAINING, FRESH = planted(seed=1), planted(seed=2)


def planted_cones(seed: int) -> Planted:
    """The planted subspaces, but every sample a mixture with positive weights."""
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


def random_dictionary(seed: int = 0, size: int = 10, atoms: int = 20) -> np.ndarray:
    columns = np.random.default_rng(seed).standard_normal((size, atoms))
    return columns / np.linalg.norm(columns, axis=0)


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
        assert json.loads(json.dumps(first.settings)) == first.settings

    @pytest.mark.parametrize("name", METHODS)
    def test_stands_in_the_registry_with_its_source(self, name):
        method = find_method(name)
        assert method.title
        assert method.source

    def test_no_other_name_is_taken(self):
        with pytest.raises(TrainingError, match="no method 'magic': use one of lpdpl, lpdpl-plain, dpl"):
            find_method("magic")


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


class TestDPL:
    def test_defaults_are_those_of_the_authors(self):
        assert DPL().settings == {
            "atoms": 30,
            "tau": 0.05,
            "discrimination": 0.003,
            "gamma": 1e-4,
            "iterations": 20,
            "seed": 0,
        }

    @pytest.mark.parametrize("kind", [DPL, InDPL])
    def test_objective_falls_and_atoms_stay_in_the_unit_ball(self, kind):
        model = kind(atoms=3).fit(*TRAINING)
        assert (np.diff(model.objective_history_) <= 1e-9 * model.objective_history_[0]).all()
        for pair in model.pairs_:
            assert (np.linalg.norm(pair.synthesis, axis=0) <= 1 + 1e-9).all()

    def test_objective_is_the_one_of_the_paper_letter_by_letter(self):
        model = DPL(atoms=3, iterations=1).fit(*TRAINING)
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
    """Where DPL starts, as `train_host.lpdpl` draws it."""

    @staticmethod
    def pairs(model: DPL):
        for label in range(3):
            random = np.random.default_rng([model.seed, label])
            D, P = random.standard_normal((8, 3)), random.standard_normal((3, 8))
            yield D / np.linalg.norm(D, axis=0), P / np.linalg.norm(P, axis=1, keepdims=True)


class TestDLSI:
    def test_objective_falls(self):
        history = DLSI(atoms=4).fit(*TRAINING).objective_history_
        assert (np.diff(history) <= 1e-3 * history[0]).all()  # codes are found to a tolerance
        assert history[-1] < history[0]

    def test_penalty_keeps_dictionaries_apart(self):
        together, apart = (DLSI(atoms=4, eta=eta).fit(*TRAINING).dictionaries_ for eta in (0.0, 1.0))
        assert pairwise_coherence(apart) < pairwise_coherence(together)


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


class TestLabelConsistency:
    def test_codes_of_a_class_fall_on_its_atoms(self):
        model = LCKSVD1(atoms=4, nonzeros=2).fit(*TRAINING)
        codes = np.abs(matching_pursuit(model.dictionary_, unit_rows(FRESH.samples), 2))
        owner = np.arange(3).repeat(4)
        own = codes[owner[None, :] == FRESH.targets[:, None]].sum()
        assert own > 0.9 * codes.sum()

    @pytest.mark.parametrize(("kind", "beta"), [(LCKSVD1, 0.0), (LCKSVD2, 4.0)])
    def test_one_number_a_class_is_the_same_as_a_wanted_code_and_a_one_hot_class(self, kind, beta):
        """The authors' matrices, letter by letter, against what is stacked here."""
        model = kind(atoms=4, nonzeros=2, iterations=3)
        rows, one_hot, owner = unit_rows(TRAINING.samples), np.eye(3)[TRAINING.targets], np.arange(3).repeat(4)
        atoms = np.hstack(model._start(rows, TRAINING.targets))
        wanted = (TRAINING.targets[:, None] == owner).astype(float)
        maps = [np.sqrt(16.0) * (owner[:, None] == owner), np.sqrt(beta) * np.eye(3)[:, owner]]
        stacked = np.hstack([rows, np.sqrt(16.0) * wanted, np.sqrt(beta) * one_hot])
        learned, _ = learn_dictionary(stacked, np.vstack([atoms, *maps]), 2, 3)
        expected = learned[:8] / np.linalg.norm(learned[:8], axis=0)
        model.fit(*TRAINING)
        np.testing.assert_allclose(model.dictionary_, expected, atol=1e-8)
        if beta:
            classifier = learned[-3:] / np.sqrt(beta) / np.linalg.norm(learned[:8], axis=0)
            np.testing.assert_allclose(model.classifier_, classifier, atol=1e-8)

    @pytest.mark.parametrize("kind", [LCKSVD1, LCKSVD2])
    def test_atoms_have_length_one_where_samples_are_seen(self, kind):
        model = kind(atoms=4, nonzeros=2).fit(*TRAINING)
        np.testing.assert_allclose(np.linalg.norm(model.dictionary_, axis=0), 1)


class TestSRC:
    def test_a_training_sample_is_its_own_class(self):
        assert (SRC().fit(*TRAINING).predict(TRAINING.samples) == TRAINING.targets).all()

    def test_residuals_are_those_of_scikit_learns_codes(self):
        few = TRAINING.targets.argsort(kind="stable").reshape(3, -1)[:, :4].ravel()
        samples, targets = TRAINING.samples[few], TRAINING.targets[few]
        model = SRC(penalty=0.05).fit(samples, targets)
        atoms, rows = model.dictionary_, unit_rows(FRESH.samples[::9])
        theirs = Lasso(alpha=0.05 / 8, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(atoms, rows.T).coef_
        for label, residuals in enumerate(model.scores(FRESH.samples[::9]).T):
            own = model.owner_ == label
            expected = np.linalg.norm(rows - theirs[:, own] @ atoms[:, own].T, axis=1)
            np.testing.assert_allclose(residuals, expected, atol=1e-4)

    def test_can_be_held_to_a_few_samples_a_class(self):
        model = SRC(most_each=5).fit(*TRAINING)
        assert model.dictionary_.shape == (8, 15)
        assert np.bincount(model.owner_).tolist() == [5, 5, 5]


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

    def test_evaluate_takes_a_method(self):
        found = evaluate(self.DIGITS, QUICK, "between-subject", method="rbf-svm", groups=2, jobs=1)
        assert (found["method"], found["n"]) == ("rbf-svm", 120)
        assert found["accuracy"] > 0.5
