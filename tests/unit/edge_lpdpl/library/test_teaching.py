"""What is taught at once, what is asked about, and what cannot be taught."""

import numpy as np
import pytest
from taught_hands import chinese, drawn

from edge_lpdpl.errors import DoubtError, HandError
from edge_lpdpl.library.teaching import Teacher
from edge_lpdpl.numeral.hand import Hand, Sample
from edge_lpdpl.numeral.recogniser import Recogniser


@pytest.fixture(scope="module")
def teacher():
    return Teacher(chinese())


def test_a_picture_becomes_a_sample(teacher):
    hand = teacher.teach(Hand(), drawn("七"), "七")
    recogniser = Recogniser(chinese())
    recogniser.recognise(drawn("七"))
    assert hand == Hand((Sample("七", recogniser.square()),))


def test_the_same_again_changes_nothing(teacher):
    hand = teacher.teach(Hand(), drawn("七"), "七")
    assert teacher.teach(hand, drawn("七"), "七") is hand


def test_what_contradicts_the_hand_is_asked_about(teacher):
    hand = teacher.teach(Hand(), drawn("七"), "七")
    with pytest.raises(DoubtError, match="a picture like this one was taught as 七") as caught:
        teacher.teach(hand, drawn("七"), "亿")
    assert (caught.value.alike, caught.value.turned) == (["七"], [])


def test_the_same_picture_with_another_label_is_a_correction(teacher):
    hand = teacher.teach(teacher.teach(Hand(), drawn("七"), "七"), drawn("三"), "三")
    corrected = teacher.teach(hand, drawn("七"), "亿", sure=True)
    assert [sample.label for sample in corrected.samples] == ["三", "亿"]
    fresh = teacher.teach(corrected, drawn("三", 7), "七", sure=True)
    assert [sample.label for sample in fresh.samples] == ["三", "亿", "七"]


def test_another_picture_with_another_label_is_no_contradiction(teacher):
    hand = teacher.teach(Hand(), drawn("七"), "七")
    assert len(teacher.teach(hand, drawn("亿"), "亿")) == 2


def test_what_turns_several_test_pictures_of_the_model_is_asked_about(teacher, monkeypatch):
    """The labels that the model reads in its test pictures change with the hand."""
    read = iter([["一", "二", "三"], ["七", "七", "三"]] * 2)
    monkeypatch.setattr(teacher, "_test", lambda hand: next(read))
    with pytest.raises(DoubtError, match="test pictures of the model would be read as 七: 一 二") as caught:
        teacher.teach(Hand(), drawn("七"), "七")
    assert (caught.value.alike, caught.value.turned) == ([], ["一", "二"])


def test_its_own_recogniser_goes_on_without_a_hand(teacher):
    teacher.teach(Hand(), drawn("七"), "七")
    assert len(teacher._recogniser.hand) == 0


def test_a_label_that_the_model_does_not_know_is_refused(teacher):
    with pytest.raises(HandError, match=r"does not know '7', only 零 一 二 三"):
        teacher.teach(Hand(), drawn("七"), "7")


def test_a_picture_without_ink_is_refused(teacher):
    with pytest.raises(HandError, match="there is no ink in the picture"):
        teacher.teach(Hand(), np.zeros((64, 64), np.uint8), "七")
