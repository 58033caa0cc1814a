"""What this target is for: an index outside of its array is an error, in plain Python and in machine code."""

import os

import pytest

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.locator import Locator


@pytest.mark.skipif(not {"NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"} & os.environ.keys(), reason="run `make test-bounds`")
def test_a_kernel_that_reaches_beyond_an_array_is_caught():
    locator = Locator(96, 160, backend="numba")
    with pytest.raises(IndexError):
        locator.cut(part.MOST_PARTS, part.FIRST_SEAM)
