"""DPL, the method that LpDPL extends, and InDPL. The objective of DPL has no label term.

S. Gu, L. Zhang, W. Zuo, X. Feng: "Projective Dictionary Pair Learning for Pattern Classification", NIPS 2014.

InDPL is DPL with a penalty on the coherence between dictionaries of different classes. V. Abolghasemi, M. Chen,
A. Alameer, S. Ferdowsi, J. Chambers, K. Nazarpour: "Incoherent Dictionary Pair Learning: Application to a Novel
Open-Source Database of Chinese Numbers", IEEE Signal Processing Letters 2018. The form of the penalty is our choice:
eta ||D_iᵀ D_j||² for every pair of classes, the usual one for incoherence between classes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from train_host.baselines.baseline import Baseline, Targets
from train_host.baselines.dlsi import pairwise_coherence, update_apart
from train_host.method.estimator import seed_of
from train_host.method.lpdpl import (
    DictionaryPair,
    Penalties,
    factor_samples,
    learn_pairs,
    objective,
    update_analysis,
    update_codes,
)
from train_host.method.statistics import Array, gather_statistics


@dataclass(eq=False, repr=False)
class DPL(Baseline):
    """Minimises, for each class:

        ||X - D A||² + tau ||P X - A||² + lambda ||P X̄||²

    X̄ is the samples of all other classes. The decision is the class with the smallest reconstruction error
    ||x - D P x||². The objective is LpDPL's without the label term (lambda2 = 0), so LpDPL's code minimises it. The
    defaults are those of the authors.

    >>> samples = np.eye(4).repeat(5, axis=0) + 0.1 * np.random.default_rng(0).standard_normal((20, 4))
    >>> bool((DPL(atoms=2).fit(samples, np.arange(4).repeat(5)).predict(samples) == np.arange(4).repeat(5)).all())
    True
    """

    atoms: int = 30
    tau: float = 0.05
    discrimination: float = 0.003
    """lambda in the objective."""
    gamma: float = 1e-4
    max_iter: int = 20
    random_state: Any = 0

    def _learn(self, samples: Array, targets: Targets) -> None:
        pairs, self.objective_history_ = learn_pairs(
            gather_statistics(samples, targets, len(self.classes_)),
            min(self.atoms, samples.shape[1]),
            Penalties(self.discrimination, 0.0, self.tau, self.gamma),
            iterations=self.max_iter,
            tolerance=0.0,
            seed=seed_of(self.random_state),
        )
        # DPL has no classifier. With one of zeros, eq. 12 is DPL's error plus 1: its pairs fold as LpDPL's do.
        self.pairs_ = [pair._replace(classifier=np.zeros_like(pair.classifier)) for pair in pairs]
        self.n_iter_ = len(self.objective_history_) - 1

    def _scores(self, samples: Array) -> Array:
        rebuilt = ((samples @ pair.analysis.T) @ pair.synthesis.T for pair in self.pairs_)
        return np.stack([np.sum((samples - each) ** 2, axis=1) for each in rebuilt], axis=1)

    @property
    def numbers(self) -> int:
        return sum(pair.synthesis.size + pair.analysis.size for pair in self.pairs_)


@dataclass(eq=False, repr=False)
class InDPL(DPL):
    """DPL with the incoherence penalty. Each class is updated while the others are fixed, so the objective falls.

    >>> samples = np.eye(4).repeat(5, axis=0) + 0.1 * np.random.default_rng(0).standard_normal((20, 4))
    >>> bool((InDPL(atoms=2).fit(samples, np.arange(4).repeat(5)).predict(samples) == np.arange(4).repeat(5)).all())
    True
    """

    eta: float = 1e-3
    """Weight of the coherence between two classes, per training sample of a class."""

    def _learn(self, samples: Array, targets: Targets) -> None:
        count = len(self.classes_)
        penalties = Penalties(self.discrimination, 0.0, self.tau, self.gamma)
        statistics = gather_statistics(samples, targets, count)
        scatter = np.sum([data.scatter for data in statistics], axis=0)
        factors = [factor_samples(data, scatter - data.scatter, penalties) for data in statistics]
        eta = self.eta * len(samples) / count
        pairs = [self._start(samples.shape[1], count, label) for label in range(count)]
        self.objective_history_ = []
        for _ in range(self.max_iter):
            misfit = 0.0
            for label, data in enumerate(statistics):
                one_hot = np.eye(count)[label]
                products = update_codes(pairs[label], one_hot, penalties).products(data)
                others = np.sum([pair.synthesis @ pair.synthesis.T for pair in pairs], axis=0)
                others -= pairs[label].synthesis @ pairs[label].synthesis.T
                pairs[label] = pairs[label]._replace(
                    synthesis=update_apart(pairs[label].synthesis, products, others, eta),
                    analysis=update_analysis(products, factors[label], penalties),
                )
                misfit += objective(pairs[label], products, data, scatter - data.scatter, one_hot, penalties)
            self.objective_history_.append(misfit + eta * pairwise_coherence([pair.synthesis for pair in pairs]))
        self.pairs_ = pairs
        self.n_iter_ = self.max_iter

    def _start(self, size: int, count: int, label: int) -> DictionaryPair:
        """A random pair with columns and rows of length 1, and a classifier of zeros."""
        random = np.random.default_rng([seed_of(self.random_state), label])
        synthesis, analysis = random.standard_normal((2, size, min(self.atoms, size)))
        return DictionaryPair(
            synthesis / np.linalg.norm(synthesis, axis=0),
            (analysis / np.linalg.norm(analysis, axis=0)).T,
            np.zeros((count, synthesis.shape[1])),
        )
