"""The most probable numbers of a lattice in Python: the same steps as `edge_lpdpl.number.kernels.chart`, same bits."""

from collections.abc import Iterable, Iterator, Sequence
from math import exp
from typing import NamedTuple

from edge_lpdpl.number.evidence import Potentials, measure, weigh
from edge_lpdpl.number.lattice import Lattice
from edge_lpdpl.number.record import FAINT, Character, Path, Rules, check
from edge_lpdpl.number.weights import LineModel


class _Text(NamedTuple):
    """A text, by the best path that reads it."""

    worth: float
    classes: tuple[int, ...]
    nodes: tuple[int, ...]


class _Sum:
    """The best texts of a node in a state, and the sum of all paths over the best one."""

    def __init__(self) -> None:
        self.texts: list[_Text] = []
        self.share = 0.0

    def add(self, texts: Iterable[_Text], worth: float, share: float, count: int) -> None:
        """Texts, best first, of which the best has this worth, and the sum of all their paths over the best one."""
        self.share = _joined(self.texts[0].worth, self.share, worth, share) if self.texts else share
        for text in texts:
            if len(self.texts) == count and text.worth <= self.texts[-1].worth:
                break
            self._insert(text, count)

    def _insert(self, text: _Text, count: int) -> None:
        same = next((one for one in self.texts if one.classes == text.classes), None)
        if same is not None and text.worth <= same.worth:
            return
        self.texts = [one for one in self.texts if one is not same]
        place = sum(one.worth >= text.worth for one in self.texts)
        self.texts = [*self.texts[:place], text, *self.texts[place:]][:count]


class PlainFinder:
    """Finds the most probable numbers. Arguments are those of `edge_lpdpl.number.finder.make_finder`."""

    def __init__(self, model: LineModel, characters: Sequence[str], rules: Rules) -> None:
        self._model, self._characters = model, characters
        self._ends = [bool(end) for end in rules.ends]
        self._steps = [
            [(label, after) for label, after in enumerate(row) if after >= 0] for row in rules.steps.tolist()
        ]

    def read(self, lattice: Lattice, count: int) -> list[Path]:
        return self.best_paths(lattice, self.weigh(lattice), count)

    def weigh(self, lattice: Lattice) -> Potentials:
        return weigh(measure(lattice, self._model.shapes), self._model)

    def best_paths(self, lattice: Lattice, potentials: Potentials, count: int) -> list[Path]:
        check(lattice, count)
        graph = _Graph(lattice, potentials)
        chart: list[dict[int, _Sum]] = [{} for _ in range(graph.count)]
        begin = {0: _Sum()}
        begin[0].add([_Text(0.0, (), ())], 0.0, 1.0, count)
        for node in graph.order:
            arrived: dict[int, _Sum] = {}
            for source, bonus in graph.before[node]:
                for state, one in (begin if source < 0 else chart[source]).items():
                    worth = bonus + graph.noise[node] if node >= graph.candidates else bonus
                    texts = (_Text(text.worth + worth, text.classes, (*text.nodes, node)) for text in one.texts)
                    arrived.setdefault(state, _Sum()).add(texts, one.texts[0].worth + worth, one.share, count)
            chart[node] = arrived if node >= graph.candidates else self._read(arrived, graph.scores[node], count)
        total = _Sum()
        for node in graph.ends:
            for state, one in chart[node].items():
                if self._ends[state]:
                    total.add(one.texts, one.texts[0].worth, one.share, count)
        return [self._path(text, total, graph) for text in total.texts]

    def _read(self, arrived: dict[int, _Sum], scores: Sequence[float], count: int) -> dict[int, _Sum]:
        """All texts that enter a candidate, each with every class behind it that may follow."""
        found: dict[int, _Sum] = {}
        for state, one in arrived.items():
            for label, after in self._steps[state]:
                worth = scores[label]
                texts = (_Text(text.worth + worth, (*text.classes, label), text.nodes) for text in one.texts)
                found.setdefault(after, _Sum()).add(texts, one.texts[0].worth + worth, one.share, count)
        return found

    def _path(self, text: _Text, total: _Sum, graph: "_Graph") -> Path:
        worth, share = graph.sum_of(text.classes)
        confidence = min(1.0, exp(worth - total.texts[0].worth) * (share / total.share))
        chosen = [node for node in text.nodes if node < graph.candidates]
        noise = [node - graph.candidates for node in text.nodes if node >= graph.candidates]
        characters = [Character(*one) for one in zip(chosen, text.classes, strict=True)]
        return Path(characters, "".join(self._characters[label] for label in text.classes), noise, confidence)


class _Graph:
    """Candidates, then the pieces as noise, with the nodes before each and what they add as neighbours."""

    def __init__(self, lattice: Lattice, potentials: Potentials) -> None:
        spans = [(one.first, one.last) for one in lattice.candidates]
        self.candidates, pieces = len(spans), len(lattice.pieces)
        spans += [(piece, piece + 1) for piece in range(pieces)]
        self.count = len(spans)
        self.noise = [0.0] * self.candidates + potentials.noise.tolist()
        self.scores: list[list[float]] = potentials.characters.tolist()
        bonus = iter(potentials.neighbours.tolist())
        ending: list[list[int]] = [[] for _ in range(pieces + 1)]
        for node, (_, last) in enumerate(spans):
            ending[last].append(node)
        self.ends = ending[pieces]
        self.order = sorted(range(self.count), key=lambda node: spans[node][0])  # candidates first at each piece
        self.before: list[list[tuple[int, float]]] = []
        for node, (first, _) in enumerate(spans):
            pairs = [(other, next(bonus) if max(node, other) < self.candidates else 0.0) for other in ending[first]]
            self.before.append(pairs if first else [(-1, 0.0)])

    def sum_of(self, classes: Sequence[int]) -> tuple[float, float]:
        """The best path that reads these classes, and the sum of all of them over it."""
        chart: list[dict[int, tuple[float, float]]] = [{} for _ in range(self.count)]
        for node in self.order:
            arrived = chart[node]
            for source, bonus in self.before[node]:
                for count, (worth, share) in ({0: (0.0, 1.0)} if source < 0 else chart[source]).items():
                    if node >= self.candidates:
                        _pass_on(arrived, count, self.noise[node] + worth, share)
                    elif count < len(classes):
                        _pass_on(arrived, count + 1, bonus + self.scores[node][classes[count]] + worth, share)
        total: dict[int, tuple[float, float]] = {}
        for worth, share in self._all(chart, len(classes)):
            _pass_on(total, 0, worth, share)
        return total[0]

    def _all(self, chart: list[dict[int, tuple[float, float]]], length: int) -> Iterator[tuple[float, float]]:
        return (chart[node][length] for node in self.ends if length in chart[node])


def _pass_on(arrived: dict[int, tuple[float, float]], count: int, worth: float, share: float) -> None:
    if count in arrived:
        best, known = arrived[count]
        arrived[count] = max(best, worth), _joined(best, known, worth, share)
    else:
        arrived[count] = worth, share


def _joined(worth: float, share: float, other_worth: float, other_share: float) -> float:
    """The sum of two sums, over the better of their best paths."""
    behind = other_worth - worth
    if behind > 0:
        return share * exp(-behind) + other_share if -behind > FAINT else other_share
    return share + other_share * exp(behind) if behind > FAINT else share
