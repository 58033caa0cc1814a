"""The bound of an early exit: it is never above a score, and it is tight."""

from itertools import pairwise

import numpy as np
import pytest
from early_exit import classified_inputs, forms_of, least_rest, least_scores, measure
from pictures import strokes

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.errors import DatasetError

RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser.load(shipped_model("latin10"))


def test_the_forms_without_the_constant_score_as_the_device_does(recogniser: Recogniser) -> None:
    picture = strokes(1, 64)[0]
    forms = forms_of(recogniser.model)
    scores = least_scores(forms, classified_inputs(recogniser, np.array([picture, picture])), recogniser.model.rank)
    np.testing.assert_allclose(scores[0], recogniser.recognise(picture).scores, atol=1e-4)


def test_no_score_lies_below_its_bound_and_more_factors_bound_it_closer(recogniser: Recogniser) -> None:
    forms, rank = forms_of(recogniser.model), recogniser.model.rank
    features = RANDOM.normal(0, 0.1, (50, recogniser.model.dimensions))
    bounds = [least_scores(forms, features, factors) for factors in range(0, rank + 1, 4)]
    for fewer, more in pairwise(bounds):
        assert np.all(fewer <= more + 1e-9)


def test_the_bound_is_reached() -> None:
    squares, linears, energy = np.array([-1.0, 0.5]), np.array([0.3, -0.2]), np.array([0.7])
    angles = np.linspace(0, 2 * np.pi, 10_001)
    inside = [share * np.sqrt(energy) * np.array([np.cos(angles), np.sin(angles)]) for share in np.linspace(0, 1, 51)]
    least = min(float(np.min(squares @ y**2 + linears @ y)) for y in inside)
    assert least - 0.01 <= least_rest(squares, linears, energy)[0] <= least


def test_pictures_without_writing_are_not_counted(recogniser: Recogniser) -> None:
    with pytest.raises(DatasetError, match="too few"):
        classified_inputs(recogniser, np.zeros((5, 32, 32), np.uint8))


def test_it_tells_what_a_label_and_what_a_decision_have_to_read() -> None:
    rows = measure("latin10", "synthetic:writers=3,samples=3,script=latin", 60)["rows"]
    for row in rows:
        assert 1 <= row["label_classes_left"] <= row["decision_classes_left"] <= 10
        assert row["factors"] / 36 < row["label_weights_read"] <= row["decision_weights_read"] <= 1
