"""The most probable numbers of a lattice, held against the enumeration of all paths."""

from itertools import pairwise, product
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.jit.record import fields_of
from edge_lpdpl.model.labels import CHINESE, LATIN
from edge_lpdpl.number.evidence import Potentials
from edge_lpdpl.number.finder import make_finder
from edge_lpdpl.number.grammar import MARKS, grammar_for
from edge_lpdpl.number.lattice import MOST_JOINED, MOST_PIECES, Candidate, Lattice, Piece
from edge_lpdpl.number.record import MOST_PATHS, RECORD, Buffers, Request, Rules, Shapes
from edge_lpdpl.number.weights import CharacterWeights, NeighbourWeights, NoiseWeights, line_model
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page import parts_table as part

pytestmark = pytest.mark.slow

ONE = Recognition("1", 1, 1.0, False, "7", np.array([1, 0, *[1] * 8], np.float32), 0.0)
UNLIKE = ONE._replace(novelty=6.0)
NOTHING = Recognition("1", 1, 1.0, False, "7", np.zeros(2, np.float32), 0.0)


def make_lattice(spans, pieces):
    candidates = [Candidate(first, last, [], [0] * 10, 0, NOTHING, 0.0, 0, 0, (0, 0)) for first, last in sorted(spans)]
    return Lattice([Piece((), 0, 0, 1, 1)] * pieces, candidates, 10)


def pairs_of(lattice):
    ones = list(enumerate(lattice.candidates))
    return [(a, b) for b, after in ones for a, before in ones if before.last == after.first]


def all_paths(lattice, potentials, characters, grammar):
    """Every text with the worth of every path that reads it, by trying all rows of candidates and pieces of noise."""
    pieces = len(lattice.pieces)
    bonus = {(int(a), int(b)): potentials.neighbours[k] for k, (a, b) in enumerate(pairs_of(lattice))}
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


def finders(labels):
    characters = [label.character for label in labels]
    make = lambda backend: make_finder(line_model(labels), characters, grammar_for(labels), backend)  # noqa: E731
    return {"numba": make("numba"), "numpy": make("numpy")}


DIGITS = [label for label in LATIN if label.character in "017"]
SPOKEN = [label for label in CHINESE if label.character in "一二十百"]
SCRIPTS = {"digits": (DIGITS, finders(DIGITS)), "chinese": (SPOKEN, finders(SPOKEN))}
TEN = finders(LATIN)
SYMBOLS = len(LATIN) + len(MARKS)
NUMBERS = st.floats(-5, 5).map(lambda number: round(number, 3)) | st.floats(-900, 900)
"""Some so far apart that their exponentials overflow, or vanish beside others."""


@st.composite
def lattices(draw, classes, most):
    """A lattice of few pieces, with any potentials."""
    pieces = draw(st.integers(1, most))
    every = [(first, last) for first in range(pieces) for last in range(first + 1, min(first + 3, pieces) + 1)]
    lattice = make_lattice(draw(st.sets(st.sampled_from(every))), pieces)

    def array(*shape):
        size = int(np.prod(shape))
        return np.array(draw(st.lists(NUMBERS, min_size=size, max_size=size)), np.float64).reshape(shape)

    return lattice, Potentials(array(len(lattice.candidates), classes), array(pieces), array(len(pairs_of(lattice))))


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize("script", SCRIPTS)
@given(data=st.data())
def test_it_finds_the_texts_with_the_best_of_all_paths_and_their_shares(script, backend, data):
    labels, made = SCRIPTS[script]
    characters, grammar = [label.character for label in labels], grammar_for(labels)
    lattice, potentials = data.draw(lattices(len(labels), 4))
    count = data.draw(st.integers(1, MOST_PATHS))
    paths = made[backend].best_paths(lattice, potentials, count)
    texts = all_paths(lattice, potentials, characters, grammar)
    best = sorted((max(worths) for worths in texts.values()), reverse=True)
    assert [max(texts[path.text]) for path in paths] == pytest.approx(best[:count])
    assert len({path.text for path in paths}) == len(paths)
    top = best[0] if best else 0
    total = sum(exp(worth - top) for worths in texts.values() for worth in worths)
    shares = [sum(exp(worth - top) for worth in texts[path.text]) / total for path in paths]
    assert [path.confidence for path in paths] == pytest.approx(shares, rel=1e-9)
    for path in paths:
        spans = [(lattice.candidates[one.candidate].first, lattice.candidates[one.candidate].last) for one in path[0]]
        spans = sorted([*spans, *((piece, piece + 1) for piece in path.noise)])
        assert [place for span in spans for place in range(*span)] == list(range(len(lattice.pieces)))
        assert "".join(characters[one.label] for one in path.characters) == path.text


def test_no_two_fields_of_the_record_share_a_name():
    kinds = Request, Rules, CharacterWeights, NeighbourWeights, NoiseWeights, Shapes, Buffers
    names = [field.name for kind in kinds for field in fields_of(kind)]
    assert len(set(names)) == len(names)
    assert set(names) <= set(RECORD.names)


