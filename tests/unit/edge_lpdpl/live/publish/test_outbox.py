"""Bounded queues: what a slow or broken reader misses is counted, and nobody waits for it."""

import os
import select
import threading
import time

import pytest

from edge_lpdpl.live.journal import Journal
from edge_lpdpl.live.publish.lines import LinesPublisher
from edge_lpdpl.live.publish.outbox import Outbox


def test_lines_are_delivered_in_order_and_none_is_left_at_the_end():
    delivered = []
    outbox = Outbox("list", 1000, delivered.append)
    for number in range(500):
        outbox.put(b"%d" % number)
    outbox.close()
    assert delivered == [b"%d" % number for number in range(500)]
    assert outbox.dropped == 0


def test_a_reader_that_stands_still_misses_the_oldest_and_they_are_counted():
    go, started, delivered = threading.Event(), threading.Event(), []

    def deliver(line):
        started.set()
        go.wait()
        delivered.append(line)

    outbox = Outbox("stuck", 3, deliver)
    outbox.put(b"0")
    started.wait()
    for number in range(1, 11):
        outbox.put(b"%d" % number)
    assert outbox.dropped == 7
    go.set()
    outbox.close()
    assert delivered == [b"0", b"8", b"9", b"10"]


def test_closing_waits_for_a_stuck_reader_for_a_moment_only():
    go = threading.Event()
    outbox = Outbox("stuck", 3, lambda line: go.wait())
    for _ in range(3):
        outbox.put(b"x")
    start = time.monotonic()
    outbox.close(patience=0.1)
    assert time.monotonic() - start < 2
    assert outbox.dropped == 2
    go.set()


def test_a_reader_that_is_gone_is_noticed():
    reading, writing = os.pipe()
    os.close(reading)
    publisher = LinesPublisher(4, writing)
    publisher.publish({}, b"x\n")
    end = time.monotonic() + 5
    while publisher.broken is None and time.monotonic() < end:
        time.sleep(0.002)
    assert isinstance(publisher.broken, BrokenPipeError)
    publisher.publish({}, b"y\n")
    assert publisher.dropped == 2
    publisher.close()
    os.close(writing)


@pytest.mark.parametrize("blocking", [True, False])
def test_lines_longer_than_a_pipe_go_out_whole(blocking):
    """Where the descriptor does not block, a full pipe is a slow reader too, and not the end."""
    reading, writing = os.pipe()
    os.set_blocking(writing, blocking)
    publisher = LinesPublisher(4, writing)
    publisher.publish({}, b"x" * 300_000 + b"\n")
    read = 0
    while read < 300_001:
        assert select.select([reading], [], [], 5)[0], f"nothing comes after {read} bytes"
        read += len(os.read(reading, 1 << 16))
    publisher.close()
    assert (read, publisher.broken) == (300_001, None)
    for descriptor in (reading, writing):
        os.close(descriptor)


@pytest.fixture
def journal_lines():
    """Journals that write into a pipe, and what they wrote."""
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


def test_how_often_it_was_kept_back_is_told(journal_lines, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("edge_lpdpl.live.journal.time.monotonic", lambda: now[0])

    def say(journal):
        for _ in range(5):
            journal.complain("slow")
        now[0] += 61
        journal.complain("slow")

    assert journal_lines({}, say) == ["edge-lpdpl: slow", "edge-lpdpl: slow (and 4 times more before)"]


def test_what_was_said_is_remembered_of_some_kinds_and_not_of_all_that_ever_were(journal_lines):
    """Kinds hold what others chose, such as names of files: they must not fill the memory."""

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
        ("8:123", ["edge-lpdpl: all is well", "edge-lpdpl: not so well"]),  # that of whoever started us
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
