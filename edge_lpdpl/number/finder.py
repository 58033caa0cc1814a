"""The most probable numbers of a lattice, and how probable each is among all numbers that the lattice may be read as.

`edge_lpdpl.number.kernels.chart` says how they are found.
"""

import ctypes
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from edge_lpdpl.jit.backend import choose
from edge_lpdpl.jit.loader import load_kernels
from edge_lpdpl.jit.record import make_record, request_writer
from edge_lpdpl.jit.store import Entries
from edge_lpdpl.number.evidence import Potentials
from edge_lpdpl.number.grammar import Grammar
from edge_lpdpl.number.lattice import Lattice
from edge_lpdpl.number.record import (
    RECORD,
    Character,
    Path,
    Request,
    Rules,
    check,
    make_buffers,
    rules_of,
    shapes_of,
)
from edge_lpdpl.number.weights import LineModel

ENTRIES = Entries("edge_lpdpl.number.kernels.entries", ("weigh_lattice", "find_paths"))
"""The kernels that a finder calls. Each takes the address of a record (`edge_lpdpl.number.record`)."""


class Finder(Protocol):
    """Finds the most probable numbers of lattices, in one thread."""

    def read(self, lattice: Lattice, count: int) -> list[Path]:
        """The best paths of a lattice that has candidates, by its evidence."""

    def weigh(self, lattice: Lattice) -> Potentials:
        """What the evidence of a lattice that has candidates is worth. The next call may overwrite it."""

    def best_paths(self, lattice: Lattice, potentials: Potentials, count: int) -> list[Path]:
        """The `count` numbers with the most probable paths, at most MOST_PATHS, best first.

        A number that several paths read has the sum of all of them as its confidence; its place in the list and its
        characters are those of the best one.
        """


class CompiledFinder:
    """Finds with the kernels. The first one in a process loads them, or compiles them where the cache has none."""

    def __init__(self, model: LineModel, characters: Sequence[str], rules: Rules, marks: int) -> None:
        kernels = load_kernels(ENTRIES)
        self._weigh, self._find = (kernels[name] for name in ENTRIES.names)
        self._characters = characters
        self._fixed = rules, shapes_of(model)  # kept, because a record keeps no array alive
        self._classes = len(characters) - marks
        self.buffers = make_buffers(rules, self._classes)
        self._scores = self.buffers.scores.reshape(-1)
        self._record = make_record(RECORD, model.character, model.neighbour, model.noise, *self._fixed, self.buffers)
        self._write = request_writer(self._record, Request)
        self._address = ctypes.c_void_p(self._record.ctypes.data)

    def read(self, lattice: Lattice, count: int) -> list[Path]:
        check(lattice, count)
        self._weigh_evidence(lattice)
        return self._paths(lattice, count)

    def weigh(self, lattice: Lattice) -> Potentials:
        check(lattice, 1)
        pairs, buffers = self._weigh_evidence(lattice), self.buffers
        count, pieces = len(lattice.candidates), len(lattice.pieces)
        return Potentials(buffers.characters[:count], buffers.noise[:pieces], buffers.neighbours[:pairs])

    def _weigh_evidence(self, lattice: Lattice) -> int:
        buffers, candidates, pieces = self.buffers, lattice.candidates, len(lattice.pieces)
        given = [
            (*one[:2], *one.row, one.read.novelty, one.distance, one.reason != 0, one.gap, one.cuts, *one.crossed)
            for one in candidates
        ]
        buffers.given[: len(given)] = given
        np.concatenate([one.read.scores for one in candidates], out=self._scores[: self._classes * len(given)])
        buffers.extents[:pieces] = [
            (max(one.right - one.left, one.bottom - one.top), one.is_cut_off) for one in lattice.pieces
        ]
        self._write(pieces, len(given), 1, lattice.size)
        return self._weigh(self._address)

    def best_paths(self, lattice: Lattice, potentials: Potentials, count: int) -> list[Path]:
        check(lattice, count)
        buffers = self.buffers
        for place, one in enumerate(lattice.candidates):
            buffers.spans[place] = one.first, one.last
        buffers.characters[: len(lattice.candidates)] = potentials.characters
        buffers.noise[: len(lattice.pieces)] = potentials.noise
        buffers.neighbours[: len(potentials.neighbours)] = potentials.neighbours
        return self._paths(lattice, count)

    def _paths(self, lattice: Lattice, count: int) -> list[Path]:
        self._write(len(lattice.pieces), len(lattice.candidates), count, lattice.size)
        return [self._path(number) for number in range(self._find(self._address))]

    def _path(self, number: int) -> Path:
        buffers = self.buffers
        length, noise = buffers.lengths[number].tolist()
        classes = buffers.texts[number, :length].tolist()
        characters = list(map(Character, buffers.chosen[number, :length].tolist(), classes))
        text = "".join([self._characters[label] for label in classes])
        return Path(characters, text, buffers.left_out[number, :noise].tolist(), float(buffers.shares[number]))


def make_finder(model: LineModel, characters: Sequence[str], grammar: Grammar, backend: str) -> Finder:
    """The finder called `backend`: `numba`, `numpy`, or `auto`, which is numba where it is installed.

    Args:
        characters: of the classes. Points and signs of the grammar follow them in a text's labels.

    Raises:
        BackendError: there is no such backend, or numba is not installed.
    """
    characters = [*characters, *grammar.marks]
    rules = rules_of(grammar, characters)

    def plain() -> Finder:
        from edge_lpdpl.number.plain.finder import PlainFinder

        return PlainFinder(model, characters, rules)

    return choose(backend, lambda: CompiledFinder(model, characters, rules, len(grammar.marks)), plain)
