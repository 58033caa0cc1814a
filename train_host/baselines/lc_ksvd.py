"""LC-KSVD1 and LC-KSVD2: one K-SVD dictionary for all classes, whose atoms are tied to classes.

Z. Jiang, Z. Lin, L. S. Davis: "Label Consistent K-SVD: Learning a Discriminative Dictionary for Recognition", IEEE
Transactions on Pattern Analysis and Machine Intelligence 2013; weights and iterations as in the authors' program. Two
things are kinder to it than theirs. They start the map from codes to wanted codes by regression; here atoms start tied
to their own class. They have 30 nonzeros, of samples of 504 numbers; here it is 10. On a fold of the training part of
USPS (72 numbers a sample) their start and 30 nonzeros made 47 errors of 1,458 with LC-KSVD2, their start and 10 made
312, this 21.
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

    The wanted code of a sample is one of Q vectors, one a class and orthogonal to each other, and the atoms start in
    their span. K-SVD never leaves it. So what is stacked below a sample is one number for each class instead of one
    for each atom, of the same length: the same dictionary in a sixth of the time. (That LC-KSVD is no more than this
    was found by I. Kviatkovsky, M. Gabel, E. Rivlin, I. Shimshoni: "On the Equivalence of the LC-KSVD and the D-KSVD
    Algorithms", 2017.)

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
    iterations: int = 50
    start_iterations: int = 20
    """Of the K-SVD of every class alone, which gives the start."""
    seed: int = 0

    def fit(self, samples: Array, targets: Targets) -> Self:
        rows, count = unit_rows(samples), class_count(targets)
        one_hot = np.eye(count)[targets]
        atoms = self._start(rows, targets)
        each = np.array([part.shape[1] for part in atoms])
        weights = self._weights(each)
        start = np.vstack([np.hstack(atoms), np.diag(weights).repeat(each, axis=1)])
        learned, codes = learn_dictionary(np.hstack([rows, weights * one_hot]), start, self.nonzeros, self.iterations)
        size = rows.shape[1]
        # Scaled so that the part that sees samples has unit columns; codes grow by as much as atoms shrink.
        lengths = np.maximum(np.linalg.norm(learned[:size], axis=0), 1e-12)
        self.dictionary_: Array = learned[:size] / lengths
        self.classifier_ = self._classifier(learned[size:] / weights[:, None] / lengths, codes * lengths, one_hot)
        return self

    def _start(self, rows: Array, targets: Targets) -> list[Array]:
        """Atoms (n, atoms) of every class, from a K-SVD of its own samples alone."""
        random = np.random.default_rng(self.seed)
        atoms = []
        for label in range(class_count(targets)):
            own = random.permutation(rows[targets == label])
            first = own[np.linalg.norm(own, axis=1) > 0][: self.atoms]
            atoms.append(learn_dictionary(own, first.T, self.nonzeros, self.start_iterations)[0])
        return atoms

    def _weights(self, atoms: Array) -> Array:
        """(Q,) length of what is stacked below a sample of each class, of which there are so many atoms."""
        weights: Array = np.sqrt(self.label_consistency * atoms)
        return weights

    def _classifier(self, stacked: Array, codes: Array, one_hot: Array) -> Array:
        """W (Q, atoms); `stacked` is what K-SVD made of the classes."""
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
    """LC-KSVD1 whose classifier is learned with the dictionary, by K-SVD too.

    The one-hot class is stacked below the wanted code. It points the same way, so the two add up to one length.
    """

    classification: float = 4.0
    """beta, of the error of the classes."""

    def _weights(self, atoms: Array) -> Array:
        weights: Array = np.sqrt(self.label_consistency * atoms + self.classification)
        return weights

    def _classifier(self, stacked: Array, codes: Array, one_hot: Array) -> Array:
        return stacked
