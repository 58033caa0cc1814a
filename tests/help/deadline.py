"""A test that would wait for ever fails."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail a block that takes longer, even while it waits in a system call."""

    def give_up(*_: object) -> None:
        pytest.fail(f"still waiting after {seconds} s")  # not an Exception, which the code under test may suppress

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
