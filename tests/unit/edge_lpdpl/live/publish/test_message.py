"""The message has exactly the keys of its specification, and the JSON schema says so."""

import json

import jsonschema
import numpy as np
import pytest
from messages import message_schema
from template_models import SCRIPTS, template_model

from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.publish.message import as_line, make_message, summary
from edge_lpdpl.number.reader import NUMBER_REASONS, Numeral, Page
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import UNREAD_REASONS, Box
from edge_lpdpl.page.rejection import REASONS

MODEL = template_model("latin10", SCRIPTS["latin10"])
FRAME = Frame(np.zeros((48, 64), np.uint8), 12, 0)
SCORES = np.array([5, 1, 9, 2, 0, 8, 7, 6, 5, 5], np.float32)


def message(*numerals):
    return make_message(Page(list(numerals), 800.04, 60), FRAME, "change", MODEL, age_ms=21.456, total_us=901.23)


def numeral(label="4", value=4, reason=None, scores=SCORES):
    read = Recognition(label, value, 0.9871234567, reason is not None, "1", scores, 30e-6, 0.25, reason)
    return Numeral(Box(1, 2, 30, 40), read)


def test_a_message_is_this_and_nothing_else():
    made = message(numeral())
    keys = "time frame trigger file numbers numerals unread elapsed_us timing_us model fields"
    assert list(made) == keys.split()
    assert (made["file"], made["fields"]) == (None, None)
    assert made["frame"] == {"sequence": 12, "age_ms": 21.46}
    assert made["trigger"] == "change"
    assert made["numerals"] == [
        {
            "label": "4",
            "value": 4,
            "confidence": 0.987123,
            "novelty": 0.25,
            "rejected": False,
            "reason": None,
            "box": [1, 2, 30, 40],
            "alternatives": [{"label": "1", "value": 1}, {"label": "3", "value": 3}],
        }
    ]
    assert made["numbers"] == [
        {
            "text": "4",
            "value": 4,
            "confidence": 0.987123,
            "rejected": False,
            "reason": None,
            "box": [1, 2, 30, 40],
            "numerals": [0],
        }
    ]
    assert (made["unread"], made["elapsed_us"]) == ([], 860.0)
    assert made["timing_us"] == {"locate": 800.0, "recognise": 60, "total": 901.2}
    assert made["model"] == {"name": "latin10", "digest": MODEL.digest}


@pytest.mark.parametrize("numerals", [[], [numeral()], [numeral(), numeral("七", 7, "unsure")]])
def test_the_schema_accepts_every_message(numerals):
    jsonschema.Draft202012Validator.check_schema(message_schema())
    jsonschema.validate(message(*numerals), message_schema())


def test_a_box_without_ink_has_no_label():
    read = Recognition(None, None, 0.0, True, None, np.zeros(0, np.float32), 0.0, reason="no_ink")
    made = message(Numeral(Box(0, 0, 9, 9), read))
    jsonschema.validate(made, message_schema())
    assert made["numerals"][0]["alternatives"] == made["numbers"] == []
    assert "reason" not in made
    assert message()["reason"] == "no_ink"


def test_the_schema_lists_the_reasons_of_the_table():
    definitions = message_schema()["$defs"]
    assert definitions["reason"]["enum"] == [None, *dict.fromkeys((*REASONS, *NUMBER_REASONS))]
    unread = definitions["answer"]["properties"]["unread"]["items"]["properties"]
    assert unread["reason"]["enum"] == list(UNREAD_REASONS)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["time"], "now"),
        (["time"], "2026-11-20T22:49:40.123+00:00"),
        (["trigger"], "magic"),
        (["frame", "sequence"], -1),
        (["numerals", 0, "box"], [1, 2, 3]),
        (["numerals", 0, "confidence"], 1.5),
        (["numerals", 0, "extra"], 1),
        (["numerals", 0, "reason"], "unsure"),
        (["numerals", 0, "rejected"], True),
        (["numerals", 0, "reason"], "odd"),
        (["numbers", 0, "numerals"], [-1]),
        (["unread"], [{"box": [1, 2, 3, 4], "reason": "unsure"}]),
        (["reason"], "no_ink"),
        (["timing_us", "total"], "900"),
        (["model", "digest"], "sha256:0"),
        (["extra"], 1),
    ],
)
def test_the_schema_refuses_what_is_not_one(path, value):
    made = message(numeral())
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(made, message_schema())


def test_a_line_is_one_line_of_utf_8():
    line = as_line(message(numeral("五\n", 5)))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert "五" in line.decode()
    assert json.loads(line) == message(numeral("五\n", 5)) | {"time": json.loads(line)["time"]}


def test_a_summary_marks_what_is_not_relied_on():
    assert summary(message(numeral(), numeral("7", 7, "rim"))) == "4 ?"
    assert summary(message()) == "nothing"
