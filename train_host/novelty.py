"""What a class looks like, and how far from it a picture is: so that what is no numeral at all is told.

Eq. 12 and its margin compare classes with each other; a letter is nearer to one of them too. Here each class has a
distance of its own, d(z) = sum over i of w_i (z_i - m_i)² + sum over k of (f_k · (z - m))², in the subspace where
LpDPL is trained: a Mahalanobis distance whose precision matrix is a diagonal and a few factors, so positive definite,
and everything far away is strange. It starts as the Gaussian of the class's training pictures (Friedman 1989 for what
few pictures do not tell). Then a short fit makes it tell them from strangers, pictures that are no numeral: the
logistic loss of the distance, by Adam. Only those strangers count in full that the classifier reads as the class.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

from train_host.class_statistics import Array
from train_host.refine import Adam, Single


@dataclass(frozen=True)
class NoveltySettings:
    """How the distances are learned."""

    factors: int = 8
    """Of the precision matrix of a class."""
    strangers: float = 3.0
    """Pictures without a numeral, for each training picture."""
    least_side: int = 14
    """Pixels of a frame that the ink's longer side takes in the smallest copies that only the distances are learned
    from."""
    most_strangers: int = 20_000
    epochs: int = 12
    rate: float = 0.02
    """Adam's step at the start; it falls to 0 on a cosine."""
    sharpness: float = 0.05
    """What the distance is multiplied with before the logistic function."""
    balance: float = 0.5
    """Weight of all strangers together, where that of the class's own pictures is 1."""
    others: float = 0.2
    """Weight of a stranger that is read as another class."""
    batch: int = 256


class Region(NamedTuple):
    """The distance from one class, for n dimensions and K factors."""

    mean: Array
    """(n,)."""
    weights: Array
    """(n,) above 0."""
    factors: Array
    """(n, K)."""

    def distances(self, samples: Array) -> Array:
        """(N,) of samples (N, n).

        >>> Region(np.zeros(2), np.ones(2), np.array([[1.0], [0.0]])).distances(np.array([[3.0, 4.0]]))
        array([34.])
        """
        away = samples - self.mean
        total: Array = away**2 @ self.weights + np.sum((away @ self.factors) ** 2, axis=1)
        return total

    def in_units_of(self, length: float) -> "Region":
        """The same, its distances divided by `length`."""
        return Region(self.mean, self.weights / length, self.factors / np.sqrt(length))


def distances_from(regions: list[Region], samples: Array, labels: NDArray[np.intp]) -> Array:
    """Distance (N,) of each of the samples (N, n) from the class that it is read as, labels (N,)."""
    distances = np.empty(len(samples))
    for label, region in enumerate(regions):
        members = labels == label
        distances[members] = region.distances(samples[members])
    return distances


def learn_regions(
    samples: Array,
    targets: NDArray[np.intp],
    strangers: Array,
    read_as: NDArray[np.intp],
    settings: NoveltySettings,
    seed: int,
) -> list[Region]:
    """A region for each class, whose distance is about 1 where numerals and strangers meet.

    The result has the same bits for the same seed, whatever the number of cores.

    Args:
        samples: (N, n) numerals inside the subspace.
        targets: (N,) their classes; every class occurs.
        strangers: (S, n), at least one.
        read_as: (S,) the class that each is read as.
    """
    with threadpool_limits(limits=1):
        starts = gaussian_regions(samples, targets, settings.factors)
        learned = []
        for label, start in enumerate(starts):
            random = np.random.default_rng([seed, label])
            own = samples[targets == label]
            rivals = _rivals(start, own, strangers, read_as == label, random)
            learned.append(_learn(start, own, rivals, settings, random))
    return learned


def gaussian_regions(samples: Array, targets: NDArray[np.intp], factors: int) -> list[Region]:
    """The Mahalanobis distance of each class; the fewer its pictures, the more it borrows from the others' spread."""
    labels = range(int(targets.max()) + 1)
    groups = [samples[targets == label] for label in labels]
    spreads = [np.cov(group.T, bias=True).reshape(samples.shape[1], -1) for group in groups]
    shares = [len(group) / len(samples) for group in groups]
    pooled = np.einsum("q,qij->ij", shares, np.stack(spreads))
    pooled = pooled + (1e-3 * np.trace(pooled) / len(pooled) + 1e-9) * np.eye(len(pooled))
    regions = []
    for group, spread in zip(groups, spreads, strict=True):
        borrowed = _PRIOR / (_PRIOR + len(group))
        precision = np.linalg.inv((1 - borrowed) * spread + borrowed * pooled)
        regions.append(Region(group.mean(axis=0), *diagonal_and_factors(precision, factors)))
    return regions


