"""LpDPL: every update against a numeric minimiser of its sub-problem, with explicit samples and codes."""

import io
import sys
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import Planted, planted
from scipy.optimize import minimize
from threadpoolctl import threadpool_info

from train_host.method import lpdpl
from train_host.method.lpdpl import (
    CodeProducts,
    Codes,
    DictionaryPair,
    Penalties,
    factor_samples,
    learn_pairs,
    objective,
    one_thread_a_class,
    straight_scores,
    update_analysis,
    update_classifier,
    update_codes,
    update_synthesis,
)
from train_host.method.statistics import Array, ClassStatistics, gather_statistics
from train_host.progress import progress_bars

pytestmark = pytest.mark.slow

N, M, Q, K = 5, 3, 3, 7
"""Features, atoms, classes, samples of the class."""
LABEL = 1
USUAL = Penalties()
PENALTIES = Penalties(lambda1=0.3, lambda2=0.7, lambda3=1.3, gamma=0.05, rho=0.8)


class Problem(NamedTuple):
    """The problem of one class, with explicit matrices."""

    X: Array
    """(N, K) samples of the class."""
    X̄: Array
    """(N, ...) samples of all other classes."""
    H: Array
    """(Q, K) one-hot columns."""
    penalties: Penalties = PENALTIES

    @property
    def data(self) -> ClassStatistics:
        return gather_statistics(self.X.T, np.zeros(self.X.shape[1], int), 1)[0]

    @property
    def others(self) -> Array:
        return self.X̄ @ self.X̄.T

    @property
    def h(self) -> Array:
        return self.H[:, 0]

    def naive(self, pair: DictionaryPair, A: Array) -> float:
        """The objective, term by term."""
        D, P, W = pair
        weight = self.penalties

        def square(matrix: Array) -> float:
            return float(np.linalg.norm(matrix) ** 2)

        return (
            square(self.X - D @ A)
            + weight.lambda1 * square(P @ self.X̄)
            + weight.lambda2 * square(self.H - W @ A)
            + weight.lambda3 * square(P @ self.X - A)
            + weight.gamma * square(P)
            + weight.lambda2 * weight.gamma * square(W)
        )

    def explicit(self, codes: Codes) -> Array:
        """A, column by column."""
        return codes.linear @ self.X + codes.shift[:, None]


def random_problem(seed: int) -> tuple[Problem, DictionaryPair]:
    random = np.random.default_rng(seed)
    pair = DictionaryPair(*(random.standard_normal(shape) for shape in ((N, M), (M, N), (Q, M))))
    feasible = pair._replace(synthesis=pair.synthesis / np.linalg.norm(pair.synthesis, axis=0))
    one_hot = np.eye(Q)[:, [LABEL] * K]
    return Problem(random.standard_normal((N, K)), random.standard_normal((N, 11)), one_hot), feasible


def numeric_minimiser(function, start: Array, **options) -> Array:
    """The matrix that minimises `function`, found from its values alone."""
    found = minimize(lambda flat: function(flat.reshape(start.shape)), start.ravel(), tol=1e-12, **options)
    return found.x.reshape(start.shape)


def learned(data: Planted, *, atoms: int = 4, iterations: int = 10, penalties: Penalties = USUAL, **how):
    """Pairs and history of the samples."""
    statistics = gather_statistics(data.samples, data.targets, int(data.targets.max()) + 1)
    return learn_pairs(statistics, atoms, penalties, iterations=iterations, **how)


@pytest.fixture(params=range(3))
def case(request) -> tuple[Problem, DictionaryPair, Codes]:
    problem, pair = random_problem(request.param)
    return problem, pair, update_codes(pair, problem.h, problem.penalties)


@pytest.fixture
def many_steps(monkeypatch):
    """Run ADMM to convergence. In training it continues from its last state and need not converge."""
    monkeypatch.setattr(lpdpl, "ADMM_STEPS", 10_000)


