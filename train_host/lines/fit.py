"""Fit the weights of lines by maximum likelihood: the right path of each drawn line against all other paths.

The grammar takes no part: evidence is learned for any row of characters.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from edge_lpdpl.number.evidence import Evidence, characters_in_line, measure
from edge_lpdpl.number.lattice import Lattice
from edge_lpdpl.number.weights import (
    CUT_OFF,
    Calibration,
    CharacterWeights,
    LineModel,
    NeighbourWeights,
    NoiseWeights,
    Shape,
)
from train_host.lines.score import all_sure
from train_host.samples.true_path import TruePath

Real = NDArray[np.float64]
Whole = NDArray[np.int64]

_C, _N = len(CharacterWeights._fields), len(CharacterWeights._fields) + len(NeighbourWeights._fields)
_ALL = _N + len(NoiseWeights._fields)
RIDGE = 1e-4
"""Of the squared weights, beside the mean negative log-likelihood of a line."""
PRIOR = 3.0
"""Characters that the covariance of all classes counts as, beside those of a class."""


class Line(NamedTuple):
    """A drawn line."""

    lattice: Lattice
    path: TruePath
    classes: list[int]
    """Of its characters."""


def fit_lines(lines: Sequence[Line], classes: int, widest: float, joined: float) -> LineModel:
    """The weights that make the right paths of these lines most probable, `uncounted`.

    Args:
        lines: each with a candidate at least.
        classes: number of classes.
        widest, joined: as of `LineModel`, with which the lattices were built.
    """
    shapes = fit_shapes(lines, classes)
    graph = _Graph(lines, shapes)
    start = np.zeros(_ALL)
    start[:2] = 20, 5

    def loss(weights: Real) -> tuple[float, Real]:
        value, slope = graph.loss(weights)
        return value + RIDGE * float(weights @ weights) / 2, slope + RIDGE * weights

    found: Any = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    weights = [float(weight) for weight in found.x]
    kinds = CharacterWeights(*weights[:_C]), NeighbourWeights(*weights[_C:_N]), NoiseWeights(*weights[_N:])
    return uncounted(LineModel(*kinds, shapes, widest, joined, Calibration(0.0, 0.0, 0.0, 0.0), ()))


def uncounted(model: LineModel) -> LineModel:
    """The same weights; shares are confidences, and all numbers are sure."""
    return all_sure(model._replace(calibration=Calibration(1.0, 0.0, 0.0, 0.0)))


def fit_shapes(lines: Sequence[Line], classes: int) -> tuple[Shape, ...]:
    """Normal distributions of the size and place of the characters of each class."""
    found: list[list[Real]] = [[] for _ in range(classes)]
    for line in lines:
        places = characters_in_line(line.lattice)
        for candidate, label in zip(line.path.candidates, line.classes, strict=True):
            found[label].append(places[candidate])
    everything = np.array([place for places in found for place in places])
    mean, common = everything.mean(axis=0), np.cov(everything.T) + 1e-4 * np.eye(3)
    shapes = []
    for members in found:
        own, count = np.array(members), len(members)
        centre = own.mean(axis=0) if count >= 3 else mean
        spread = np.cov(own.T) * count if count >= 3 else 0 * common
        precision = np.linalg.inv((spread + PRIOR * common) / (count * (count >= 3) + PRIOR) + 1e-4 * np.eye(3))
        upper = precision[np.triu_indices(3)].tolist()
        shapes.append(Shape(tuple(centre.tolist()), tuple(upper)))
    return tuple(shapes)


class _Graph:
    """The lattices of all lines as one graph, for sums over all paths through each.

    Its nodes are all candidates, all pieces as noise, and an open and a close of each line.
    """

    def __init__(self, lines: Sequence[Line], shapes: tuple[Shape, ...]) -> None:
        evidence = [measure(line.lattice, shapes) for line in lines]
        self.characters = np.concatenate([one.characters for one in evidence])
        self.noise = np.concatenate([one.noise for one in evidence])
        self.cut_off = np.concatenate([CUT_OFF * one.cut_off for one in evidence])
        self.neighbours = np.concatenate([*(one.neighbours for one in evidence), np.zeros((1, _N - _C))])
        """Of all pairs of candidates; the last one is that of any other two nodes."""
        self.opens = len(self.characters) + len(self.noise) + np.arange(len(lines))
        self.closes = self.opens + len(lines)
        self.fixed = sum((_path_evidence(line, one) for line, one in zip(lines, evidence, strict=True)), np.zeros(_ALL))
        """Of all right paths."""
        nothing = len(self.neighbours) - 1
        edges, candidate, piece, pair = [], 0, len(self.characters), 0
        for number, (line, one) in enumerate(zip(lines, evidence, strict=True)):
            found = _edges(line.lattice)
            known = _places_of_pairs(one)
            pairs = [pair + known[edge] if edge in known else nothing for edge in found]
            candidates, pieces = candidate + np.arange(len(one.characters)), piece + np.arange(len(one.noise))
            nodes = np.array([*candidates, *pieces, self.opens[number], self.closes[number]])
            edges.append(np.column_stack([nodes[np.array(found)], pairs, np.full(len(found), number)]))
            candidate, piece, pair = candidate + len(candidates), piece + len(pieces), pair + len(one.pairs)
        self.tails, self.heads, self.pairs, self.lines = np.concatenate(edges).T.copy()

    def loss(self, weights: Real) -> tuple[float, Real]:
        """The mean of minus the log-likelihood of the right paths, and its gradient."""
        classes = self.characters @ weights[:_C]
        sums = logsumexp(classes, axis=1)
        nodes = np.concatenate([sums, self.noise @ weights[_N:] + self.cut_off, np.zeros(2 * len(self.opens))])
        worth = (self.neighbours @ weights[_C:_N])[self.pairs] + nodes[self.heads]
        ahead, behind = np.full((2, len(nodes)), -np.inf)
        ahead[self.opens] = behind[self.closes] = 0
        _sum_paths(self.tails, self.heads, worth, ahead, behind)
        totals = ahead[self.closes]
        passed = np.exp(ahead[self.tails] + worth + behind[self.heads] - totals[self.lines])
        shares = np.bincount(self.heads, passed, len(nodes))
        count, expected = len(self.characters), np.empty(_ALL)
        each = np.exp(classes - sums[:, None]) * shares[:count, None]
        expected[:_C] = np.tensordot(each, self.characters, 2)
        expected[_C:_N] = np.bincount(self.pairs, passed, len(self.neighbours)) @ self.neighbours
        expected[_N:] = shares[count : self.opens[0]] @ self.noise
        lines = len(totals)
        return float(totals.sum() - self.fixed @ weights) / lines, (expected - self.fixed) / lines


def _path_evidence(line: Line, evidence: Evidence) -> Real:
    found, pairs = np.zeros(_ALL), _places_of_pairs(evidence)
    for candidate, label in zip(line.path.candidates, line.classes, strict=True):
        found[:_C] += evidence.characters[candidate, label]
    for pair in pairwise(line.path.candidates):
        if pair in pairs:
            found[_C:_N] += evidence.neighbours[pairs[pair]]
    found[_N:] += evidence.noise[line.path.noise].sum(axis=0)
    return found


def _places_of_pairs(evidence: Evidence) -> dict[tuple[int, int], int]:
    return {(int(before), int(after)): place for place, (before, after) in enumerate(evidence.pairs)}


def _edges(lattice: Lattice) -> list[tuple[int, int]]:
    """Pairs of nodes, the second of which begins where the first ends, in the order of where that is.

    The nodes are candidates, pieces, an open and a close.
    """
    pieces, starting = len(lattice.pieces), defaultdict(list)
    begins = [*(one.first for one in lattice.candidates), *range(pieces), -1, pieces]
    ends = [*(one.last for one in lattice.candidates), *range(1, pieces + 1), 0, -1]
    for node, begin in enumerate(begins):
        starting[begin].append(node)
    order = sorted((end, node) for node, end in enumerate(ends) if end >= 0)
    return [(node, head) for end, node in order for head in starting[end]]


@njit(cache=True)
def _sum_paths(tails: Whole, heads: Whole, worth: Real, ahead: Real, behind: Real) -> None:
    """Logarithms of the sums of the worth of all paths up to each node, and from it on."""
    for edge in range(len(tails)):
        tail, head = tails[edge], heads[edge]
        ahead[head] = np.logaddexp(ahead[head], ahead[tail] + worth[edge])
    for edge in range(len(tails) - 1, -1, -1):
        tail, head = tails[edge], heads[edge]
        behind[tail] = np.logaddexp(behind[tail], behind[head] + worth[edge])
