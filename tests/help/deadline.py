"""A test that would wait for ever fails instead."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail what takes longer, system calls that wait for somebody included."""

    def give_up(*_: object) -> None:
        pytest.fail(f"still waiting after {seconds} s")  # no Exception, which the code under test may suppress

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
