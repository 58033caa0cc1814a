"""The simulated caches of the counter: new lines are misses, and lines in a row are prefetched."""

import json

import pytest
from arm.counting import LINE, make_counter, run_counted

CORE = "cortex-a72"
BYTES = 1 << 18
"""More than the first-level cache holds, and less than the second."""
READ = f"""
import ctypes, os
import numpy as np
numbers = np.ones({BYTES} // 8, np.uint64)
shuffled = np.random.default_rng(0).permutation({BYTES // LINE}) * {LINE // 8}
forget = ctypes.CDLL(None).madvise
for in_a_row in (True, False):
    for cold in (False, True):
        os.getsid(0)
        if cold:
            forget(ctypes.c_void_p(numbers.ctypes.data), ctypes.c_size_t(numbers.nbytes), 20)
        os.getppid()
        numbers.sum() if in_a_row else numbers[shuffled].sum()
        os.getppid()
        if cold:
            os.getpgrp()
"""


@pytest.fixture(scope="module")
def counted(machines, tmp_path_factory) -> dict[str, dict[str, int]]:
    """Counts for reading all lines in a row, and in random order, from memory."""
    make_counter()
    lines = tmp_path_factory.mktemp("counted") / "lines.jsonl"
    run_counted(CORE, ["-c", READ], lines)
    return dict(zip(("in a row", "in any order"), map(json.loads, lines.read_text().splitlines()), strict=True))


@pytest.mark.parametrize("order", ["in a row", "in any order"])
def test_every_line_that_came_from_elsewhere_is_missed_once(counted, order):
    assert BYTES / LINE <= counted[order]["l2_misses"] < 1.2 * BYTES / LINE


def test_lines_in_a_row_are_foreseen_but_for_the_first_two_of_a_page(counted):
    lines = BYTES / LINE
    assert 0.9 * lines < counted["in a row"]["l2_streamed"] <= 62 / 64 * lines + 64


def test_lines_in_any_order_are_not(counted):
    assert counted["in any order"]["l2_streamed"] < 0.05 * BYTES / LINE
