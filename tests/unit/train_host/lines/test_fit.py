"""The weights of lines make the right paths probable: sums over all paths are those of paths counted one by one."""

from itertools import pairwise

import numpy as np
import pytest

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.evidence import measure
from edge_lpdpl.number.grammar import marks_for
from edge_lpdpl.number.weights import CUT_OFF
from train_host.datasets.bundled import synthesise_dataset
from train_host.lines import fit
from train_host.lines.make import line_of
from train_host.lines.pictures import Labelled
from train_host.scenes.compose import make_scene
from train_host.scenes.inks import Inks
from train_host.scenes.options import SceneOptions


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser.load(shipped_model("latin10"))


@pytest.fixture(scope="module")
def lines(recogniser):
    inks = Inks(synthesise_dataset("writers=6,samples=1,script=latin"))
    options = SceneOptions(kind="numbers", fewest=2, most=3, seed=3)
    scenes = [make_scene(inks, options, number) for number in range(8)]
    pictures = [Labelled("", one.picture, one.text, [character.box for character in one.numerals]) for one in scenes]
    found = [line_of(recogniser, one, 0.55, 1.35) for one in pictures]
    return [line for line in found if line and len(line.lattice.pieces) <= 12]


@pytest.fixture(scope="module")
def shapes(recogniser, lines):
    labels = recogniser.model.labels
    return fit.fit_shapes(lines, len(labels) + len(marks_for(labels)))


def paths_from(place, nodes, pieces):
    """All rows of nodes (first, last, candidate) that cover the pieces from this one on."""
    if place == pieces:
        yield ()
    for node in nodes:
        if node[0] == place:
            for rest in paths_from(node[1], nodes, pieces):
                yield (node, *rest)


def slow_loss(line, evidence, weights):
    """Minus the log-likelihood of the right path, from all paths written out."""
    own, between, noise = np.split(
        weights, np.cumsum([len(fit.CharacterWeights._fields), len(fit.NeighbourWeights._fields)])
    )
    pairs = dict(zip(map(tuple, evidence.pairs.tolist()), evidence.neighbours @ between, strict=True))
    read, left_out = evidence.characters @ own, evidence.noise @ noise + CUT_OFF * evidence.cut_off
    candidates, pieces = line.lattice.candidates, len(line.lattice.pieces)
    nodes = [(one.first, one.last, place) for place, one in enumerate(candidates)]
    nodes += [(place, place + 1, None) for place in range(pieces)]

    def worth(path, of_candidate):
        single = sum(left_out[first] if one is None else of_candidate(one) for first, _, one in path)
        return single + sum(pairs.get((before[2], after[2]), 0.0) for before, after in pairwise(path))

    classes = dict(zip(line.path.candidates, line.classes, strict=True))
    right = [(candidates[one].first, candidates[one].last, one) for one in line.path.candidates]
    right = sorted([*right, *((place, place + 1, None) for place in line.path.noise)])
    total = [worth(path, lambda one: np.logaddexp.reduce(read[one])) for path in paths_from(0, nodes, pieces)]
    return np.logaddexp.reduce(total) - worth(right, lambda one: read[one, classes[one]])


@pytest.fixture(params=range(3))
def weights(request):
    found = np.random.default_rng(request.param).normal(size=fit._ALL)
    found[:2] = 20, 5
    return found


def test_the_loss_is_that_of_all_paths_written_out(lines, shapes, weights):
    wanted = [slow_loss(line, measure(line.lattice, shapes), weights) for line in lines]
    assert fit._Graph(lines, shapes).loss(weights)[0] == pytest.approx(np.mean(wanted), rel=1e-9)


def test_its_gradient_is_how_it_changes(lines, shapes, weights):
    graph = fit._Graph(lines, shapes)
    steps = 1e-6 * np.eye(len(weights))
    changes = [(graph.loss(weights + step)[0] - graph.loss(weights - step)[0]) / 2e-6 for step in steps]
    assert graph.loss(weights)[1] == pytest.approx(np.array(changes), abs=1e-5)
