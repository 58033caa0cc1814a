"""Paths through a lattice, and the record that the kernels take. `edge_lpdpl.jit.record` explains records.

The buffers are made once: afterwards the kernels allocate nothing for a line.
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.record import layout_of, make_arrays
from edge_lpdpl.number.grammar import Grammar
from edge_lpdpl.number.lattice import MOST_JOINED, MOST_PIECES, Lattice
from edge_lpdpl.number.weights import CharacterWeights, LineModel, NeighbourWeights, NoiseWeights
from edge_lpdpl.page import parts_table as part

MOST_PATHS = 8
"""Texts that are found for a line."""
MOST_CANDIDATES = MOST_PIECES * MOST_JOINED
MOST_PAIRS = MOST_CANDIDATES * MOST_JOINED
"""Of neighbours: a candidate has at most MOST_JOINED before it, one for each number of pieces."""
MOST_NODES = MOST_CANDIDATES + MOST_PIECES
"""Candidates, and pieces that are left out as noise."""
FIRST, LAST, ROW, NOVELTY = 0, 1, 2, 2 + part.COLUMNS
DISTANCE, STRAY, GAP, CUTS, CROSSED = range(NOVELTY + 1, NOVELTY + 6)
GIVEN = CROSSED + 2
"""Places in `Buffers.given`: the fields of a candidate. The row of measures and what its seams cross are several."""
START, ENTERED, END = MOST_NODES, MOST_NODES + 1, MOST_NODES + 2
"""Rows of the chart: where all paths begin, all that enter the node in work, and all that are numbers."""
ROWS = MOST_NODES + 3
FAINT = -60.0
"""Paths whose logarithm is this far behind that of the best one change no digit of a sum."""


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
    """Probability of this text as a share of that of all numbers."""


Real = NDArray[np.float64]
Words = NDArray[np.int64]
Indices = NDArray[np.int32]
Short = NDArray[np.int16]


class Request(NamedTuple):
    """The lattice in the buffers; written before each call."""

    pieces: int
    candidates: int
    texts_to_find: int
    character_size: int
    """In pixels of the reduced frame."""


class Rules(NamedTuple):
    """A grammar for the classes of a model. It starts in state 0."""

    steps: Annotated[Short, "states", "symbols"]
    """The state after a class, -1 where it cannot follow."""
    ends: Annotated[NDArray[np.uint8], "states"]
    """1 where a number may end."""


class Shapes(NamedTuple):
    """Those of a line model; `edge_lpdpl.number.weights` explains them."""

    means: Annotated[Real, "symbols", 3]
    precisions: Annotated[Real, "symbols", 6]
    log_precisions: Annotated[Real, "symbols"]
    """Half of the logarithm of the determinant."""


class Buffers(NamedTuple):
    """The lattice, the chart and the paths that were found. "symbols" are the classes, then points and signs.

    The chart has, for each node and state, the best texts up to there, best first, and the sum of all paths.
    """

    given: Annotated[Real, MOST_CANDIDATES, GIVEN]
    """The candidates."""
    scores: Annotated[NDArray[np.float32], MOST_CANDIDATES, "classes"]
    extents: Annotated[Real, MOST_PIECES, 2]
    """Longer side of each piece, and whether it is cut off: 0 or 1."""
    places: Annotated[Real, MOST_CANDIDATES, 3]
    """As of `edge_lpdpl.number.evidence.characters_in_line`."""
    spans: Annotated[Indices, MOST_CANDIDATES, 2]
    """First piece of each candidate, and the one after its last."""
    characters: Annotated[Real, MOST_CANDIDATES, "symbols"]
    noise: Annotated[Real, MOST_PIECES]
    neighbours: Annotated[Real, MOST_PAIRS]
    """As in `edge_lpdpl.number.evidence.Potentials`."""
    endings: Annotated[Indices, MOST_PIECES + 1, MOST_JOINED + 1]
    """Nodes that end before each piece, noise last."""
    ending_counts: Annotated[Indices, MOST_PIECES + 1]
    held: Annotated[Indices, ROWS, "states"]
    """Texts of each node in each state."""
    active: Annotated[Indices, ROWS, "states"]
    """States that have any, in the order in which the first one arrived."""
    active_counts: Annotated[Indices, ROWS]
    sums: Annotated[Real, ROWS, "states"]
    """Sum of all paths over the best one."""
    worths: Annotated[Real, ROWS, "states", MOST_PATHS]
    """Logarithm of the best path of each text."""
    befores: Annotated[Indices, ROWS, "states", MOST_PATHS]
    """Place of the text before it in these arrays, seen as flat."""
    labels: Annotated[Short, ROWS, "states", MOST_PATHS]
    """Its last class, -1 after noise."""
    marks: Annotated[NDArray[np.uint64], ROWS, "states", MOST_PATHS]
    """Tells texts apart."""
    line_worths: Annotated[Real, ROWS, MOST_PIECES + 1]
    """Chart for one text: for each node and number of characters, the best path."""
    line_sums: Annotated[Real, ROWS, MOST_PIECES + 1]
    """Sum of all paths over the best one, 0 where there is none."""
    lengths: Annotated[Indices, MOST_PATHS, 2]
    """Numbers of characters and of pieces of noise of each path."""
    texts: Annotated[Indices, MOST_PATHS, MOST_PIECES]
    """Its classes."""
    chosen: Annotated[Indices, MOST_PATHS, MOST_PIECES]
    """Its candidates."""
    left_out: Annotated[Indices, MOST_PATHS, MOST_PIECES]
    shares: Annotated[Real, MOST_PATHS]


def rules_of(grammar: Grammar, characters: Sequence[str]) -> Rules:
    """A grammar for the kernels.

    >>> from edge_lpdpl.model.labels import ARABIC_INDIC
    >>> from edge_lpdpl.number.grammar import grammar_for
    >>> rules_of(grammar_for(ARABIC_INDIC), "٠١٢").steps[[0]].tolist()
    [[1, 1, 1]]
    """
    states = range(grammar.states)
    follow = [[grammar.step(state, character) for character in characters] for state in states]
    steps = [[-1 if after is None else after for after in row] for row in follow]
    return Rules(np.array(steps, np.int16), np.array([grammar.is_end(state) for state in states], np.uint8))


def shapes_of(model: LineModel) -> Shapes:
    """The shapes of a line model for the kernels."""
    upper = np.array([shape.precision for shape in model.shapes])
    square = upper[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    return Shapes(
        means=np.array([shape.mean for shape in model.shapes]),
        precisions=upper,
        log_precisions=np.linalg.slogdet(square)[1] / 2,
    )


def make_buffers(rules: Rules, classes: int) -> Buffers:
    """Buffers for one grammar (4 MB for 15 classes of Chinese, of which a line touches little).

    Args:
        classes: of the recogniser.
    """
    states, symbols = rules.steps.shape
    return make_arrays(Buffers, {"states": states, "classes": classes, "symbols": symbols})


def check(lattice: Lattice, count: int) -> None:
    """Check that the buffers hold a lattice, because the kernels do not.

    Raises:
        ValueError: they do not, or the candidates are not in order.
    """
    pieces, before = len(lattice.pieces), (-1, -1)
    if not 0 < pieces <= MOST_PIECES or not 0 < count <= MOST_PATHS:
        raise ValueError(f"{pieces} pieces or {count} texts")
    for one in lattice.candidates:
        span = one.first, one.last
        if not (before < span and 0 <= one.first < one.last <= min(one.first + MOST_JOINED, pieces)):
            raise ValueError(f"candidate {span} after {before}, of {pieces} pieces")
        before = span


RECORD = layout_of(Request, Rules, CharacterWeights, NeighbourWeights, NoiseWeights, Shapes, Buffers)
