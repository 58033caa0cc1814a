"""Samples of separable classes: each class lies in its own subspace, with a little noise."""

from typing import NamedTuple

import numpy as np

from train_host.method.statistics import Array


class Planted(NamedTuple):
    samples: Array
    """(N, n)."""
    targets: np.ndarray
    """(N,)."""


def planted(seed: int, each: int = 30, classes: int = 3, size: int = 8, depth: int = 2) -> Planted:
    """`each` samples of every class, one class after another. The subspaces are the same for all seeds.

    Samples look as after `train_host.method.subspace`: length 1, and a constant appended.
    """
    random = np.random.default_rng([seed, 1])
    bases = np.random.default_rng(0).standard_normal((classes, depth, size - 1))
    inside = random.standard_normal((classes, each, depth)) @ bases
    inside /= np.linalg.norm(inside, axis=2, keepdims=True)
    inside += 0.01 * random.standard_normal(inside.shape)
    samples = np.concatenate([inside, np.ones((classes, each, 1))], axis=2)
    return Planted(samples.reshape(-1, size), np.arange(classes).repeat(each))


def random_dictionary(seed: int = 0, size: int = 10, atoms: int = 20) -> np.ndarray:
    """Atoms of length 1 in random directions, (size, atoms)."""
    columns = np.random.default_rng(seed).standard_normal((size, atoms))
    return columns / np.linalg.norm(columns, axis=0)
