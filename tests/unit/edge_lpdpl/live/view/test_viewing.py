"""Frames and cut-outs for viewers: nothing without one, bounded with any number, and the loop never waits."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.publish.requests import RequestError
from edge_lpdpl.live.view import viewing as module
from edge_lpdpl.live.view.viewing import MOST_DECISIONS, MOST_WAITING, Viewing
from edge_lpdpl.number.line_reader import Number
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.page.boxes import Box


class Untouchable:
    """A frame or reader that nobody may look at."""

    def __getattr__(self, name):
        raise AssertionError(f"{name} was looked at")


class Reader:
    """Cuts out as many numerals as it is told."""

    def __init__(self, *pictures):
        self.pictures = pictures
        self.recogniser = SimpleNamespace(model="usual", hand="worn")

    def cut_outs(self):
        return list(self.pictures)


@pytest.fixture
def answers():
    return []


@pytest.fixture
def ask(answers):
    """A function that asks for a frame."""
    return lambda viewing: viewing.watch(lambda answer, data: answers.append((answer, data)))


def frame(sequence, grey=None):
    return Frame(np.zeros((16, 20), np.uint8) if grey is None else grey, sequence, time.monotonic_ns())


def keep(viewing, *decision):
    """Publish a decision."""
    with viewing.keeping(*decision):
        pass


def of(count):
    """A reading of so many numerals."""
    return Reading([], [None] * count)


def picture(side=8, level=200):
    return np.full((side, side), level, np.uint8)


def test_without_a_viewer_no_frame_is_looked_at():
    Viewing().offer(Untouchable())


def test_a_frame_is_copied_whole(ask, answers):
    viewing, grey = Viewing(), np.arange(320, dtype=np.uint32).astype(np.uint8).reshape(16, 20)
    ask(viewing)
    viewing.offer(frame(3, grey))
    wanted = grey.tobytes()
    grey[:] = 0  # the source takes the next frame into the same memory
    assert answers == [({"sequence": 3, "width": 20, "height": 16}, wanted)]


def test_each_request_is_one_frame_for_all_who_wait(ask, answers):
    viewing = Viewing()
    ask(viewing), ask(viewing)
    viewing.offer(frame(1))
    viewing.offer(frame(2))
    assert [answer["sequence"] for answer, _ in answers] == [1, 1]
    assert answers[0][1] is answers[1][1]  # one copy


def test_frames_are_given_at_most_ten_times_a_second(ask, answers, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    viewing = Viewing()
    for number in range(100):  # a second of a camera at 100 frames a second
        now[0] += 0.01
        ask(viewing) if not viewing._waiting else None
        viewing.offer(frame(number))
    assert len(answers) == 10


def test_no_more_wait_than_allowed(ask):
    viewing = Viewing()
    for _ in range(MOST_WAITING):
        ask(viewing)
    with pytest.raises(RequestError, match="8 clients watch already"):
        ask(viewing)


class TestCutOuts:
    def test_those_of_a_decision_are_kept(self):
        viewing = Viewing()
        keep(viewing, frame(7), Reader(picture(8), picture(9)), of(2))
        assert [one.shape for one in viewing.cut_outs({"decision": 7})] == [(8, 8), (9, 9)]
        cut_out = viewing.cut_out({"decision": 7, "numeral": 1})
        assert (cut_out.picture.shape, cut_out.model, cut_out.hand) == ((9, 9), "usual", "worn")

    def test_each_numeral_is_kept_with_the_model_that_read_it(self):
        numbers = [Number("5", 5, 0.9, None, Box(0, 0, 9, 9), places) for places in ((0, 1), (2,))]
        viewing = Viewing()
        reading = Reading(numbers, [None] * 3, models=["latin", "chinese"])
        keep(viewing, frame(7), Reader(*[picture()] * 3), reading)
        read = [viewing.cut_out({"decision": 7, "numeral": place}).model for place in range(3)]
        assert read == ["latin", "latin", "chinese"]

    @pytest.mark.parametrize("numeral", [2, -1, None, "0", 1.0, [1]])
    def test_there_is_no_other_numeral(self, numeral):
        viewing = Viewing()
        keep(viewing, frame(7), Reader(picture(), picture()), of(2))
        with pytest.raises(RequestError, match="numeral is not 0 to 1"):
            viewing.cut_out({"decision": 7, "numeral": numeral})

    @pytest.mark.parametrize("decision", [8, None, "7", [7], {}])
    def test_there_is_no_other_decision(self, decision):
        viewing = Viewing()
        keep(viewing, frame(7), Reader(picture()), of(1))
        with pytest.raises(EdgeError, match="are not kept"):
            viewing.cut_outs({"decision": decision})

    def test_those_of_another_reading_of_the_scene_are_not_shown_as_the_decision(self):
        viewing = Viewing()
        keep(viewing, frame(7), Reader(picture()), of(2))
        with pytest.raises(EdgeError):
            viewing.cut_outs({"decision": 7})

    def test_the_oldest_go_first_by_count(self):
        viewing = Viewing()
        for number in range(MOST_DECISIONS + 1):
            keep(viewing, frame(number), Reader(picture()), of(1))
        with pytest.raises(EdgeError):
            viewing.cut_outs({"decision": 0})
        assert viewing.cut_outs({"decision": 1})
        assert viewing._bytes == MOST_DECISIONS * 64

    def test_the_oldest_go_first_by_size(self, monkeypatch):
        monkeypatch.setattr(module, "MOST_BYTES", 300)
        viewing = Viewing()
        for number in range(6):
            keep(viewing, frame(number), Reader(picture()), of(1))
        assert [one.sequence for one in viewing._kept] == [2, 3, 4, 5]

    def test_who_asks_as_soon_as_the_message_has_come_waits_for_them(self):
        viewing, got = Viewing(), []
        client = threading.Thread(target=lambda: got.append(viewing.cut_outs({"decision": 7})))
        with viewing.keeping(frame(7), Reader(picture()), of(1)):
            client.start()
            client.join(0.05)
            assert client.is_alive()
        client.join(5)
        assert len(got[0]) == 1