class TestUpdates:
    """Each update reaches the minimum of its block."""

    def test_codes_minimise_the_objective_eq_7(self, case):
        problem, pair, codes = case
        best = numeric_minimiser(lambda A: problem.naive(pair, A), np.zeros((M, K)))
        np.testing.assert_allclose(problem.explicit(codes), best, atol=1e-5)

    def test_analysis_minimises_the_objective_eq_9(self, case):
        problem, pair, codes = case
        A = problem.explicit(codes)
        factor = factor_samples(problem.data, problem.others, problem.penalties)
        found = update_analysis(codes.products(problem.data), factor, problem.penalties)
        best = numeric_minimiser(lambda P: problem.naive(pair._replace(analysis=P), A), np.zeros((M, N)))
        np.testing.assert_allclose(found, best, atol=1e-5)

    def test_classifier_minimises_the_objective_eq_10(self, case):
        problem, pair, codes = case
        A = problem.explicit(codes)
        found = update_classifier(codes.products(problem.data), problem.h, problem.penalties)
        best = numeric_minimiser(lambda W: problem.naive(pair._replace(classifier=W), A), np.zeros((Q, M)))
        np.testing.assert_allclose(found, best, atol=1e-5)

    def test_synthesis_minimises_the_objective_in_the_unit_ball_eq_11(self, case, many_steps):
        problem, pair, codes = case
        A = problem.explicit(codes)
        found = update_synthesis(pair.synthesis, codes.products(problem.data), problem.penalties)
        best = numeric_minimiser(
            lambda D: problem.naive(pair._replace(synthesis=D), A),
            np.zeros((N, M)),
            method="SLSQP",
            options={"maxiter": 1000},
            constraints={"type": "ineq", "fun": lambda flat: 1 - np.sum(flat.reshape(N, M) ** 2, axis=0)},
        )
        assert np.linalg.norm(best, axis=0).max() > 0.99, "the constraint has to bind, or it is not tested"
        np.testing.assert_allclose(found, best, atol=1e-4)

    def test_synthesis_finds_the_dictionary_that_made_the_samples(self, case, many_steps):
        problem, pair, codes = case
        A, made_of = problem.explicit(codes), pair.synthesis[::-1] / 2
        products = CodeProducts(A @ A.T, made_of @ A @ A.T, A.sum(axis=1))
        np.testing.assert_allclose(update_synthesis(pair.synthesis, products, problem.penalties), made_of, atol=1e-5)

    def test_synthesis_ends_where_it_no_longer_moves(self, case, monkeypatch):
        problem, pair, codes = case
        steps, solve = [], lpdpl.cho_solve
        monkeypatch.setattr(lpdpl, "cho_solve", lambda *given: steps.append(1) or solve(*given))
        monkeypatch.setattr(lpdpl, "ADMM_STEPS", 20_000)
        update_synthesis(pair.synthesis, codes.products(problem.data), problem.penalties)
        assert len(steps) < 10_000

    @pytest.mark.parametrize("steps", [1, 2, 30])
    @given(seed=st.integers(0, 10_000), rho=st.sampled_from([1e-3, 0.8, 100.0]))
    @settings(max_examples=30)
    def test_synthesis_is_feasible_and_no_worse_however_early_it_is_cut_off(self, steps, seed, rho):
        problem, pair = random_problem(seed)
        problem = problem._replace(penalties=replace(PENALTIES, rho=rho))
        codes = update_codes(pair, problem.h, problem.penalties)
        A, products = problem.explicit(codes), codes.products(problem.data)
        with pytest.MonkeyPatch.context() as patch:
            for patience in (steps, 3000, steps):  # the last start is as good as the best
                patch.setattr(lpdpl, "ADMM_STEPS", patience)
                found = update_synthesis(pair.synthesis, products, problem.penalties)
                assert np.linalg.norm(found, axis=0).max() <= 1 + 1e-12
                assert problem.naive(pair._replace(synthesis=found), A) <= problem.naive(pair, A) + 1e-9
                pair = pair._replace(synthesis=found)


