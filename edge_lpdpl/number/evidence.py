"""The evidence for each candidate and each pair of neighbours of a lattice, as `edge_lpdpl.number.weights` names it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.number.lattice import Lattice
from edge_lpdpl.number.lines import character_side
from edge_lpdpl.number.weights import (
    CUT_OFF,
    MOST_NOVELTY,
    CharacterWeights,
    LineModel,
    NeighbourWeights,
    NoiseWeights,
    Shape,
)
from edge_lpdpl.page import parts_table as part

Real = NDArray[np.float64]

MOST_DISTANCE, LEAST_SHAPE = 3.0, -25.0
SHARPNESS = 4.0
"""How near in score two classes are about as good."""
MOST_LEVEL = 4.0
SLIGHT = 1e-9
"""Weight of a candidate of several pieces when the line is fitted; it matters only if no single piece has ink."""


class Evidence(NamedTuple):
    """Measures of a lattice."""

    characters: Real
    """(candidates, classes and marks, CharacterWeights)"""
    noise: Real
    """(pieces, NoiseWeights)"""
    cut_off: NDArray[np.bool_]
    """(pieces,): whether a seam has cut it off."""
    pairs: NDArray[np.intp]
    """(pairs, 2): two candidates, the second of which begins with the piece after the first; in the order of the
    second, then of the first."""
    neighbours: Real
    """(pairs, NeighbourWeights)"""


def measure(lattice: Lattice, shapes: tuple[Shape, ...]) -> Evidence:
    """The evidence of a lattice that has candidates."""
    size, places = lattice.size, characters_in_line(lattice)
    sides = [max(piece.right - piece.left, piece.bottom - piece.top) / size for piece in lattice.pieces]
    noise = _in_order(NoiseWeights, piece=np.ones(len(sides)), size=-np.array(sides))
    ends: dict[int, list[int]] = {}
    for number, one in enumerate(lattice.candidates):
        ends.setdefault(one.last, []).append(number)
    pairs = [(before, after) for after, one in enumerate(lattice.candidates) for before in ends.get(one.first, ())]
    couples = np.array(pairs, np.intp).reshape(-1, 2)
    cut_off = np.array([piece.is_cut_off for piece in lattice.pieces])
    neighbours = _neighbours(lattice, couples, places)
    return Evidence(_characters(lattice, places, shapes), noise, cut_off, couples, neighbours)


def _in_order(weights: type[NoiseWeights | NeighbourWeights | CharacterWeights], **evidence: Real) -> Real:
    """Evidence by the names of its weights, in one array whose last axis has their order."""
    return np.stack([evidence[name] for name in weights._fields], axis=-1)


def _characters(lattice: Lattice, places: Real, shapes: tuple[Shape, ...]) -> Real:
    """(candidates, classes and marks, CharacterWeights)."""
    candidates, size = lattice.candidates, lattice.size
    scores = np.array([one.read.scores for one in candidates], np.float64)
    behind = scores - scores.min(axis=1, keepdims=True)
    novelty = np.array([one.read.novelty for one in candidates])
    likely = log_likelihood(places, shapes)
    is_class = np.arange(likely.shape[1]) < scores.shape[1]

    def of_classes(values: Sequence[float] | Real) -> Real:
        """What is the same for all classes of a candidate; marks have none."""
        same: Real = np.array(values)[:, None] * is_class
        return same

    def of_all(values: Sequence[float]) -> Real:
        return np.repeat(np.array(values)[:, None], len(is_class), axis=1)

    return _in_order(
        CharacterWeights,
        score=np.pad(-behind, ((0, 0), (0, likely.shape[1] - scores.shape[1]))),
        clarity=of_classes(-np.log(np.exp(-SHARPNESS * behind).sum(axis=1))),
        shape=likely * is_class,
        character=of_classes(np.ones(len(candidates))),
        likeness=of_classes(-np.minimum(novelty, MOST_NOVELTY)),
        known=of_classes(-np.sqrt(np.clip(novelty - 1, 0, MOST_NOVELTY**2))),
        nearness=of_classes([-min(one.distance, MOST_DISTANCE) for one in candidates]),
        gap=of_all([-one.gap / size for one in candidates]),
        cuts_inside=of_all([-one.cuts for one in candidates]),
        cut=of_all([-(one.crossed[0] > 0) - (one.crossed[1] > 0) for one in candidates]),
        crossed=of_all([-sum(one.crossed) / 255 / size for one in candidates]),
        mark=np.repeat(~is_class[None], len(candidates), axis=0).astype(np.float64),
        mark_shape=likely * ~is_class,
        stray=of_classes([-(one.reason != 0) for one in candidates]),
    )


def characters_in_line(lattice: Lattice) -> Real:
    """(candidates, 3): logarithms of width and height, and the height of the middle off the line, in characters."""
    boxes = np.array([one.row[: part.AREA] for one in lattice.candidates], np.float64)
    size = lattice.size
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    single = np.array([one.last == one.first + 1 for one in lattice.candidates])
    weights = np.where(single, [float(character_side(one.row)) for one in lattice.candidates], 0.0)
    weights += SLIGHT
    centre, middle = (x * weights).sum() / weights.sum(), (y * weights).sum() / weights.sum()
    # The slope of a short line is mostly chance: it is pulled towards 0.
    spread = (weights * (x - centre) ** 2).sum() + weights.sum() * size**2
    slope = (weights * (x - centre) * (y - middle)).sum() / spread
    widths, heights = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    logs = np.log((widths + 1) / size), np.log((heights + 1) / size)
    return np.column_stack([*logs, (y - middle - slope * (x - centre)) / size])


def log_likelihood(places: Real, shapes: tuple[Shape, ...]) -> Real:
    """(candidates, classes): of normal distributions, less what is the same for all."""
    means = np.array([shape.mean for shape in shapes])
    precisions = np.array([shape.precision for shape in shapes])[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    off = places[:, None] - means
    square = np.einsum("nci,cij,ncj->nc", off, precisions, off)
    logs = (np.linalg.slogdet(precisions)[1] - square) / 2
    likely: Real = np.maximum(logs, LEAST_SHAPE)
    return likely


def _neighbours(lattice: Lattice, pairs: NDArray[np.intp], places: Real) -> Real:
    boxes = np.array([one.row[: part.AREA] for one in lattice.candidates], np.float64)
    before, after = pairs[:, 0], pairs[:, 1]
    gap = (boxes[after, 0] - boxes[before, 2]) / lattice.size
    sides = np.maximum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]) / lattice.size
    level = np.minimum((places[after, 2] - places[before, 2]) ** 2, MOST_LEVEL)
    level *= np.minimum(np.minimum(sides[before], sides[after]), 1)
    free = np.maximum(gap, 0)
    return _in_order(NeighbourWeights, apart=-free, overlap=-np.maximum(-gap, 0), far=-(free**2), level=-level)


class Potentials(NamedTuple):
    """The evidence times its weights."""

    characters: Real
    """(candidates, classes and marks)"""
    noise: Real
    """(pieces,)"""
    neighbours: Real
    """(pairs,)"""


def weigh(evidence: Evidence, model: LineModel) -> Potentials:
    """Weigh the evidence."""
    return Potentials(
        evidence.characters @ np.array(model.character),
        evidence.noise @ np.array(model.noise) + CUT_OFF * evidence.cut_off,
        evidence.neighbours @ np.array(model.neighbour),
    )
