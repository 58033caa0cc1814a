"""The journal: a repeated complaint is written once a minute, with a count."""

import os

import pytest

from edge_lpdpl.live.journal import Journal


@pytest.fixture
def journal_lines():
    """A function that makes journals that write into a pipe, and one that reads it."""
    reading, writing = os.pipe()

    def lines(environment, say):
        state = os.fstat(writing)
        environment = {name: value.format(state.st_dev, state.st_ino) for name, value in environment.items()}
        journal = Journal(environment, writing)
        say(journal)
        journal.close()
        os.close(writing)
        with os.fdopen(reading) as file:
            return file.read().splitlines()

    return lines


def test_the_same_complaint_is_written_once_a_minute(journal_lines):
    def say(journal):
        for _ in range(1000):
            journal.complain("a frame is 300 ms old", kind="stale")
        journal.complain("something else\nof two lines")
        journal.say("always")
        journal.say("always")

    lines = ["a frame is 300 ms old", "something else of two lines", "always", "always"]
    assert journal_lines({}, say) == [f"edge-lpdpl: {line}" for line in lines]


def test_the_number_of_repeats_is_reported(journal_lines, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("edge_lpdpl.live.journal.time.monotonic", lambda: now[0])

    def say(journal):
        for _ in range(5):
            journal.complain("slow")
        now[0] += 61
        journal.complain("slow")

    assert journal_lines({}, say) == ["edge-lpdpl: slow", "edge-lpdpl: slow (and 4 times more before)"]


def test_only_a_few_kinds_of_complaints_are_remembered(journal_lines):
    """Kinds hold names that others choose, such as file names: they must not fill the memory."""

    def say(journal):
        journal.complain("the first")
        for number in range(100):
            journal.complain(f"kind {number}")
        journal.complain("the first")
        journal.complain("the first")

    lines = journal_lines({}, say)
    assert lines.count("edge-lpdpl: the first") == 2
    assert len(lines) == 102


@pytest.mark.parametrize(
    ("stream", "lines"),
    [
        ("{}:{}", ["<6>all is well", "<4>not so well"]),
        ("8:123", ["edge-lpdpl: all is well", "edge-lpdpl: not so well"]),  # of the parent process
        ("", ["edge-lpdpl: all is well", "edge-lpdpl: not so well"]),
    ],
)
def test_the_journal_of_systemd_gets_levels_where_the_lines_go_there(journal_lines, stream, lines):
    def say(journal):
        journal.say("all is well")
        journal.complain("not so well")

    assert journal_lines({"JOURNAL_STREAM": stream}, say) == lines


def test_a_journal_without_standard_error_says_nothing():
    journal = Journal({"JOURNAL_STREAM": "8:123"}, descriptor=10**6)
    journal.say("nobody hears")
    journal.close()
