"""LC-KSVD1 and LC-KSVD2: one K-SVD dictionary for all classes, whose atoms are tied to classes.

Z. Jiang, Z. Lin, L. S. Davis: "Label Consistent K-SVD: Learning a Discriminative Dictionary for Recognition", IEEE
Transactions on Pattern Analysis and Machine Intelligence 2013.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import solve

from train_host.baselines.baseline import Baseline, Targets, class_count, unit_rows
from train_host.baselines.ksvd import learn_dictionary
from train_host.baselines.sparse_coding import matching_pursuit
from train_host.class_statistics import Array


@dataclass
class LCKSVD1(Baseline):
    """K-SVD on samples stacked on the codes that they ought to have: those of their own class's atoms.

    A linear classifier of the codes is fitted afterwards.

    >>> samples = np.eye(4).repeat(5, axis=0) + 0.1 * np.random.default_rng(0).standard_normal((20, 4))
    >>> model = LCKSVD1(atoms=1, nonzeros=1).fit(samples, np.arange(4).repeat(5))
    >>> bool((model.predict(samples) == np.arange(4).repeat(5)).all())
    True
    """

    atoms: int = 30
    """Of each class."""
    nonzeros: int = 10
    label_consistency: float = 16.0
    """alpha, of the error of the codes."""
    ridge: float = 1.0
    """Of the classifier."""
    iterations: int = 10
    seed: int = 0

    def fit(self, samples: Array, targets: Targets) -> Self:
        rows, count = unit_rows(samples), class_count(targets)
        one_hot = np.eye(count)[targets]
        random = np.random.default_rng(self.seed)
        chosen = [random.permutation(np.flatnonzero(targets == label))[: self.atoms] for label in range(count)]
        atoms, owner = rows[np.concatenate(chosen)], np.repeat(np.arange(count), [len(each) for each in chosen])
        stacked, start = self._stack(rows, atoms, (targets[:, None] == owner).astype(float), owner, one_hot)
        learned, codes = learn_dictionary(stacked, start.T, self.nonzeros, self.iterations)
        size = rows.shape[1]
        # Scaled so that the part that sees samples has unit columns; codes grow by as much as atoms shrink.
        lengths = np.maximum(np.linalg.norm(learned[:size], axis=0), 1e-12)
        self.dictionary_: Array = learned[:size] / lengths
        self.classifier_ = self._classifier(learned / lengths, codes * lengths, one_hot)
        return self

    def _stack(self, rows: Array, atoms: Array, wanted: Array, owner: Targets, one_hot: Array) -> tuple[Array, Array]:
        """What K-SVD sees, and the atoms it starts from, as rows."""
        weight = np.sqrt(self.label_consistency)
        return np.hstack([rows, weight * wanted]), np.hstack([atoms, weight * (owner[:, None] == owner)])

    def _classifier(self, learned: Array, codes: Array, one_hot: Array) -> Array:
        """W (Q, atoms)."""
        gram = codes.T @ codes + self.ridge * np.eye(codes.shape[1])
        result: Array = solve(gram, codes.T @ one_hot, assume_a="pos").T
        return result

    def scores(self, samples: Array) -> Array:
        codes = matching_pursuit(self.dictionary_, unit_rows(samples), self.nonzeros)
        return -codes @ self.classifier_.T

    @property
    def numbers(self) -> int:
        return int(self.dictionary_.size + self.classifier_.size)


@dataclass
class LCKSVD2(LCKSVD1):
    """LC-KSVD1 whose classifier is learned with the dictionary, by K-SVD too."""

    classification: float = 4.0
    """beta, of the error of the classes."""

    def _stack(self, rows: Array, atoms: Array, wanted: Array, owner: Targets, one_hot: Array) -> tuple[Array, Array]:
        stacked, start = super()._stack(rows, atoms, wanted, owner, one_hot)
        weight = np.sqrt(self.classification)
        return np.hstack([stacked, weight * one_hot]), np.hstack([start, weight * np.eye(one_hot.shape[1])[owner]])

    def _classifier(self, learned: Array, codes: Array, one_hot: Array) -> Array:
        result: Array = learned[-one_hot.shape[1] :] / np.sqrt(self.classification)
        return result
