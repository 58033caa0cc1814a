"""The most probable number of a lattice, and how probable it is among all numbers that the lattice may be read as.

A log-linear model over all ways to divide a line (a semi-Markov conditional random field: Sarawagi and Cohen, 2004).
One pass over the lattice keeps, for every candidate and every state of the grammar, the best path that ends there and
the sum of all of them. Candidates and noise are nodes: a node of noise is a piece that is left out.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp, inf, log1p
from typing import NamedTuple

from edge_lpdpl.number.evidence import Evidence, Potentials, Real
from edge_lpdpl.number.grammar import Grammar
from edge_lpdpl.number.lattice import Lattice


class Character(NamedTuple):
    """A candidate on a path, read as a class."""

    candidate: int
    label: int


class Path(NamedTuple):
    """How a line is read."""

    characters: list[Character]
    text: str
    noise: list[int]
    """Pieces that are left out."""
    confidence: float
    """Share of this text of all numbers, each with its probability."""


class _Step(NamedTuple):
    best: float
    total: float
    """Logarithms of the best and of the sum of all paths to this node in this state."""
    before: tuple[int, int] | None
    """Node and state before, None at the start."""
    label: int
    """-1 where the node is noise."""


def best_path(
    lattice: Lattice, evidence: Evidence, potentials: Potentials, characters: Sequence[str], grammar: Grammar
) -> Path | None:
    """The most probable number; None where no path is one.

    Args:
        characters: of the classes.
    """
    nodes = _Nodes(lattice, evidence, potentials)
    steps = _steps_of(grammar, tuple(characters))
    chart: list[dict[int, _Step]] = []
    for node in range(nodes.count):
        arrived: dict[int, _Step] = {}
        scores = nodes.scores[node]
        for before, bonus in nodes.before[node]:
            sources = chart[before] if before >= 0 else {grammar.start: _Step(0.0, 0.0, None, -1)}
            for state, source in sources.items():
                place = (before, state) if before >= 0 else None
                if scores is None:
                    noise = nodes.noise[node]
                    _arrive(arrived, state, source.best + noise, source.total + noise, place, -1)
                    continue
                for after, labels in steps[state]:
                    label, best, total = scores.over(labels)
                    _arrive(arrived, after, source.best + bonus + best, source.total + bonus + total, place, label)
        chart.append(arrived)
    ends = [
        (step, node, state)
        for node in nodes.ends
        for state, step in chart[node].items()
        if grammar.is_end(state) and state != grammar.start
    ]
    if not ends:
        return None
    total = -inf
    for step, _, _ in ends:
        total = _log_add(total, step.total)
    _, node, state = max(ends, key=lambda end: end[0].best)
    found, left_out = _back(chart, nodes, node, state)
    text = "".join(characters[one.label] for one in found)
    same = _total_of(nodes, [one.label for one in found])
    return Path(found, text, left_out, min(1.0, exp(same - total)))


class _Nodes:
    """Candidates, then the pieces as noise, in the order of where they begin; with the nodes before each."""

    def __init__(self, lattice: Lattice, evidence: Evidence, potentials: Potentials) -> None:
        candidates = lattice.candidates
        spans = [(one.first, one.last, number, True) for number, one in enumerate(candidates)]
        spans += [(number, number + 1, number, False) for number in range(len(lattice.pieces))]
        spans.sort()
        self.count = len(spans)
        self.candidates = [number if real else -1 for _, _, number, real in spans]
        self.pieces = [first for first, _, _, _ in spans]
        self.noise = [0.0 if real else float(potentials.noise[number]) for _, _, number, real in spans]
        self.scores = [_Scores(potentials.characters[number]) if real else None for _, _, number, real in spans]
        bonus = {(int(a), int(b)): float(potentials.neighbours[k]) for k, (a, b) in enumerate(evidence.pairs)}
        ending: dict[int, list[int]] = {}
        for node, (_, last, _, _) in enumerate(spans):
            ending.setdefault(last, []).append(node)
        self.before: list[list[tuple[int, float]]] = []
        for node, (first, _, _, real) in enumerate(spans):
            pairs = [(other, (self.candidates[other], self.candidates[node])) for other in ending.get(first, ())]
            near = [(other, bonus.get(pair, 0.0) if real else 0.0) for other, pair in pairs]
            self.before.append(near if first else [(-1, 0.0)])
        self.ends = ending.get(len(lattice.pieces), [])


class _Scores:
    """The potentials of a candidate's classes, and their best and sum over sets of classes."""

    def __init__(self, row: Real) -> None:
        self.row: list[float] = row.tolist()
        self._known: dict[tuple[int, ...], tuple[int, float, float]] = {}

    def over(self, labels: tuple[int, ...]) -> tuple[int, float, float]:
        """The best class of a set, its potential, and the logarithm of the sum over the set."""
        if labels not in self._known:
            label = max(labels, key=self.row.__getitem__)
            best = self.row[label]
            total = best + log1p(sum(exp(self.row[other] - best) for other in labels if other != label))
            self._known[labels] = label, best, total
        return self._known[labels]


@lru_cache(maxsize=8)
def _steps_of(grammar: Grammar, characters: tuple[str, ...]) -> list[list[tuple[int, tuple[int, ...]]]]:
    """For each state, where it leads to and the classes that lead there."""
    steps = []
    for state in range(grammar.states):
        after: dict[int, list[int]] = {}
        for label, character in enumerate(characters):
            new = grammar.step(state, character)
            if new is not None:
                after.setdefault(new, []).append(label)
        steps.append([(new, tuple(labels)) for new, labels in after.items()])
    return steps


def _arrive(
    arrived: dict[int, _Step], state: int, best: float, total: float, before: tuple[int, int] | None, label: int
) -> None:
    known = arrived.get(state)
    if known is None:
        arrived[state] = _Step(best, total, before, label)
        return
    total = _log_add(known.total, total)
    if best > known.best:
        arrived[state] = _Step(best, total, before, label)
    else:
        arrived[state] = known._replace(total=total)


def _back(chart: list[dict[int, _Step]], nodes: _Nodes, node: int, state: int) -> tuple[list[Character], list[int]]:
    """The characters and the noise of the best path to a node, from left to right."""
    characters, noise = [], []
    at: tuple[int, int] | None = (node, state)
    while at is not None:
        step = chart[at[0]][at[1]]
        if step.label < 0:
            noise.append(nodes.pieces[at[0]])
        else:
            characters.append(Character(nodes.candidates[at[0]], step.label))
        at = step.before
    return characters[::-1], noise[::-1]


def _total_of(nodes: _Nodes, labels: list[int]) -> float:
    """Logarithm of the sum of all paths that read these classes."""
    chart: list[dict[int, float]] = []
    for node in range(nodes.count):
        arrived: dict[int, float] = {}
        scores = nodes.scores[node]
        for before, bonus in nodes.before[node]:
            for read, total in (chart[before] if before >= 0 else {0: 0.0}).items():
                if scores is None:
                    arrived[read] = _log_add(arrived.get(read, -inf), total + nodes.noise[node])
                elif read < len(labels):
                    worth = total + bonus + scores.row[labels[read]]
                    arrived[read + 1] = _log_add(arrived.get(read + 1, -inf), worth)
        chart.append(arrived)
    result = -inf
    for node in nodes.ends:
        result = _log_add(result, chart[node].get(len(labels), -inf))
    return result


def _log_add(one: float, other: float) -> float:
    """log(exp(one) + exp(other))."""
    if other > one:
        one, other = other, one
    return one if other == -inf else one + log1p(exp(other - one))
