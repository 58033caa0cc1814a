"""A bounded queue: what a slow or broken reader misses is counted, and nobody waits for it."""

import os
import select
import threading
import time

import pytest

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


def test_a_stuck_reader_misses_the_oldest_lines_which_are_counted():
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
    """With a non-blocking descriptor too, a full pipe is a slow reader and not the end."""
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
