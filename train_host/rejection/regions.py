"""What a class looks like and how far a picture is from it, so that non-numerals are detected.

Eq. 12 and its margin compare classes with each other; a letter, too, is nearer to one class than to the others. So each
class has its own distance, d(z) = sum over i of w_i (z_i - m_i)² + sum over k of (f_k · (z - m))², in the subspace
where LpDPL is trained. This is a Mahalanobis distance whose precision matrix is a diagonal plus a few factors. The
matrix is positive definite, so the distance of everything far away is large.

The distance starts as the Gaussian of the class's training pictures, regularised as in Friedman 1989 because a class
may have few pictures. A short fit then separates these pictures from non-numerals: Adam minimises the logistic loss of
the distance. Only the non-numerals that the classifier reads as this class have full weight.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from train_host.method.adam import Adam, Single
from train_host.method.statistics import Array
from train_host.recipe import NoveltySettings


class Region(NamedTuple):
    """The distance from one class, with n dimensions and K factors, float64."""

    mean: Array
    """(n,)."""
    weights: Array
    """(n,) diagonal of the precision matrix, above 0."""
    factors: Array
    """(n, K)."""

    def distances(self, samples: Array) -> Array:
        """Distances (N,) of samples (N, n) from the class.

        >>> Region(np.zeros(2), np.ones(2), np.array([[1.0], [0.0]])).distances(np.array([[3.0, 4.0]]))
        array([34.])
        """
        away = samples - self.mean
        return away**2 @ self.weights + np.sum((away @ self.factors) ** 2, axis=1)

    def in_units_of(self, length: float) -> "Region":
        """The same region with its distances divided by `length`."""
        return Region(self.mean, self.weights / length, self.factors / np.sqrt(length))


def distances_from(regions: list[Region], samples: Array, labels: NDArray[np.intp]) -> Array:
    """Distance (N,) of each sample (N, n) from the class that it is read as, labels (N,)."""
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
    """A region for each class. Its distance is about 1 at the boundary between numerals and non-numerals.

    The result has the same bits for the same seed, whatever the number of cores.

    Args:
        samples: (N, n) numerals inside the subspace.
        targets: (N,) their classes; every class occurs.
        strangers: (S, n) non-numerals inside the subspace, at least one.
        read_as: (S,) the class that each non-numeral is read as.
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


def are_numerals(samples: Array, targets: NDArray[np.intp], strangers: Array, factors: int) -> NDArray[np.bool_]:
    """Which strangers (S, n) look more like a class than half of its own samples (N, n) of classes (N,) do, bool (S,).

    A random stroke may be a perfect numeral by chance.
    """
    found = np.zeros(len(strangers), np.bool_)
    with threadpool_limits(limits=1):
        for label, region in enumerate(gaussian_regions(samples, targets, factors)):
            found |= region.distances(strangers) < np.median(region.distances(samples[targets == label]))
    return found


def gaussian_regions(samples: Array, targets: NDArray[np.intp], factors: int) -> list[Region]:
    """The Mahalanobis distance of each class, from samples (N, n) and their classes (N,).

    The fewer samples a class has, the more its covariance is shrunk towards the pooled one (Friedman 1989).
    """
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
    """Approximate a positive definite matrix (n, n) by a diagonal (n,) and factors (n, K): principal factor analysis.

    >>> factor = np.array([[1.0], [2.0], [1.0]])
    >>> diagonal, found = diagonal_and_factors(np.diag([1.0, 2.0, 3.0]) + factor @ factor.T, 1)
    >>> np.round(diagonal, 2).tolist(), np.round(np.abs(found[:, 0]), 2).tolist()
    ([1.0, 2.0, 3.0], [1.0, 2.0, 1.0])
    """
    whole = np.diag(matrix)
    diagonal, loadings = whole.copy(), np.zeros((len(whole), factors))
    for _ in range(_FACTOR_STEPS):
        scale = np.sqrt(diagonal)
        values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
        used = min(factors, len(values))
        strengths = np.sqrt(np.maximum(values[::-1][:used] - 1, 0))
        loadings[:, :used] = scale[:, None] * vectors[:, ::-1][:, :used] * strengths
        diagonal = np.maximum(whole - np.sum(loadings**2, axis=1), 0.01 * whole)
    return diagonal, loadings


_PRIOR = 100.0
"""Number of samples that the pooled covariance counts as."""
_FACTOR_STEPS = 60


class _Rivals(NamedTuple):
    """The non-numerals that a class is separated from."""

    samples: Array
    """(S, n) inside the subspace."""
    are_read: NDArray[np.bool_]
    """(S,) whether each is read as this class."""


def _rivals(
    start: Region, own: Array, strangers: Array, are_read: NDArray[np.bool_], random: np.random.Generator
) -> _Rivals:
    """The non-numerals that a class is separated from: those read as this class, and some of the others.

    A random stroke may be a perfect numeral by chance, so those nearer than half of the class's own pictures are left
    out.
    """
    near = start.distances(strangers) < np.median(start.distances(own))
    read = np.flatnonzero(are_read & ~near)
    others = random.permutation(np.flatnonzero(~are_read & ~near))[: 2 * len(own)]
    return _Rivals(strangers[np.concatenate([read, others])], np.arange(len(read) + len(others)) < len(read))


def _learn(
    start: Region, own: Array, rivals: _Rivals, settings: NoveltySettings, random: np.random.Generator
) -> Region:
    """The region after the logistic fit; its distance is 1 at the boundary between numerals and non-numerals."""
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
"""The bound moves this many times faster than the other parameters."""


def _slopes(
    parameters: tuple[Single, ...], samples: Single, strange: NDArray[np.bool_], costs: Array, sharpness: float
) -> tuple[Single, ...]:
    """Gradients of the mean logistic loss with respect to the parameters, in their shapes.

    The parameters are the middle (n,), logarithms of the weights (n,), factors (n, K) and the bound (1,).
    """
    middle, logarithms, factors, bound = parameters
    away = samples - middle
    weights = np.exp(logarithms)
    along = away @ factors
    distances = away**2 @ weights + np.sum(along**2, axis=1)
    odds = np.clip(sharpness * (distances - _BOUND_SCALE * bound), -30, 30)
    pull = (sharpness / len(samples) * costs * (1 / (1 + np.exp(-odds)) - strange)).astype(np.float32)
    by_along = 2 * along * pull[:, None]
    by_away = by_along @ factors.T + 2 * pull[:, None] * away * weights
    by_weights: Any = (pull @ away**2) * weights
    by_factors: Any = away.T @ by_along
    by_bound = np.array([-_BOUND_SCALE * pull.sum()], np.float32)
    return -by_away.sum(axis=0), by_weights, by_factors, by_bound
