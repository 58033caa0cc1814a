"""The evidence for each candidate and each pair of neighbours of a lattice, as `edge_lpdpl.number.weights` names it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.number.lattice import Lattice
from edge_lpdpl.number.lines import character_side
from edge_lpdpl.number.weights import CUT_OFF, MOST_NOVELTY, CharacterWeights, LineModel, NeighbourWeights, Shape
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
    candidates, size = lattice.candidates, lattice.size
    places = characters_in_line(lattice)
    scores = np.array([one.read.scores for one in candidates], np.float64)
    behind = scores - scores.min(axis=1, keepdims=True)
    novelty = np.array([one.read.novelty for one in candidates])
    found = np.zeros((len(candidates), len(shapes), len(CharacterWeights._fields)))
    classes = scores.shape[1]
    likely = log_likelihood(places, shapes)
    found[:, :classes, 0] = -behind
    found[:, :classes, 1] = -np.log(np.exp(-SHARPNESS * behind).sum(axis=1))[:, None]
    found[:, :classes, 2] = likely[:, :classes]
    read = np.array(
        [
            np.ones(len(candidates)),
            -np.minimum(novelty, MOST_NOVELTY),
            -np.sqrt(np.clip(novelty - 1, 0, MOST_NOVELTY**2)),
            [-min(one.distance, MOST_DISTANCE) for one in candidates],
        ]
    )
    found[:, :classes, 3:7] = read.T[:, None]
    divided = np.array(
        [
            [-one.gap / size for one in candidates],
            [-one.cuts for one in candidates],
            [-(one.crossed[0] > 0) - (one.crossed[1] > 0) for one in candidates],
            [-sum(one.crossed) / 255 / size for one in candidates],
        ]
    )
    found[:, :, 7:11] = divided.T[:, None]
    found[:, classes:, 11] = 1
    found[:, classes:, 12] = likely[:, classes:]
    found[:, :classes, 13] = np.array([-(one.reason != 0) for one in candidates])[:, None]
    sides = [max(piece.right - piece.left, piece.bottom - piece.top) / size for piece in lattice.pieces]
    noise = np.column_stack([np.ones(len(sides)), -np.array(sides)])
    ends: dict[int, list[int]] = {}
    for number, one in enumerate(candidates):
        ends.setdefault(one.last, []).append(number)
    pairs = [(before, after) for after, one in enumerate(candidates) for before in ends.get(one.first, ())]
    couples = np.array(pairs, np.intp).reshape(-1, 2)
    cut_off = np.array([piece.is_cut_off for piece in lattice.pieces])
    return Evidence(found, noise, cut_off, couples, _neighbours(lattice, couples, places))


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
    columns = (-free, -np.maximum(-gap, 0), -(free**2), -level)
    return np.column_stack(columns).reshape(-1, len(NeighbourWeights._fields))


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