class TestObjective:
    def test_products_are_those_of_the_codes_written_out(self, case):
        problem, _, codes = case
        A, found = problem.explicit(codes), codes.products(problem.data)
        np.testing.assert_allclose(found.gram, A @ A.T, atol=1e-10)
        np.testing.assert_allclose(found.with_samples, problem.X @ A.T, atol=1e-10)
        np.testing.assert_allclose(found.total, A.sum(axis=1), atol=1e-10)

    def test_statistics_give_the_objective_of_the_matrices(self, case):
        problem, pair, codes = case
        found = objective(
            pair, codes.products(problem.data), problem.data, problem.others, problem.h, problem.penalties
        )
        assert found == pytest.approx(problem.naive(pair, problem.explicit(codes)), rel=1e-12)

    @pytest.mark.parametrize("seed", range(5))
    def test_falls_at_every_single_update(self, seed):
        problem, pair = random_problem(seed)
        factor = factor_samples(problem.data, problem.others, problem.penalties)
        values = []
        for _ in range(6):
            codes = update_codes(pair, problem.h, problem.penalties)
            A, products = problem.explicit(codes), codes.products(problem.data)
            values.append(problem.naive(pair, A))
            pair = pair._replace(synthesis=update_synthesis(pair.synthesis, products, problem.penalties))
            values.append(problem.naive(pair, A))
            pair = pair._replace(analysis=update_analysis(products, factor, problem.penalties))
            values.append(problem.naive(pair, A))
            pair = pair._replace(classifier=update_classifier(products, problem.h, problem.penalties))
            values.append(problem.naive(pair, A))
        assert (np.diff(values) <= 1e-9 * values[0]).all()

    @pytest.mark.parametrize("seed", range(5))
    def test_history_never_rises(self, seed):
        samples, targets = planted(seed)
        _, history = learned(Planted(samples, targets), iterations=25, tolerance=-1, seed=seed)
        assert len(history) == 26
        assert (np.diff(history) <= 1e-9 * history[0]).all()

    def test_history_ends_with_the_naive_objective_of_what_was_learned(self):
        samples, targets = planted(0)
        before, after = (
            learned(planted(0), atoms=3, iterations=count, tolerance=-1, penalties=PENALTIES) for count in (4, 5)
        )
        total = 0.0
        for label, (old, new) in enumerate(zip(before[0], after[0], strict=True)):
            mine = targets == label
            problem = Problem(samples[mine].T, samples[~mine].T, np.eye(3)[:, targets[mine]])
            total += problem.naive(new, problem.explicit(update_codes(old, problem.h, PENALTIES)))
        assert after[1][-1] == pytest.approx(total, rel=1e-10)
        assert after[1][:-1] == before[1]

    def test_training_stops_where_it_no_longer_falls(self):
        assert len(learned(planted(0), atoms=2, iterations=50, tolerance=0.5)[1]) < 10

    def test_the_tolerance_is_a_share_of_the_value_that_it_fell_from(self):
        before, after, *_ = learned(planted(0), iterations=2, tolerance=-1)[1]
        share = (before - after) / before
        assert after < 0.9 * before, "shares of both values have to differ, or this shows nothing"
        assert [len(learned(planted(0), tolerance=factor * share)[1]) == 2 for factor in (0.99, 1.01)] == [False, True]


