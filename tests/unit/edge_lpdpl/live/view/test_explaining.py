"""The steps of a decision for a viewer are those that the recogniser took."""

import json
from base64 import b64decode

import numpy as np
import pytest

from edge_lpdpl.errors import HandError
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.library.teaching import Teacher
from edge_lpdpl.live.view.explaining import Explainer
from edge_lpdpl.live.view.viewing import CutOut
from edge_lpdpl.model.files import read_model
from edge_lpdpl.numeral.hand import Hand
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
    steps = json.loads(json.dumps(Explainer().explain(CutOut(stroke, model, Hand()), "auto"), allow_nan=False))
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
    steps = Explainer().explain(CutOut(np.zeros((20, 20), np.uint8), model, Hand()), "auto")
    assert (steps["label"], steps["reason"]) == (None, "no_ink")
    assert "square" not in steps


def test_another_model_explains_after_it_was_changed(model, stroke):
    explainer, other = Explainer(), read_model(shipped_model("latin10"))
    explainer.explain(CutOut(stroke, model, Hand()), "auto")
    steps = explainer.explain(CutOut(stroke, other, Hand()), "auto")
    assert (steps["model"], len(steps["scores"])) == ("latin10", 10)


def test_the_steps_are_those_with_the_hand_of_the_decision(model, stroke):
    explainer, alone = Explainer(), CutOut(stroke, model, Hand())
    taught = alone._replace(hand=Teacher(model).teach(Hand(), stroke, "七", polarity="light", sure=True))
    before, wearing, after = (explainer.explain(one, "auto") for one in (alone, taught, alone))
    scores = [{one["label"]: one["score"] for one in steps["scores"]} for steps in (before, wearing)]
    assert scores[0]["七"] - scores[1]["七"] == pytest.approx(0.4, abs=1e-3)  # the very sample
    assert after == before


def test_a_model_that_cannot_be_taught_explains_without_the_hand_of_another(model, stroke, monkeypatch):
    hand = Teacher(model).teach(Hand(), stroke, "七", polarity="light", sure=True)
    explainer = Explainer()
    before = explainer.explain(CutOut(stroke, model, Hand()), "auto")
    monkeypatch.setattr("edge_lpdpl.numeral.recogniser.check_teachable", _refuse)
    assert explainer.explain(CutOut(stroke, model, hand), "auto") == before


def _refuse(model):
    raise HandError("cannot be taught")
