"""Tests of file rights run as another user, because root may read and write everything."""

import contextlib
import os
from collections.abc import Iterator

import pytest


@contextlib.contextmanager
def nobody() -> Iterator[None]:
    """Act as a user who owns nothing. Tests that do not run as root keep their user."""
    if os.geteuid() != 0:
        yield
        return
    try:
        os.seteuid(65534)
    except OSError:
        pytest.skip("cannot be anybody but root here")
    try:
        yield
    finally:
        os.seteuid(0)