@given(case=lattices(SYMBOLS, 7), count=st.integers(1, MOST_PATHS))
def test_both_backends_find_the_same_bits(case, count):
    assert TEN["numba"].best_paths(*case, count) == TEN["numpy"].best_paths(*case, count)


@given(data=st.data(), pieces=st.integers(1, 5), size=st.integers(4, 60))
def test_both_backends_weigh_the_evidence_alike(data, pieces, size):
    every = [(first, last) for first in range(pieces) for last in range(first + 1, min(first + 3, pieces) + 1)]
    lattice = make_lattice(data.draw(st.sets(st.sampled_from(every), min_size=1)), pieces)
    draw = lambda least, most, count: data.draw(st.lists(st.integers(least, most), min_size=count, max_size=count))  # noqa: E731

    def measured(one):
        left, top, width, height, *ink = draw(0, 60, part.COLUMNS)
        scores = np.array(draw(-40, 40, 10), np.float32) / 16
        novelty, distance, gap = (number / 8 for number in draw(0, 80, 3))
        return one._replace(
            row=[left, top, left + width + 1, top + height + 1, *ink],
            read=NOTHING._replace(scores=scores, novelty=novelty),
            distance=distance,
            gap=gap,
            reason=draw(0, 3, 1)[0],
            cuts=draw(0, 3, 1)[0],
            crossed=tuple(draw(0, 900, 2)),
        )

    lattice = Lattice(
        [Piece((), 0, 0, *draw(1, 40, 2), tuple(draw(0, 2, 2))) for _ in range(pieces)],
        [measured(one) for one in lattice.candidates],
        size,
    )
    for compiled, plain in zip(TEN["numba"].weigh(lattice), TEN["numpy"].weigh(lattice), strict=True):
        np.testing.assert_allclose(compiled, plain, rtol=1e-9, atol=1e-9)
    one, other = ({path.text: path.confidence for path in TEN[backend].read(lattice, MOST_PATHS)} for backend in TEN)
    both = sorted(one.keys() & other.keys())  # which of two that are as good comes last is chance
    assert both or not one
    np.testing.assert_allclose([one[text] for text in both], [other[text] for text in both], rtol=1e-9)


@pytest.mark.parametrize("backend", TEN)
class TestFinder:
    def test_noise_is_told(self, backend):
        lattice = make_lattice({(0, 1), (2, 3)}, 3)
        potentials = Potentials(np.zeros((2, SYMBOLS)), np.array([-9.0, -1.0, -9.0]), np.zeros(0))
        (path,) = TEN[backend].best_paths(lattice, potentials, 1)
        assert path.noise == [1]
        assert len(path.text) == 2

    @pytest.mark.parametrize(("crossed", "noise"), [((0, 0), [1]), ((0, 9), [])])
    def test_what_a_seam_has_cut_off_is_no_noise(self, backend, crossed, noise):
        """Here 11 with a speck between them explains the ink best, 111 worse: its middle is like no character."""
        lattice = make_lattice({(0, 1), (1, 2), (2, 3)}, 3)
        lattice.pieces[1] = Piece((), 0, 0, 1, 1, crossed)
        lattice.candidates[1] = lattice.candidates[1]._replace(read=UNLIKE)
        lattice.candidates[::2] = [one._replace(read=ONE) for one in lattice.candidates[::2]]
        (path,) = TEN[backend].read(lattice, 1)
        assert path.noise == noise

    def test_the_largest_lattice_fits(self, backend):
        every = {(a, b) for a in range(MOST_PIECES) for b in range(a + 1, min(a + MOST_JOINED, MOST_PIECES) + 1)}
        lattice = make_lattice(every, MOST_PIECES)
        potentials = Potentials(
            np.zeros((len(every), SYMBOLS)), np.zeros(MOST_PIECES), np.zeros(len(pairs_of(lattice)))
        )
        assert len(TEN[backend].best_paths(lattice, potentials, 1)) == 1

    @pytest.mark.parametrize(
        ("spans", "pieces", "count"),
        [
            ({(0, 1)}, MOST_PIECES + 1, 1),
            (set(), 0, 1),
            ({(0, 1)}, 1, 0),
            ({(0, 1)}, 1, MOST_PATHS + 1),
            ({(0, 2)}, 1, 1),
            ({(0, MOST_JOINED + 1)}, MOST_PIECES, 1),
            ({(1, 1)}, 2, 1),
            ({(-1, 1)}, 2, 1),
        ],
    )
    def test_no_other_lattice_is_taken(self, backend, spans, pieces, count):
        lattice = make_lattice(spans, pieces)
        potentials = Potentials(np.zeros((len(spans), SYMBOLS)), np.zeros(pieces), np.zeros(0))
        with pytest.raises(ValueError, match="pieces"):
            TEN[backend].best_paths(lattice, potentials, count)
