"""Fit the weights of lines by maximum likelihood: the right path of each drawn line against all other paths.

The grammar takes no part: evidence is learned for any row of characters.
"""

from collections.abc import Sequence
from math import exp, inf, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from edge_lpdpl.number.evidence import Evidence, characters_in_line, measure
from edge_lpdpl.number.lattice import Lattice
from edge_lpdpl.number.weights import (
    STRICTNESS,
    Calibration,
    CharacterWeights,
    LineModel,
    NeighbourWeights,
    NoiseWeights,
    Shape,
)
from train_host.samples.true_path import TruePath

Real = NDArray[np.float64]

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
    graphs = [_Graph(line, measure(line.lattice, shapes)) for line in lines]
    start = np.zeros(_ALL)
    start[:2] = 20, 5

    def loss(weights: Real) -> tuple[float, Real]:
        value, slope = RIDGE * float(weights @ weights) / 2, RIDGE * weights
        for graph in graphs:
            one, change = graph.loss(weights)
            value, slope = value + one / len(graphs), slope + change / len(graphs)
        return value, slope

    found: Any = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    weights = [float(weight) for weight in found.x]
    kinds = CharacterWeights(*weights[:_C]), NeighbourWeights(*weights[_C:_N]), NoiseWeights(*weights[_N:])
    return uncounted(LineModel(*kinds, shapes, widest, joined, Calibration(0.0, 0.0, 0.0), ()))


def uncounted(model: LineModel) -> LineModel:
    """The same weights; shares are confidences, and all numbers are sure."""
    return model._replace(calibration=Calibration(1.0, 0.0, 0.0), sure=(0.0,) * len(STRICTNESS))


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
    """A lattice as a graph of candidates and pieces of noise, for sums over all paths."""

    def __init__(self, line: Line, evidence: Evidence) -> None:
        self.evidence, candidates = evidence, line.lattice.candidates
        self.count, pieces = len(candidates), len(line.lattice.pieces)
        self.first = [*(one.first for one in candidates), *range(pieces)]
        self.last = [*(one.last for one in candidates), *range(1, pieces + 1)]
        self.pieces = pieces
        known = {(int(a), int(b)): k for k, (a, b) in enumerate(evidence.pairs)}
        everything = range(len(self.first))
        self.edges = [
            [(other, known.get((other, node), -1)) for other in everything if self.last[other] == self.first[node]]
            for node in everything
        ]
        self.followers: list[list[tuple[int, int]]] = [[] for _ in everything]
        for node, edges in enumerate(self.edges):
            for other, edge in edges:
                self.followers[other].append((node, edge))
        self.path = [*line.path.candidates, *(self.count + piece for piece in line.path.noise)]
        self.path.sort(key=self.first.__getitem__)
        self.label = dict(zip(line.path.candidates, line.classes, strict=True))
        self.order = sorted(everything, key=self.first.__getitem__)
        self.fixed = self._path_features()

    def _path_features(self) -> Real:
        found = np.zeros(_ALL)
        for place, node in enumerate(self.path):
            if node < self.count:
                found[:_C] += self.evidence.characters[node, self.label[node]]
            else:
                found[_N:] += self.evidence.noise[node - self.count]
            edge = next((edge for other, edge in self.edges[node] if place and other == self.path[place - 1]), -1)
            if edge >= 0:
                found[_C:_N] += self.evidence.neighbours[edge]
        return found

    def loss(self, weights: Real) -> tuple[float, Real]:
        """Minus the log-likelihood of the right path, and its gradient."""
        evidence = self.evidence
        classes = evidence.characters @ weights[:_C]
        best = classes.max(axis=1, keepdims=True)
        sums = best[:, 0] + np.log(np.exp(classes - best).sum(axis=1))
        nodes = [*sums.tolist(), *(evidence.noise @ weights[_N:]).tolist()]
        bonus = [*(evidence.neighbours @ weights[_C:_N]).tolist(), 0.0]  # the last one is that of edge -1
        ahead, behind = [-inf] * len(nodes), [-inf] * len(nodes)
        for node in self.order:
            ways = [ahead[other] + bonus[edge] for other, edge in self.edges[node]]
            ahead[node] = nodes[node] + (_log_sum(ways) if self.first[node] else 0.0)
        for node in self.order[::-1]:
            ways = [behind[other] + nodes[other] + bonus[edge] for other, edge in self.followers[node]]
            behind[node] = 0.0 if self.last[node] == self.pieces else _log_sum(ways)
        total = _log_sum([ahead[node] for node in self.order if self.last[node] == self.pieces])
        share = np.exp(np.array(ahead) + np.array(behind) - total)
        expected = np.zeros(_ALL)
        each = np.exp(classes - sums[:, None]) * share[: self.count, None]
        expected[:_C] = np.tensordot(each, evidence.characters, 2)
        expected[_N:] = share[self.count :] @ evidence.noise
        passed = np.zeros(len(evidence.neighbours))
        for node in self.order:
            for other, edge in self.edges[node]:
                if edge >= 0:
                    passed[edge] = exp(ahead[other] + bonus[edge] + nodes[node] + behind[node] - total)
        expected[_C:_N] = passed @ evidence.neighbours
        return total - float(self.fixed @ weights), expected - self.fixed


def _log_sum(values: Sequence[float]) -> float:
    """Logarithm of the sum of exponentials."""
    most = max(values, default=-inf)
    return most if most == -inf else most + log(sum(exp(value - most) for value in values))
