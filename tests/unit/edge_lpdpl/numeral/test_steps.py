"""What a decision left behind, copied out: the ink, its box, the square, the histogram and where its bins point."""

import dataclasses

import numpy as np
import pytest
from small_models import small_model
from stroke_pictures import stroke_picture

from edge_lpdpl.model.settings import EDGE, PAPER
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.numeral.steps import copy_steps


@pytest.fixture(scope="module", params=[EDGE, PAPER], ids=["edge", "paper"])
def recogniser(request) -> Recogniser:
    return Recogniser(small_model(request.param))


def test_steps_are_those_of_the_last_picture(recogniser):
    picture = stroke_picture(0, 40, 56)
    assert recogniser.recognise(picture).label is not None
    steps = copy_steps(recogniser)
    left, top, right, bottom = steps.box
    assert steps.ink.shape == (40, 56)
    rows, columns = np.flatnonzero(steps.ink.any(axis=1)), np.flatnonzero(steps.ink.any(axis=0))
    assert (top, bottom) == (rows[0], rows[-1] + 1)
    assert (left, right) == (columns[0], columns[-1] + 1)
    assert ((steps.ink == picture) | (steps.ink == 0)).all(), "light ink on black stays as it is"
    cells, bins = 32 // recogniser.model.hog.cell, recogniser.model.hog.bins
    assert steps.histogram.shape == (cells, cells, bins)
    np.testing.assert_array_equal(steps.histogram.ravel(), recogniser.engine.buffers.features)
    np.testing.assert_array_equal(steps.square, recogniser.engine.buffers.square)


def test_they_stay_when_the_next_picture_comes(recogniser):
    recogniser.recognise(stroke_picture(0))
    before = copy_steps(recogniser)
    kept = [np.copy(step) for step in before]
    recogniser.recognise(stroke_picture(1))
    for step, copy in zip(before, kept, strict=True):
        np.testing.assert_array_equal(step, copy)


@pytest.mark.parametrize(("soft", "first"), [(True, 0.0), (False, 0.5)])
def test_soft_bins_point_at_their_direction_and_hard_ones_half_a_bin_further(soft, first):
    model = small_model(EDGE)
    model = dataclasses.replace(model, hog=model.hog._replace(soft_bins=soft))
    recogniser = Recogniser(model)
    recogniser.recognise(stroke_picture(0))
    directions = copy_steps(recogniser).directions
    angles = np.radians((np.arange(8) + first) * 45)
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    np.testing.assert_allclose(unit, np.stack([np.cos(angles), np.sin(angles)], axis=1), atol=1e-6)
