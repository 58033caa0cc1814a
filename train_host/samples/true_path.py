"""Which path through a lattice is the right one: the candidates that lie where the characters were drawn."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.number.lattice import Lattice, LatticeBuilder
from edge_lpdpl.number.lines import find_lines
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.settings import reduction

LEAST_OVERLAP = 0.7
"""Shared width of a candidate and a character over the width of both, at least."""
EDGE = 1.5
"""Pixels by which either side of a candidate may be off: a point has hardly more."""

Span = tuple[float, float]
Place = tuple[int, int]
"""How many pieces and how many characters a path has passed."""


class Step(NamedTuple):
    """The last step of the best path to a place."""

    worth: float
    """Of the path: the shared widths of its candidates and their characters."""
    before: Place | None = None
    """The place that it comes from, None at the beginning."""
    candidate: int = -1
    """What it takes, -1 for a piece of no character."""


class TruePath(NamedTuple):
    """The right path."""

    candidates: list[int]
    """One a character."""
    noise: list[int]
    """Pieces of no character; none of them is cut off."""


def true_line(
    locator: Locator, builder: LatticeBuilder, picture: NDArray[np.uint8], boxes: Sequence[Box]
) -> tuple[Lattice, TruePath] | None:
    """The lattice of a picture's only number with its right path; None where no path is right.

    Args:
        boxes: of its characters, from left to right, in pixels of the picture.
    """
    table, factor = locator.find(picture), reduction(max(picture.shape))
    spans: list[Span] = [(box.x / factor, box.right / factor) for box in boxes]
    top, bottom = min(box.y for box in boxes) / factor, max(box.bottom for box in boxes) / factor
    found: tuple[Lattice, TruePath] | None = None
    for line in find_lines(table, locator.entries(), turned=builder.turned):
        rows = [table[place] for place in line]
        if min(row[part.TOP] for row in rows) <= bottom and max(row[part.BOTTOM] for row in rows) >= top:
            lattice = builder.build(table, line)
            path = true_path(lattice, spans) if lattice and lattice.candidates else None
            found = (lattice, path) if lattice and path else found
    return found


def true_path(lattice: Lattice, spans: Sequence[Span]) -> TruePath | None:
    """The path whose candidates overlap the characters most; None where no path has one for each.

    Args:
        spans: left and right of each character, in pixels of the reduced frame.
    """
    best: dict[Place, Step] = {(0, 0): Step(0.0)}
    for place in product(range(len(lattice.pieces)), range(len(spans) + 1)):
        if place not in best:
            continue
        for after, gain, candidate in _ways_on(lattice, spans, *place):
            worth = best[place].worth + gain
            if after not in best or best[after].worth < worth:
                best[after] = Step(worth, place, candidate)
    at: Place | None = (len(lattice.pieces), len(spans))
    if at not in best:
        return None
    candidates, noise = [], []
    while at is not None:
        step = best[at]
        if step.candidate >= 0:
            candidates.append(step.candidate)
        elif step.before is not None:
            noise.append(step.before[0])
        at = step.before
    return TruePath(candidates[::-1], noise[::-1])


def _ways_on(lattice: Lattice, spans: Sequence[Span], piece: int, done: int) -> Iterator[tuple[Place, float, int]]:
    """Where a path may go from a place, what it gains by that, and the candidate it takes, -1 for none."""
    if not lattice.pieces[piece].is_cut_off:
        yield (piece + 1, done), 0.0, -1
    if done == len(spans):
        return
    for number, one in enumerate(lattice.candidates):
        span = one.row[part.LEFT], one.row[part.RIGHT]
        shared = overlap(span, spans[done])
        off = max(abs(found - drawn) for found, drawn in zip(span, spans[done], strict=True))
        if one.first == piece and (shared >= LEAST_OVERLAP or off <= EDGE):
            yield (one.last, done + 1), shared, number


def overlap(one: Span, other: Span) -> float:
    """Shared width over the width of both.

    >>> overlap((0, 10), (5, 15))
    0.3333333333333333
    """
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return max(shared, 0.0) / (max(one[1], other[1]) - min(one[0], other[0]))
