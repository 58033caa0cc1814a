"""The most probable number of a lattice, held against the enumeration of all paths."""

from itertools import pairwise, product
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.model.labels import CHINESE, LATIN
from edge_lpdpl.number.evidence import Evidence, Potentials
from edge_lpdpl.number.grammar import grammar_for
from edge_lpdpl.number.lattice import Candidate, Lattice, Piece
from edge_lpdpl.number.path import best_path
from edge_lpdpl.numeral.recogniser import Recognition

NOTHING = Recognition("1", 1, 1.0, False, "7", np.zeros(2, np.float32), 0.0)


def make_lattice(spans, pieces):
    candidates = [Candidate(first, last, [], [0] * 10, 0, NOTHING, 0.0, 0, 0, (0, 0)) for first, last in sorted(spans)]
    return Lattice([Piece((), 0, 0, 1, 1)] * pieces, candidates, 10)


def pairs_of(lattice):
    ones = list(enumerate(lattice.candidates))
    found = [(a, b) for b, after in ones for a, before in ones if before.last == after.first]
    return np.array(found, np.intp).reshape(-1, 2)


def all_paths(lattice, evidence, potentials, characters, grammar):
    """Every text with the worth of every path that reads it, by trying all rows of candidates and pieces of noise."""
    pieces = len(lattice.pieces)
    bonus = {(int(a), int(b)): potentials.neighbours[k] for k, (a, b) in enumerate(evidence.pairs)}
    rows = [([], 0)]
    for nodes, at in rows:  # the list grows
        if at < pieces:
            rows.append(([*nodes, ("noise", at)], at + 1))
            rows += [([*nodes, (k, None)], one.last) for k, one in enumerate(lattice.candidates) if one.first == at]
    texts = {}
    for nodes, at in rows:
        if at < pieces:
            continue
        real = [k for k, _ in nodes if k != "noise"]
        fixed = sum(potentials.noise[piece] for k, piece in nodes if k == "noise")
        fixed += sum(bonus[a, b] for (a, _), (b, _) in pairwise(nodes) if "noise" not in (a, b))
        for labels in product(range(len(characters)), repeat=len(real)):
            text = "".join(characters[label] for label in labels)
            if text and grammar.value(text) is not None:
                worth = fixed + sum(potentials.characters[k, label] for k, label in zip(real, labels, strict=True))
                texts.setdefault(text, []).append(worth)
    return texts


@pytest.mark.parametrize(("labels", "chosen"), [(LATIN, "017"), (CHINESE, "一二十百")], ids=["digits", "chinese"])
@given(data=st.data())
def test_it_finds_the_best_of_all_paths_and_its_share(labels, chosen, data):
    labels = [label for label in labels if label.character in chosen]
    characters, grammar = [label.character for label in labels], grammar_for(labels)
    pieces = data.draw(st.integers(1, 4))
    every = [(first, last) for first in range(pieces) for last in range(first + 1, min(first + 3, pieces) + 1)]
    lattice = make_lattice(data.draw(st.sets(st.sampled_from(every), min_size=1)), pieces)
    pairs = pairs_of(lattice)
    numbers = st.floats(-5, 5).map(lambda number: round(number, 3))
    draw = lambda *shape: np.array(  # noqa: E731
        data.draw(st.lists(numbers, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    ).reshape(shape)
    potentials = Potentials(draw(len(lattice.candidates), len(labels)), draw(pieces), draw(len(pairs)))
    evidence = Evidence(np.zeros(0), np.zeros(0), pairs, np.zeros(0))
    path = best_path(lattice, evidence, potentials, characters, grammar)
    texts = all_paths(lattice, evidence, potentials, characters, grammar)
    if not texts:
        assert path is None
        return
    best = max(max(worths) for worths in texts.values())
    assert path is not None
    assert max(texts[path.text]) == pytest.approx(best)
    total = sum(exp(worth) for worths in texts.values() for worth in worths)
    assert path.confidence == pytest.approx(sum(map(exp, texts[path.text])) / total)
    assert [lattice.candidates[one.candidate].last > 0 for one in path.characters] == [True] * len(path.text)


def test_noise_is_told():
    lattice = make_lattice({(0, 1), (2, 3)}, 3)
    potentials = Potentials(np.zeros((2, 10)), np.array([-9.0, -1.0, -9.0]), np.zeros(0))
    evidence = Evidence(np.zeros(0), np.zeros(0), pairs_of(lattice), np.zeros(0))
    path = best_path(lattice, evidence, potentials, "0123456789", grammar_for(LATIN))
    assert path is not None
    assert path.noise == [1]
    assert len(path.text) == 2
