"""DPL: the method that LpDPL extends. Its objective has no label term.

S. Gu, L. Zhang, W. Zuo, X. Feng: "Projective Dictionary Pair Learning for Pattern Classification", NIPS 2014.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from train_host.baselines.baseline import Baseline, Targets
from train_host.method.lpdpl import DictionaryPair, LpDPL, Penalties
from train_host.method.statistics import Array


@dataclass
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
    iterations: int = 20
    seed: int = 0

    def fit(self, samples: Array, targets: Targets) -> Self:
        penalties = Penalties(self.discrimination, 0.0, self.tau, self.gamma)
        atoms = min(self.atoms, samples.shape[1])
        learner = LpDPL(atoms, penalties, self.iterations, tolerance=0.0, seed=self.seed).fit(samples, targets)
        self.objective_history_: list[float] = learner.objective_history_
        self.pairs_: list[DictionaryPair] = learner.pairs_
        return self

    def scores(self, samples: Array) -> Array:
        rebuilt = ((samples @ pair.analysis.T) @ pair.synthesis.T for pair in self.pairs_)
        return np.stack([np.sum((samples - each) ** 2, axis=1) for each in rebuilt], axis=1)

    @property
    def numbers(self) -> int:
        return sum(pair.synthesis.size + pair.analysis.size for pair in self.pairs_)