class TestLearning:
    def test_shapes_precision_and_the_unit_ball(self):
        pairs, _ = learned(planted(0))
        assert len(pairs) == 3
        for pair in pairs:
            assert [array.shape for array in pair] == [(8, 4), (4, 8), (3, 4)]
            assert {array.dtype for array in pair} == {np.dtype(np.float64)}
            assert np.linalg.norm(pair.synthesis, axis=0).max() <= 1 + 1e-12

    def test_the_same_bits_for_a_seed_whatever_the_jobs(self):
        first, *others = (learned(planted(0, classes=5), seed=7, jobs=jobs) for jobs in (1, 1, 2, -1))
        for pairs, history in others:
            assert history == first[1]
            for one, another in zip(first[0], pairs, strict=True):
                assert [array.tobytes() for array in one] == [array.tobytes() for array in another]

    def test_each_class_is_learned_by_one_thread(self):
        with one_thread_a_class():
            assert {pool["num_threads"] for pool in threadpool_info()} == {1}

    def test_another_seed_starts_elsewhere(self):
        (one, _), (other, _) = (learned(planted(0), seed=seed) for seed in (1, 2))
        assert not np.allclose(one[0].synthesis, other[0].synthesis)

    def test_atoms_of_classes_start_apart(self):
        samples = np.random.default_rng(0).standard_normal((20, 8))
        pairs, _ = learned(Planted(np.tile(samples, (2, 1)), np.repeat([0, 1], 20)))
        assert not np.allclose(pairs[0].synthesis, pairs[1].synthesis)

    def test_a_class_without_samples_describes_nothing(self):
        samples, targets = planted(0)
        pairs, _ = learn_pairs(gather_statistics(samples, targets, 4), 3, Penalties(), iterations=2)
        assert not pairs[3].analysis.any()
        np.testing.assert_allclose(straight_scores(pairs, samples)[:, 3], np.sum(samples**2, axis=1) + 1)

    @pytest.mark.parametrize("changed", [{"lambda1": 1.0}, {"lambda2": 1.0}, {"lambda3": 0.1}, {"gamma": 1.0}])
    def test_the_penalties_matter(self, changed):
        one, other = (
            straight_scores(learned(planted(0), penalties=penalties)[0], planted(0).samples)
            for penalties in (Penalties(), replace(Penalties(), **changed))
        )
        assert not np.allclose(one, other, atol=1e-3)

    def test_a_person_at_a_terminal_sees_a_bar_with_the_objective(self, monkeypatch, capsys):
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        with progress_bars():
            learned(planted(0))
        assert capsys.readouterr().err == "", "a log is no terminal"
        monkeypatch.setattr(sys, "stderr", Terminal())
        learned(planted(0))
        assert sys.stderr.getvalue() == ""
        with progress_bars():
            _, history = learned(planted(0), iterations=3, tolerance=-1)
        assert f"objective={history[-1]:.6g}" in sys.stderr.getvalue()
        assert "4/4" in sys.stderr.getvalue(), "the start counts, too"

    def test_samples_of_one_class_teach_nothing(self):
        with pytest.raises(ValueError, match="two classes or more"):
            learn_pairs(gather_statistics(planted(0).samples, np.zeros(90, int), 3), 3, Penalties(), iterations=2)

    def test_a_sample_of_each_class_is_enough(self):
        pairs, _ = learn_pairs(gather_statistics(np.eye(2), np.arange(2), 2), 1, Penalties(), iterations=2)
        assert straight_scores(pairs, np.eye(2)).argmin(axis=1).tolist() == [0, 1]

    @pytest.mark.parametrize("changed", [{"atoms": 0}, {"iterations": 0}])
    def test_nothing_is_learned_without_atoms_or_iterations(self, changed):
        with pytest.raises(ValueError, match="an atom and an iteration"):
            learned(planted(0), **changed)


def test_straight_scores_are_eq_12_sample_by_sample():
    random = np.random.default_rng(0)
    pairs = [random_problem(seed)[1] for seed in range(Q)]
    samples = random.standard_normal((6, N))
    expected = [
        [
            np.linalg.norm(x - D @ (P @ x)) ** 2 + np.linalg.norm(np.eye(Q)[label] - W @ (P @ x)) ** 2
            for label, (D, P, W) in enumerate(pairs)
        ]
        for x in samples
    ]
    np.testing.assert_allclose(straight_scores(pairs, samples), expected, rtol=1e-12)
