"""Labelled projective dictionary pair learning: eqs 4 to 12 of the paper, corrected where its derivation requires it.

For each class i with samples X (n, K), samples X̄ of all other classes and one-hot labels H = h 1ᵀ (Q, K) it minimises

    ||X - D A||² + lambda1 ||P X̄||² + lambda2 ||H - W A||² + lambda3 ||P X - A||²  + gamma ||P||² + lambda2 gamma ||W||²

over the synthesis dictionary D (n, m) with columns in the unit ball, the analysis dictionary P (m, n), the classifier
W (Q, m) and the codes A (m, K). The last two terms are what gamma in eqs 9 and 10 stands for. With them the updates of
A, P and W are exact minimisers and that of D never makes it worse: the objective never rises. By eq. 7 the codes are
affine in the samples, A = M X + v 1ᵀ, so they are stored as (M, v), and the samples as their sufficient statistics.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.linalg import cho_factor, cho_solve
from threadpoolctl import threadpool_limits

from edge_lpdpl.errors import TrainingError
from train_host.method.statistics import Array, ClassStatistics
from train_host.progress import bar

ADMM_STEPS = 30
ADMM_TOLERANCE = 1e-7
TOLERANCE = 1e-5
"""Training stops when the objective falls by less than this share of its value."""


class CodeProducts(NamedTuple):
    """Products of the codes A of a class, with themselves and with its samples X, as the updates need them."""

    gram: Array
    """A Aᵀ (m, m)."""
    with_samples: Array
    """X Aᵀ (n, m)."""
    total: Array
    """A 1 (m,)."""


class Codes(NamedTuple):
    """Codes of all samples of a class: A = linear @ X + shift 1ᵀ."""

    linear: Array
    """(m, n)."""
    shift: Array
    """(m,)."""

    def products(self, data: ClassStatistics) -> CodeProducts:
        """A Aᵀ, X Aᵀ and A 1, from the statistics of X."""
        with_samples = data.scatter @ self.linear.T + np.outer(data.total, self.shift)
        total = self.linear @ data.total + data.count * self.shift
        return CodeProducts(self.linear @ with_samples + np.outer(self.shift, total), with_samples, total)


class DictionaryPair(NamedTuple):
    """The dictionaries and the classifier of one class."""

    synthesis: Array
    """D (n, m), columns in the unit ball."""
    analysis: Array
    """P (m, n)."""
    classifier: Array
    """W (Q, m)."""


@dataclass(frozen=True)
class Penalties:
    """Weights of the terms of the objective, eq. 5, and rho of the ADMM of eq. 11."""

    lambda1: float = 1e-5
    """Of the analysis dictionary's response to samples of the other classes."""
    lambda2: float = 0.1
    """Of the classification error."""
    lambda3: float = 1.0
    """Of the difference between the codes and the analysis dictionary's response."""
    gamma: float = 1e-4
    """Of the ridge that keeps eqs 9 and 10 solvable."""
    rho: float = 1.0
    """Penalty parameter of the ADMM of eq. 11."""


def _factor(system: Array, ridge: float) -> tuple[Array, bool]:
    """Cholesky factor of a symmetric matrix (n, n) plus ridge I."""
    try:
        return cho_factor(system + ridge * np.eye(len(system)))
    except (np.linalg.LinAlgError, ValueError) as error:  # not positive definite, or not finite
        fault = "eqs 7, 9 and 10 cannot be solved with these penalties"
        raise TrainingError(f"{fault}: give a larger gamma, or penalties nearer to 1") from error


def update_codes(pair: DictionaryPair, one_hot: Array, penalties: Penalties) -> Codes:
    """Eq. 7 with the lambda2 that the paper omits: A = (DᵀD + l2 WᵀW + l3 I)⁻¹ (DᵀX + l2 WᵀH + l3 P X).

    Args:
        one_hot: h (Q,), 1 at the class and 0 elsewhere.
    """
    synthesis, analysis, classifier = pair
    system = synthesis.T @ synthesis + penalties.lambda2 * classifier.T @ classifier
    factor = _factor(system, penalties.lambda3)
    return Codes(
        cho_solve(factor, synthesis.T + penalties.lambda3 * analysis),
        cho_solve(factor, penalties.lambda2 * classifier.T @ one_hot),
    )


