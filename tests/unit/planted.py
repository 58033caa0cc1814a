"""Samples whose classes are known to be separable: each lies in a subspace of its own, with a little noise."""

from typing import NamedTuple

import numpy as np

from train_host.class_statistics import Array

CLASSES, SIZE, DEPTH = 3, 8, 2


class Planted(NamedTuple):
    samples: Array
    """(N, n), the classes one after another."""
    targets: np.ndarray
    """(N,)."""


def planted(seed: int, each: int = 30, classes: int = CLASSES, size: int = SIZE, depth: int = DEPTH) -> Planted:
    """`each` samples of every class, of length 1 or so as in training; the subspaces are the same for all seeds."""
    random = np.random.default_rng([seed, 1])
    bases = np.random.default_rng(0).standard_normal((classes, depth, size)) / (depth * size) ** 0.5
    strengths = random.uniform(0.5, 1.5, (classes, each, depth)) * random.choice([-1, 1], (classes, each, depth))
    noise = 0.01 * random.standard_normal((classes, each, size))
    return Planted((strengths @ bases + noise).reshape(-1, size), np.arange(classes).repeat(each))
