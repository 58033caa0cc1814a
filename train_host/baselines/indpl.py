"""InDPL: DPL with a penalty on the coherence between dictionaries of different classes.

V. Abolghasemi, M. Chen, A. Alameer, S. Ferdowsi, J. Chambers, K. Nazarpour: "Incoherent Dictionary Pair Learning:
Application to a Novel Open-Source Database of Chinese Numbers", IEEE Signal Processing Letters 2018. The form of the
penalty is our choice: eta ||D_iᵀ D_j||² for every pair of classes, the usual one for incoherence between classes.
"""

from dataclasses import dataclass

import numpy as np

from train_host.baselines.baseline import Targets
from train_host.baselines.dlsi import pairwise_coherence, update_apart
from train_host.baselines.dpl import DPL
from train_host.method.estimator import seed_of
from train_host.method.lpdpl import DictionaryPair, Penalties, factor_samples, objective, update_analysis, update_codes
from train_host.method.statistics import Array, gather_statistics


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
