"""Which models a hand works with."""

import dataclasses

import numpy as np
import pytest
from small_models import small_model

from edge_lpdpl.errors import HandError
from edge_lpdpl.model.model import Model
from edge_lpdpl.model.settings import PAPER, Preprocessing, Profile
from edge_lpdpl.numeral.taught import check_teachable

UNTEACHABLE = pytest.raises(HandError, match="only models of the profile edge can be taught")


def without_subspace(model: Model) -> Model:
    vectors = np.zeros((model.feature_count, model.rank, model.class_count), np.float32)
    nothing = {"projection": None, "projection_offset": None, "constant": 0.0, "novelty": None}
    return dataclasses.replace(model, dimensions=model.feature_count, vectors=vectors, **nothing)


def test_a_model_with_a_subspace_and_the_squares_of_samples_can_be_taught():
    check_teachable(small_model())


def test_one_without_a_subspace_cannot():
    with UNTEACHABLE:
        check_teachable(without_subspace(small_model()))


def test_one_with_other_squares_cannot():
    with UNTEACHABLE:
        check_teachable(small_model(Profile("small", Preprocessing(side=28), PAPER.hog)))
