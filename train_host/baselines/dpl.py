"""DPL: the method that LpDPL extends. Its objective has no label term.

S. Gu, L. Zhang, W. Zuo, X. Feng: "Projective Dictionary Pair Learning for Pattern Classification", NIPS 2014.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from train_host.baselines.baseline import Baseline, Targets
from train_host.method.estimator import seed_of
from train_host.method.lpdpl import Penalties, learn_pairs
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
