"""The message has exactly the keys of its specification, and the JSON schema says so."""

import json
import re

import jsonschema
import numpy as np
import pytest
from messages import message_schema
from project import PROJECT
from template_models import SCRIPTS, template_model

from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.publish.message import as_line, make_message, summary
from edge_lpdpl.number.line_reader import INK_UNREAD, NUMBER_REASONS, Number, Numeral
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import NO_INK, Recognition
from edge_lpdpl.page.boxes import UNREAD_REASONS, Box
from edge_lpdpl.page.rejection import REASONS

MODEL = template_model("latin10", SCRIPTS["latin10"])
FRAME = Frame(np.zeros((48, 64), np.uint8), 12, 0)
SCORES = np.array([5, 1, 9, 2, 0, 8, 7, 6, 5, 5], np.float32)


def message(*numbers):
    """Of numbers, each given as its text and the reason for its rejection."""
    made, numerals = [], []
    for text, reason in numbers:
        places = tuple(range(len(numerals), len(numerals) + len(text)))
        doubt = None if reason == INK_UNREAD else reason
        numerals += [numeral(character, doubt) for character in text]
        value = int(text) if text.isdecimal() else None
        made.append(Number(text, value, 0.9756789012, reason, Box(1, 2, 60, 40), places))
    reading = Reading(made, numerals, (), 800.04, 60)
    return make_message(reading, FRAME, "change", MODEL, age_ms=21.456, total_us=901.23)


def numeral(label, reason=None):
    value = int(label) if label.isdecimal() else 100
    read = Recognition(label, value, 0.9871234567, reason is not None, "1", SCORES, 30e-6, 0.25, reason)
    return Numeral(Box(1, 2, 30, 40), read)


def test_a_message_is_this_and_nothing_else():
    made = message(("04", None))
    keys = "time frame trigger file numbers numerals unread elapsed_us timing_us model fields"
    assert list(made) == keys.split()
    assert (made["file"], made["fields"]) == (None, None)
    assert made["frame"] == {"sequence": 12, "age_ms": 21.46}
    assert made["trigger"] == "change"
    assert len(made["numerals"]) == 2
    assert made["numerals"][1] == {
        "label": "4",
        "value": 4,
        "confidence": 0.987123,
        "novelty": 0.25,
        "rejected": False,
        "reason": None,
        "taught": False,
        "box": [1, 2, 30, 40],
        "alternatives": [{"label": "1", "value": 1}, {"label": "3", "value": 3}],
    }
    assert made["numbers"] == [
        {
            "text": "04",
            "value": 4,
            "confidence": 0.975679,
            "rejected": False,
            "reason": None,
            "box": [1, 2, 60, 40],
            "numerals": [0, 1],
        }
    ]
    assert (made["unread"], made["elapsed_us"]) == ([], 860.0)
    assert made["timing_us"] == {"locate": 800.0, "recognise": 60, "total": 901.2}
    assert made["model"] == {"name": "latin10", "digest": MODEL.digest}


@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [("4", None)],
        [("427", None), ("31", "unsure")],
        [("9" * 16, INK_UNREAD)],
        [("百四", "unsure")],  # no number, so it has no value
    ],
)
def test_the_schema_accepts_every_message(numbers):
    jsonschema.Draft202012Validator.check_schema(message_schema())
    jsonschema.validate(message(*numbers), message_schema())


def test_a_box_without_ink_has_no_label():
    read = Recognition(None, None, 0.0, True, None, np.zeros(0, np.float32), 0.0, reason="no_ink")
    reading = Reading([], [Numeral(Box(0, 0, 9, 9), read)])
    made = make_message(reading, FRAME, "change", MODEL, age_ms=0, total_us=0)
    jsonschema.validate(made, message_schema())
    assert made["numerals"][0]["alternatives"] == made["numbers"] == []
    assert "reason" not in made
    assert message()["reason"] == "no_ink"


OF_A_NUMBER = [*(reason for reason in REASONS if reason != NO_INK), *(NUMBER_REASONS.keys() - REASONS)]


def test_the_schema_lists_the_reasons_of_the_tables():
    definitions = message_schema()["$defs"]
    assert definitions["numeral"]["properties"]["reason"]["enum"] == [None, *REASONS]
    of_a_number = definitions["number"]["properties"]["reason"]["enum"]
    assert len(of_a_number) == len(OF_A_NUMBER) + 1
    assert set(of_a_number) == {None, *OF_A_NUMBER}
    unread = definitions["answer"]["properties"]["unread"]["items"]["properties"]
    assert unread["reason"]["enum"] == list(UNREAD_REASONS)


def test_the_document_lists_each_reason_where_it_occurs():
    text = (PROJECT / "docs/json.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\w, ]+) \| .+ \|$", text.partition("<!-- reasons: begin")[2], re.MULTILINE)
    listed = [(reason, place) for reason, places in rows for place in places.split(", ")]
    occurring = {"numeral": [*REASONS], "number": OF_A_NUMBER, "unread": [*UNREAD_REASONS], "answer": [NO_INK]}
    assert sorted(listed) == sorted((reason, place) for place, reasons in occurring.items() for reason in reasons)


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
        (["numbers", 0, "numerals"], []),
        (["numbers", 0, "numerals"], [0, 0]),
        (["numbers", 0, "text"], ""),
        (["numbers", 0, "value"], None),  # no number, and not rejected
        (["numbers", 0, "value"], -(10**16)),
        (["numbers", 0, "value"], 10**16),
        (["numbers", 0, "value"], "4"),
        (["numbers", 0, "confidence"], None),
        (["numbers", 0, "reason"], "unsure"),
        (["numbers", 0, "rejected"], True),
        (["numbers", 1, "reason"], "no_ink"),
        (["numbers", 1, "reason"], "no_numeral"),
        (["numbers", 0, "extra"], 1),
        (["numerals", 2, "reason"], "ink_unread"),
        (["unread"], [{"box": [1, 2, 3, 4], "reason": "unsure"}]),
        (["reason"], "no_ink"),
        (["timing_us", "total"], "900"),
        (["model", "digest"], "sha256:0"),
        (["extra"], 1),
    ],
)
def test_the_schema_refuses_what_is_not_one(path, value):
    made = message(("4", None), ("31", "unsure"))
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(made, message_schema())


def test_a_line_is_one_line_of_utf_8():
    made = message(("五\n", "unsure"))
    line = as_line(made)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert "五" in line.decode()
    assert json.loads(line) == made


def test_a_summary_marks_what_is_not_relied_on():
    assert summary(message(("427", None), ("7", "rim"))) == "427 ?"
    assert summary(message()) == "nothing"
