"""The answer for programs: every page gives one that the schema describes, and every rejection has its reason."""

import json

import jsonschema
import numpy as np
import pytest
from messages import message_schema
from small_models import small_model
from stroke_pictures import stroke_picture
from template_models import SCRIPTS, template_model

from edge_lpdpl.live.publish.answer import make_answer
from edge_lpdpl.number.grammar import grammar_for
from edge_lpdpl.number.line_reader import NUMBER_REASONS, Number, Numeral
from edge_lpdpl.number.pictures.reader import PictureReader
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import Recogniser, Recognition
from edge_lpdpl.page.boxes import Box, Unread, covered
from edge_lpdpl.page.boxes import around as boxes_around
from edge_lpdpl.page.rejection import REASONS, checked
from edge_lpdpl.page.strokes import Strokes


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    """Of one object that `edge-lpdpl recognise --json` prints."""
    whole = message_schema()
    return jsonschema.Draft202012Validator({"$ref": "#/$defs/picture", "$defs": whole["$defs"]})


@pytest.fixture(scope="module", params=["arabic10", "chinese15", "random"])
def recogniser(request) -> Recogniser:
    if request.param == "random":
        return Recogniser(small_model())
    return Recogniser(template_model(request.param, SCRIPTS[request.param]))


def random_page(random: np.random.Generator) -> np.ndarray:
    """Paper of any size with blots, lines, and strokes like those of numerals."""
    height, width = random.integers(170, 400, 2)
    page = np.full((height, width), 210, np.uint8)
    for seed in random.integers(0, 1000, random.integers(0, 5)):
        ink = stroke_picture(int(seed), *(int(side) for side in random.integers(20, 90, 2)))
        top, left = random.integers(0, height - ink.shape[0]), random.integers(0, width - ink.shape[1])
        page[top : top + ink.shape[0], left : left + ink.shape[1]] -= np.minimum(ink, 170)
    for _ in range(random.integers(0, 3)):
        top, left, down, across = random.integers(0, 170, 4)
        page[top : top + down // 20, left : left + across] = random.integers(0, 200)
    return page


@pytest.mark.parametrize("seed", range(20))
def test_answers_of_random_pages_are_as_the_schema_says(recogniser, schema, seed):
    random = np.random.default_rng(seed)
    reader = PictureReader(recogniser, single=bool(seed % 5 == 0))
    reading = reader.read(random_page(random))
    for numeral in reading.numerals:
        read = numeral.recognition
        assert (read.reason in REASONS) == read.rejected
        assert (read.reason is None) != read.rejected
    for number in reading.numbers:
        assert (number.reason in {*REASONS, *NUMBER_REASONS}) == number.rejected
        assert (number.reason is None) != number.rejected
    answer = make_answer(reading, recogniser.model.labels, "page.png")
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    schema.validate(answer)
    check_numbers(answer, None if reader.single else grammar_for(recogniser.model.labels))


def check_numbers(answer, grammar):
    """Every numeral belongs to one number, in order; a number is what its numerals say and lies around them. Its points
    and signs are no numerals."""
    assert [place for number in answer["numbers"] for place in number["numerals"]] == list(
        range(len(answer["numerals"]))
    )
    for number in answer["numbers"]:
        numerals = [answer["numerals"][place] for place in number["numerals"]]
        marks = grammar.marks if grammar else ""
        read = "".join(character for character in number["text"] if character not in marks)
        assert read == "".join(numeral["label"] for numeral in numerals)
        assert number["value"] == (grammar.value(number["text"]) if grammar else numerals[0]["value"])
        box, around = Box(*number["box"]), boxes_around([Box(*numeral["box"]) for numeral in numerals])
        assert covered(around, [box]) == around.width * around.height
        assert box == around or read != number["text"]


@pytest.mark.parametrize("seed", range(200))
def test_whatever_is_measured_what_is_rejected_has_a_reason(seed):
    random = np.random.default_rng(seed)
    for label in random.choice(list("一四٠7"), 4).tolist():
        novelty = float(random.choice([0, random.uniform(0, 1), random.uniform(1, 3), np.nan, np.inf]))
        reason = "unlike_any_numeral" if not novelty <= 1 else random.choice([None, "unsure"])
        read = Recognition(label, 1, 0.9, reason is not None, "3", np.zeros(10, np.float32), 1e-5, novelty, reason)
        read = checked(read, Strokes(*random.uniform(0.01, [2, 6, 9, 90, 1, 1, 1, 2, 0.3])))
        assert (read.reason in REASONS, read.reason is None) == (read.rejected, not read.rejected)


def test_what_is_unread_is_listed_and_there_is_ink(schema):
    answer = make_answer(Reading([], [], [Unread(Box(1, 2, 3, 4), "print")]), (), "page.png")
    schema.validate(answer)
    assert answer["unread"] == [{"box": [1, 2, 3, 4], "reason": "print"}]
    assert "reason" not in answer


@pytest.mark.parametrize(("label", "others"), [("4", ["1", "3"]), ("1", ["4", "3"])])
def test_alternatives_are_the_likeliest_characters_but_the_one_that_was_read(label, others):
    """In a number, a numeral may be read as another character than the likeliest one."""
    scores = np.array([5, 1, 9, 2, 0, 8, 7, 6, 5, 5], np.float32)
    read = Recognition(label, int(label), 0.9, False, "4", scores, 1e-5)
    answer = make_answer(Reading([], [Numeral(Box(0, 0, 9, 9), read)]), SCRIPTS["latin10"])
    assert [one["label"] for one in answer["numerals"][0]["alternatives"]] == others


def test_a_novelty_that_is_no_number_is_null(schema):
    read = Recognition("1", 1, 0.0, True, "2", np.float32([np.nan, 1]), 1e-5, float("nan"), "not_a_score")
    number = Number("1", 1, 0.0, read.reason, Box(0, 0, 9, 9), (0,))
    answer = make_answer(Reading([number], [Numeral(Box(0, 0, 9, 9), read)]), SCRIPTS["latin10"], "page.png")
    schema.validate(answer)
    assert answer["numerals"][0]["novelty"] is None
