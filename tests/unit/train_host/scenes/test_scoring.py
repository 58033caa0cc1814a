"""Scoring counts right, wrong and false decisions."""

import numpy as np

from edge_lpdpl.number.line_reader import Number, Numeral
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import Box
from train_host.scenes.folder import KnownScene
from train_host.scenes.scoring import as_decided, compare, longest_rise, overlap


def recognition(value: int, rejected: bool = False) -> Recognition:
    return Recognition(str(value), value, 0.99, rejected, "0", np.zeros(10, np.float32), 1e-5)


def test_scoring_tells_right_wrong_and_false():
    boxes = [Box(10, 10, 40, 40), Box(100, 10, 40, 40), Box(200, 10, 40, 40)]
    scene = KnownScene("a.png", np.zeros((240, 320), np.uint8), boxes, [1, 2, 3], "numerals")
    outcome = compare(
        scene,
        [
            Numeral(boxes[1], recognition(2)),
            Numeral(Box(12, 8, 40, 44), recognition(1)),
            Numeral(boxes[2], recognition(8)),
            Numeral(Box(100, 150, 40, 40), recognition(4)),
            Numeral(Box(200, 150, 40, 40), recognition(4, rejected=True)),
        ],
    )
    assert outcome.right == [1, 0]
    assert longest_rise(outcome.right) == 1
    assert (outcome.verdicts.count("wrong"), outcome.verdicts.count("false"), outcome.is_whole) == (1, 1, False)


def test_boxes_that_are_far_apart_do_not_overlap():
    assert overlap(Box(0, 0, 20, 20), Box(200, 0, 20, 20)) == 0
    assert overlap(Box(0, 0, 20, 20), Box(2, 0, 20, 20)) > 0.5


def test_a_numeral_is_accepted_where_its_number_is():
    """A digit of a doubtful number is no decision; an unusual one of an accepted number is."""
    box = Box(10, 10, 40, 40)
    numerals = [Numeral(box, recognition(1)), Numeral(box, recognition(2, rejected=True)), Numeral(box, recognition(3))]
    numbers = [Number("12", 12, 0.99, None, box, (0, 1)), Number("3", 3, 0.5, "unsure", box, (2,))]
    assert [one.recognition.rejected for one in as_decided(Reading(numbers, numerals))] == [False, False, True]
