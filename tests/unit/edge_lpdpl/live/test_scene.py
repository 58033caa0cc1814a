"""A decision stands until the scene changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.live.scene import Sight, StandingDecision, View, changed_blocks, view_of
from edge_lpdpl.number.line_reader import Number
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.page.boxes import Box

PAPER = View(np.full((30, 40), 180, np.float32), 180)
INK = View(PAPER.blocks.copy(), 180)
INK.blocks[10:13, 10:13] = 90


def reading(*texts):
    """Numbers with these texts; one in brackets is rejected."""
    numbers = [
        Number(text.strip("()"), 1, 0.9, "unsure" if text.startswith("(") else None, Box(20 * place, 0, 9, 9), (place,))
        for place, text in enumerate(texts)
    ]
    return Reading(numbers, [])


@pytest.fixture
def standing():
    decision = StandingDecision(sensitivity=8)
    assert outcome(decision.settle(reading("五"), PAPER)) == (["五"], True)
    return decision


def outcome(decision):
    """The texts, those of rejected numbers in brackets, and whether they are new."""
    numbers, is_new = decision[0].numbers, decision[1]
    return [f"({number.text})" if number.rejected else number.text for number in numbers], is_new


MOVED, MOVING = Sight(has_moved=True), Sight(has_moved=True, is_moving=True)


def test_where_readings_of_one_scene_contradict_each_other_the_number_is_in_doubt(standing):
    assert outcome(standing.settle(reading("三"), PAPER)) == (["(三)"], True)
    for text in ("五", "三", "八"):
        assert outcome(standing.settle(reading(text), PAPER)) == (["(三)"], False)
    assert outcome(standing.settle(reading("五"), INK)) == (["五"], True)
    assert outcome(standing.settle(reading("五"), INK)) == (["五"], False)


def test_only_the_number_that_is_contradicted_is_in_doubt():
    standing = StandingDecision(sensitivity=8)
    standing.settle(reading("五", "三"), PAPER)
    assert outcome(standing.settle(reading("五", "八"), PAPER)) == (["五", "(八)"], True)


def test_flicker_between_a_sure_and_a_doubtful_reading_is_not_new(standing):
    for text in ("(五)", "(三)", "五"):
        assert outcome(standing.settle(reading(text), PAPER)) == (["五"], False)


@pytest.mark.parametrize("text", ["三", "(三)"])
def test_what_is_read_otherwise_after_a_movement_is_new(standing, text):
    assert outcome(standing.settle(reading(text), PAPER, MOVED)) == ([text], True)
    assert outcome(standing.settle(reading(text), PAPER)) == ([text], False)


def test_what_is_read_otherwise_after_one_block_has_changed_is_new(standing):
    point = View(PAPER.blocks.copy(), 180)
    point.blocks[12, 20] = 150
    assert outcome(standing.settle(reading("三"), point)) == (["三"], True)


def test_a_hand_that_passes_by_changes_nothing(standing):
    for text in ("五", "(五)"):
        assert outcome(standing.settle(reading(text), PAPER, MOVED)) == (["五"], False)


def test_while_something_moves_the_same_number_is_not_new(standing):
    assert outcome(standing.settle(reading("五"), INK, MOVING)) == (["五"], False)
    assert outcome(standing.settle(reading(), INK, MOVING)) == ([], True)


def test_who_asks_is_told_what_is_read_now(standing):
    assert outcome(standing.settle(reading("(三)"), PAPER, is_asked=True)) == (["(三)"], True)
    assert outcome(standing.settle(reading("五"), PAPER, is_asked=True)) == (["五"], True)
    assert outcome(standing.settle(reading("三"), PAPER, is_asked=True)) == (["(三)"], True)


def test_a_scene_that_changed_is_decided_anew_even_to_the_same(standing):
    assert outcome(standing.settle(reading("五"), INK)) == (["五"], True)
    assert outcome(standing.settle(reading("三"), PAPER)) == (["三"], True)


def test_a_rejected_decision_gives_way_to_a_better_one():
    standing = StandingDecision(sensitivity=8)
    standing.settle(reading("五", "(三)"), PAPER)
    assert outcome(standing.settle(reading("(五)", "(三)"), PAPER)) == (["五", "(三)"], False)
    assert outcome(standing.settle(reading("五", "八"), PAPER)) == (["五", "八"], True)


def test_what_is_forgotten_does_not_stand(standing):
    standing.forget()
    assert outcome(standing.settle(reading("三"), PAPER)) == (["三"], True)


def test_a_view_is_the_mean_of_every_block():
    grey = np.random.default_rng(0).integers(0, 256, (45, 70), np.uint8)
    view = view_of(grey)
    assert view.blocks.shape == (5, 8)
    for row in range(5):
        for column in range(8):
            assert view.blocks[row, column] == grey[8 * row : 8 * row + 8, 8 * column : 8 * column + 8].mean()
    assert view.light in view.blocks
    assert abs(view.light - np.median(view.blocks)) < 1
    assert view_of(np.full((16, 16), 255, np.uint8)).blocks.tolist() == [[255, 255], [255, 255]]


@given(st.integers(60, 250), st.floats(0.55, 1.0), st.integers(0, 20))
def test_paper_under_another_light_has_not_changed_and_ink_on_it_has(level, light, ink):
    paper = View(np.full((80, 80), level, np.float32), level)
    darker = View(paper.blocks * np.float32(light), level * light)
    assert changed_blocks(darker, paper, 8) == 0
    darker.blocks[:3, :ink] = 0
    assert changed_blocks(darker, paper, 8) == 3 * ink
