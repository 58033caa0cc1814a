"""The steps of a decision for a viewer are those that the recogniser took."""

import json
from base64 import b64decode

import numpy as np
import pytest

from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.live.view.explaining import Explainer
from edge_lpdpl.model.files import read_model
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.numeral.steps import copy_steps


@pytest.fixture(scope="module")
def model():
    return read_model(shipped_model("chinese15"))


@pytest.fixture
def stroke():
    picture = np.zeros((64, 64), np.uint8)
    picture[30:34, 10:50] = 200
    return picture


def test_every_step_is_that_of_the_recogniser(model, stroke):
    steps = json.loads(json.dumps(Explainer().explain(model, "auto", stroke), allow_nan=False))
    recogniser = Recogniser(model)
    read = recogniser.recognise(stroke, "light")
    own = copy_steps(recogniser)
    assert (steps["label"], steps["confidence"]) == ("一", round(read.confidence, 6))
    square = np.frombuffer(b64decode(steps["square"]["grey"]), np.uint8).reshape(own.square.shape)
    assert np.array_equal(square, np.rint(own.square * 255))
    assert [steps["picture"]["height"], steps["picture"]["width"]] == [64, 64]
    assert b64decode(steps["picture"]["grey"]) == stroke.tobytes()
    assert steps["ink"]["box"] == list(own.box)
    values = np.array(steps["histogram"]["values"]).reshape(own.histogram.shape)
    assert np.allclose(values, own.histogram * (255 / own.histogram.max()), atol=0.5)
    assert min(steps["scores"], key=lambda one: one["score"])["label"] == "一"
    assert len(steps["scores"]) == len(model.labels)


def test_a_picture_without_ink_has_no_steps(model):
    steps = Explainer().explain(model, "auto", np.zeros((20, 20), np.uint8))
    assert (steps["label"], steps["reason"]) == (None, "no_ink")
    assert "square" not in steps


def test_another_model_explains_after_it_was_changed(model, stroke):
    explainer, other = Explainer(), read_model(shipped_model("latin10"))
    explainer.explain(model, "auto", stroke)
    assert len(explainer.explain(other, "auto", stroke)["scores"]) == 10
