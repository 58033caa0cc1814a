"""Tests of kernels that run as plain Python, a hundred times slower: fewer examples, and not the largest pictures."""

import os
from collections.abc import Iterator

import numpy as np
import pytest

IS_PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether kernels are not compiled, as in `make test-bounds`."""


def examples(count: int) -> int:
    """Examples for hypothesis: `count` of compiled kernels."""
    return max(count // 10, 2) if IS_PLAIN else count


needs_compiler = pytest.mark.skipif(IS_PLAIN, reason="too slow, or without meaning, in plain Python")


@pytest.fixture(autouse=IS_PLAIN)
def words_wrap_around() -> Iterator[None]:
    """Sums of words with bit 63 set overflow, as they do in machine code; NumPy would warn of each."""
    with np.errstate(over="ignore"):
        yield
