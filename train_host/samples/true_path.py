"""Which path through a lattice is the right one: the candidates that lie where the characters were drawn."""

from collections.abc import Sequence
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
    starting: dict[int, list[int]] = {}
    for number, one in enumerate(lattice.candidates):
        starting.setdefault(one.first, []).append(number)
    best: dict[tuple[int, int], tuple[float, tuple[int, int] | None, int]] = {(0, 0): (0.0, None, -1)}
    for piece in range(len(lattice.pieces)):
        for done in range(len(spans) + 1):
            if (piece, done) not in best:
                continue
            worth = best[piece, done][0]
            ways = [] if lattice.pieces[piece].is_cut_off else [((piece + 1, done), 0.0, -1)]
            if done < len(spans):
                for number in starting.get(piece, ()):
                    one = lattice.candidates[number]
                    span = one.row[part.LEFT], one.row[part.RIGHT]
                    shared = overlap(span, spans[done])
                    off = max(abs(found - drawn) for found, drawn in zip(span, spans[done], strict=True))
                    if shared >= LEAST_OVERLAP or off <= EDGE:
                        ways.append(((one.last, done + 1), shared, number))
            for place, gain, number in ways:
                if place not in best or best[place][0] < worth + gain:
                    best[place] = worth + gain, (piece, done), number
    at: tuple[int, int] | None = (len(lattice.pieces), len(spans))
    if at not in best:
        return None
    candidates, noise = [], []
    while at is not None:
        _, before, number = best[at]
        if before is not None and number >= 0:
            candidates.append(number)
        elif before is not None:
            noise.append(before[0])
        at = before
    return TruePath(candidates[::-1], noise[::-1])


def overlap(one: Span, other: Span) -> float:
    """Shared width over the width of both.

    >>> overlap((0, 10), (5, 15))
    0.3333333333333333
    """
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return max(shared, 0.0) / (max(one[1], other[1]) - min(one[0], other[0]))