def factor_samples(data: ClassStatistics, others: Array, penalties: Penalties) -> tuple[Array, bool]:
    """Cholesky factor of the matrix in eq. 9, the same in every iteration: l3 X Xᵀ + l1 X̄ X̄ᵀ + gamma I, (n, n).

    Args:
        others: X̄ X̄ᵀ (n, n), scatter of all other classes.
    """
    system = penalties.lambda3 * data.scatter + penalties.lambda1 * others
    return _factor(system, penalties.gamma)


def update_analysis(products: CodeProducts, factor: tuple[Array, bool], penalties: Penalties) -> Array:
    """Eq. 9 with its factors in the right order: P = l3 A Xᵀ (l3 X Xᵀ + l1 X̄ X̄ᵀ + gamma I)⁻¹, (m, n).

    Args:
        factor: of the matrix in brackets, from `factor_samples`.
    """
    return penalties.lambda3 * cho_solve(factor, products.with_samples).T


def update_classifier(products: CodeProducts, one_hot: Array, penalties: Penalties) -> Array:
    """Eq. 10 with its factors in the right order: W = H Aᵀ (A Aᵀ + gamma I)⁻¹, (Q, m).

    Args:
        one_hot: h (Q,), 1 at the class and 0 elsewhere.
    """
    factor = _factor(products.gram, penalties.gamma)
    return np.outer(one_hot, cho_solve(factor, products.total))


def update_synthesis(synthesis: Array, products: CodeProducts, penalties: Penalties) -> Array:
    """Eq. 11: ADMM for D (n, m) with every column in the unit ball; returns the feasible variable S.

    The ADMM starts at the previous D and stops after ADMM_STEPS steps. If S does not improve on the previous D, the
    previous D is returned.
    """
    gram, cross, _ = products
    inverse = np.linalg.inv(gram + penalties.rho * np.eye(len(gram)))  # positive definite, and used many times
    feasible, dual = synthesis, np.zeros_like(synthesis)
    for _ in range(ADMM_STEPS):
        free = (cross + penalties.rho * (feasible - dual)) @ inverse
        before, feasible = feasible, _into_unit_ball(free + dual)
        dual = dual + free - feasible
        if max(np.abs(feasible - before).max(), np.abs(free - feasible).max()) < ADMM_TOLERANCE:
            break

    def misfit(candidate: Array) -> float:
        return float(np.sum((candidate @ gram - 2 * cross) * candidate))

    return feasible if misfit(feasible) < misfit(synthesis) else synthesis


def objective(
    pair: DictionaryPair,
    products: CodeProducts,
    data: ClassStatistics,
    others: Array,
    one_hot: Array,
    penalties: Penalties,
) -> float:
    """The terms of one class in eq. 5, with the two ridge terms.

    Args:
        others: X̄ X̄ᵀ (n, n), scatter of all other classes.
        one_hot: h (Q,), 1 at the class and 0 elsewhere.
    """
    synthesis, analysis, classifier = pair
    gram, cross, total = products
    reconstruction = np.trace(data.scatter) - 2 * np.sum(synthesis * cross) + np.sum((synthesis @ gram) * synthesis)
    discrimination = np.sum((analysis @ others) * analysis)
    labels = data.count - 2 * one_hot @ classifier @ total + np.sum((classifier @ gram) * classifier)
    projection = np.sum((analysis @ data.scatter) * analysis) - 2 * np.sum(analysis.T * cross) + np.trace(gram)
    ridge = penalties.gamma * (np.sum(analysis**2) + penalties.lambda2 * np.sum(classifier**2))
    return float(
        reconstruction
        + penalties.lambda1 * discrimination
        + penalties.lambda2 * labels
        + penalties.lambda3 * projection
        + ridge
    )


def _into_unit_ball(columns: Array) -> Array:
    return columns / np.maximum(1.0, np.linalg.norm(columns, axis=0))


def _start(size: int, atoms: int, class_count: int, seed: int, label: int) -> DictionaryPair:
    """Random unit columns and rows; each class has its own random stream, so the order of classes does not matter."""
    random = np.random.default_rng([seed, label])
    synthesis, analysis = random.standard_normal((size, atoms)), random.standard_normal((atoms, size))
    return DictionaryPair(
        synthesis / np.linalg.norm(synthesis, axis=0),
        analysis / np.linalg.norm(analysis, axis=1, keepdims=True),
        np.zeros((class_count, atoms)),
    )


