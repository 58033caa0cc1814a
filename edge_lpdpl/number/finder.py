"""The most probable numbers of a lattice, and how probable each is among all numbers that the lattice may be read as.

`edge_lpdpl.number.kernels.chart` says how they are found.
"""

import ctypes
from collections.abc import Sequence
from typing import Protocol

from edge_lpdpl.jit.backend import choose
from edge_lpdpl.jit.loader import load_kernels
from edge_lpdpl.jit.record import make_record, request_writer
from edge_lpdpl.jit.store import Entries
from edge_lpdpl.number.evidence import Potentials, measure, weigh
from edge_lpdpl.number.grammar import Grammar, Table
from edge_lpdpl.number.lattice import Lattice
from edge_lpdpl.number.record import RECORD, Character, Path, Request, Rules, check, make_buffers
from edge_lpdpl.number.weights import LineModel

ENTRIES = Entries("edge_lpdpl.number.kernels.entries", ("find_paths",))
"""The kernels that a finder calls. Each takes the address of a record (`edge_lpdpl.number.record`)."""


class Finder(Protocol):
    """Finds the most probable numbers of lattices, in one thread."""

    def weigh(self, lattice: Lattice) -> Potentials:
        """What the evidence of a lattice that has candidates is worth. The next call may overwrite it."""

    def best_paths(self, lattice: Lattice, potentials: Potentials, count: int) -> list[Path]:
        """The `count` numbers with the most probable paths, at most MOST_PATHS, best first.

        A number that several paths read has the sum of all of them as its confidence; its place in the list and its
        characters are those of the best one.
        """


class CompiledFinder:
    """Finds with the kernels. The first one in a process loads them, or compiles them where the cache has none."""

    def __init__(self, model: LineModel, characters: Sequence[str], table: Table) -> None:
        kernels = load_kernels(ENTRIES)
        (self._find,) = (kernels[name] for name in ENTRIES.names)
        self._model, self._characters = model, characters
        self._rules, self.buffers = Rules(*table), make_buffers(table)
        self._record = make_record(RECORD, Request(0, 0, 0), self._rules, self.buffers)
        self._write = request_writer(self._record, Request)
        self._address = ctypes.c_void_p(self._record.ctypes.data)

    def weigh(self, lattice: Lattice) -> Potentials:
        return weigh(measure(lattice, self._model.shapes), self._model)

    def best_paths(self, lattice: Lattice, potentials: Potentials, count: int) -> list[Path]:
        check(lattice, count)
        buffers, candidates, pieces = self.buffers, lattice.candidates, len(lattice.pieces)
        if candidates:
            buffers.spans[: len(candidates)] = [(one.first, one.last) for one in candidates]
        buffers.characters[: len(candidates)] = potentials.characters
        buffers.noise[:pieces] = potentials.noise
        buffers.neighbours[: len(potentials.neighbours)] = potentials.neighbours
        self._write(pieces, len(candidates), count)
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
        characters: of the classes.

    Raises:
        BackendError: there is no such backend, or numba is not installed.
    """
    table = grammar.table(characters)

    def plain() -> Finder:
        from edge_lpdpl.number.plain.finder import PlainFinder

        return PlainFinder(model, characters, table)

    return choose(backend, lambda: CompiledFinder(model, characters, table), plain)
