"""What every error about what somebody else wrote has to be: one short line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from edge_lpdpl.errors import EdgeError

LONGEST = 1000
"""Characters."""


def check_line(error: EdgeError) -> None:
    """An error is one line that a terminal can show."""
    line = str(error)
    assert 0 < len(line) <= LONGEST, f"{len(line)} characters"
    assert line.isprintable(), ascii(line)


@contextmanager
def refused_in_a_line() -> Iterator[None]:
    """Let an EdgeError of one line pass; any other error is a fault."""
    with suppress(EdgeError):
        try:
            yield
        except EdgeError as error:
            check_line(error)
            raise


@contextmanager
def in_a_file(data: bytes) -> Iterator[str]:
    """The path of an ordinary file with that content, in memory."""
    handle = os.memfd_create("fuzzed")
    try:
        os.write(handle, data)
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)