def _learn_class(
    data: ClassStatistics, others: Array, start: DictionaryPair, one_hot: Array, penalties: Penalties
) -> Iterator[tuple[DictionaryPair, float]]:
    """Yield the pair and its objective, at the start and after every iteration (Algorithm 1 for one class)."""
    factor = factor_samples(data, others, penalties)
    products = update_codes(start, one_hot, penalties).products(data)
    pair = start._replace(classifier=update_classifier(products, one_hot, penalties))
    while True:
        yield pair, objective(pair, products, data, others, one_hot, penalties)
        products = update_codes(pair, one_hot, penalties).products(data)
        pair = DictionaryPair(
            synthesis=update_synthesis(pair.synthesis, products, penalties),
            analysis=update_analysis(products, factor, penalties),
            classifier=update_classifier(products, one_hot, penalties),
        )


@contextmanager
def one_thread_a_class() -> Iterator[None]:
    """Limit linear algebra to one thread: classes run in parallel, and no bit depends on the number of cores."""
    with threadpool_limits(limits=1):
        yield


def learn_pairs(
    statistics: list[ClassStatistics],
    atoms: int,
    penalties: Penalties,
    *,
    iterations: int,
    tolerance: float = TOLERANCE,
    seed: int = 0,
    jobs: int | None = None,
) -> tuple[list[DictionaryPair], list[float]]:
    """Algorithm 1 on the statistics of every class, in the order of the classes.

    A class without samples gets dictionaries that describe nothing.

    Args:
        atoms: m, columns of each synthesis dictionary.
        iterations: at most.
        tolerance: stop when the objective falls by less than this share of its value.
        jobs: classes that are trained at a time; -1 is one per core. The result does not depend on it.

    Returns:
        One pair per class, and the objective summed over the classes, at the start and after every iteration, at most
        iterations + 1 numbers; it never rises.

    Raises:
        ValueError: there are not samples of two classes, or no atom or iteration is asked for.
        TrainingError: the penalties are so far apart, or gamma so small, that an equation cannot be solved.
    """
    count = len(statistics)
    if sum(data.count > 0 for data in statistics) < 2:
        raise ValueError("LpDPL needs samples of two classes or more")
    if atoms < 1 or iterations < 1:
        raise ValueError("LpDPL needs an atom and an iteration or more")
    scatter = sum((data.scatter for data in statistics), np.zeros_like(statistics[0].scatter))
    learners = [
        _learn_class(
            data,
            scatter - data.scatter,
            _start(len(scatter), atoms, count, seed, label),
            np.eye(count)[label],
            penalties,
        )
        for label, data in enumerate(statistics)
    ]
    history: list[float] = []
    with (
        one_thread_a_class(),
        Parallel(n_jobs=jobs, prefer="threads") as parallel,
        bar("LpDPL", total=iterations + 1) as shown,
    ):
        for _ in range(iterations + 1):
            steps = parallel(delayed(next)(learner) for learner in learners)
            history.append(sum(value for _, value in steps))
            shown.set_postfix(objective=f"{history[-1]:.6g}")
            shown.update()
            if len(history) > 1 and history[-2] - history[-1] < tolerance * abs(history[-2]):
                break
    return [pair for pair, _ in steps], history


def straight_scores(pairs: list[DictionaryPair], samples: Array) -> Array:
    """Eq. 12 with the x that the paper omits, for samples (N, n) and Q dictionary pairs: scores (N, Q), float64.

    It is computed in the precision of the samples, float64 or float32.
    """
    scores = np.empty((len(samples), len(pairs)))
    for label, pair in enumerate(pairs):
        synthesis, analysis, classifier = (array.astype(samples.dtype, copy=False) for array in pair)
        codes = samples @ analysis.T
        error = np.eye(len(pairs), dtype=samples.dtype)[label] - codes @ classifier.T
        scores[:, label] = np.sum((samples - codes @ synthesis.T) ** 2, axis=1) + np.sum(error**2, axis=1)
    return scores