def diagonal_and_factors(matrix: Array, factors: int) -> tuple[Array, Array]:
    """A positive definite matrix (n, n) as a diagonal (n,) and factors (n, K): principal factor analysis.

    >>> factor = np.array([[1.0], [2.0], [1.0]])
    >>> diagonal, found = diagonal_and_factors(np.diag([1.0, 2.0, 3.0]) + factor @ factor.T, 1)
    >>> np.round(diagonal, 2).tolist(), np.round(np.abs(found[:, 0]), 2).tolist()
    ([1.0, 2.0, 3.0], [1.0, 2.0, 1.0])
    """
    whole = np.diag(matrix)
    diagonal, loadings = whole.copy(), np.zeros((len(whole), factors))
    for _ in range(_FACTOR_STEPS):
        scale = np.sqrt(diagonal)
        values, vectors = eigh(matrix / np.outer(scale, scale))
        used = min(factors, len(values))
        strengths = np.sqrt(np.maximum(values[::-1][:used] - 1, 0))
        loadings[:, :used] = scale[:, None] * vectors[:, ::-1][:, :used] * strengths
        diagonal = np.maximum(whole - np.sum(loadings**2, axis=1), 0.01 * whole)
    return diagonal, loadings


_PRIOR = 100.0
"""Pictures that the common spread of all classes counts for."""
_FACTOR_STEPS = 60


class _Rivals(NamedTuple):
    samples: Array
    are_read: NDArray[np.bool_]
    """As this class."""


def _rivals(
    start: Region, own: Array, strangers: Array, are_read: NDArray[np.bool_], random: np.random.Generator
) -> _Rivals:
    """The strangers to tell a class from: those read as it, and some of the others.

    A random stroke may be a perfect numeral: what is nearer than half of the class's own pictures is taken for one.
    """
    near = start.distances(strangers) < np.median(start.distances(own))
    read = np.flatnonzero(are_read & ~near)
    others = random.permutation(np.flatnonzero(~are_read & ~near))[: 2 * len(own)]
    return _Rivals(strangers[np.concatenate([read, others])], np.arange(len(read) + len(others)) < len(read))


def _learn(
    start: Region, own: Array, rivals: _Rivals, settings: NoveltySettings, random: np.random.Generator
) -> Region:
    """The region after the logistic fit, its distances in units of where numerals and strangers meet."""
    scale = np.maximum(own.std(axis=0), 1e-6)
    size = own.shape[1]
    edge = float(np.quantile(start.distances(own), 0.97)) / size or 1.0
    samples = ((np.vstack([own, rivals.samples]) - start.mean) / scale).astype(np.float32)
    strange = np.arange(len(samples)) >= len(own)
    costs = np.ones(len(samples))
    costs[strange] = np.where(rivals.are_read, 1, settings.others)
    costs[strange] *= settings.balance * len(own) / max(float(costs[strange].sum()), 1e-9)
    parameters = (
        np.zeros(size, np.float32),
        np.log(start.weights * scale**2 / edge).astype(np.float32),
        (start.factors * scale[:, None] / np.sqrt(edge)).astype(np.float32),
        np.array([size / _BOUND_SCALE], np.float32),
    )
    batch = min(settings.batch, len(samples))
    steps = len(samples) // batch
    adam = Adam(parameters, settings.rate, settings.epochs * steps)
    for _ in range(settings.epochs):
        order = random.permutation(len(samples))
        for step in range(steps):
            chosen = order[step * batch : (step + 1) * batch]
            adam.step(_slopes(parameters, samples[chosen], strange[chosen], costs[chosen], settings.sharpness))
    middle, logarithms, factors, bound = (array.astype(np.float64) for array in parameters)
    region = Region(start.mean + middle * scale, np.exp(logarithms) / scale**2, factors / scale[:, None])
    return region.in_units_of(max(float(bound[0]) * _BOUND_SCALE, 1e-3 * size))


_BOUND_SCALE = 10.0
"""The bound moves this much faster than the rest."""


def _slopes(
    parameters: tuple[Single, ...], samples: Single, strange: NDArray[np.bool_], costs: Array, sharpness: float
) -> tuple[Single, ...]:
    """Gradients of the mean logistic loss by middle (n,), logarithms of weights (n,), factors (n, K) and bound (1,)."""
    middle, logarithms, factors, bound = parameters
    away = samples - middle
    weights = np.exp(logarithms)
    along = away @ factors
    distances = away**2 @ weights + np.sum(along**2, axis=1)
    odds = np.clip(sharpness * (distances - _BOUND_SCALE * bound), -30, 30)
    pull = (sharpness / len(samples) * costs * (1 / (1 + np.exp(-odds)) - strange)).astype(np.float32)
    by_along = 2 * along * pull[:, None]
    by_away = by_along @ factors.T + 2 * pull[:, None] * away * weights
    by_bound = np.array([-_BOUND_SCALE * pull.sum()], np.float32)
    return -by_away.sum(axis=0), (pull @ away**2) * weights, away.T @ by_along, by_bound
