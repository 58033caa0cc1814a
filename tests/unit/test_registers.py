"""Sums of weighted rows in registers: those of the plain loop, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.classify import add_weighted_rows
from edge_lpdpl.compiled import kernel
from edge_lpdpl.intrinsics import array_at, as_words, flat, lesser, trailing_zeros
from edge_lpdpl.registers import add_narrow, add_wide


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 170))
def test_every_column_is_added_up_from_top_to_bottom(seed, count, columns):
    random = np.random.default_rng(seed)
    values = (random.normal(size=count) * (random.random(count) < 0.6)).astype(np.float32)
    rows = random.normal(size=(count, columns)).astype(np.float32)
    sums = random.normal(size=columns).astype(np.float32)
    expected = sums.copy()
    for value, row in zip(values, rows, strict=True):
        expected += value * row
    add_weighted_rows(values, rows, np.zeros(count + 1, np.int64), sums)
    np.testing.assert_array_equal(sums, expected)


@pytest.mark.parametrize(("add", "columns"), [(add_wide, 72), (add_narrow, 8)], ids=["wide", "narrow"])
def test_what_is_compiled_is_what_is_written(add, columns):
    """The plain function beside each is its meaning."""
    random = np.random.default_rng(0)
    values, rows = random.normal(size=9).astype(np.float32), random.normal(size=(9, 100)).astype(np.float32)
    places = np.array([1, 2, 5, 8])
    plain, compiled = np.ones((2, 100), np.float32)

    @kernel
    def call(sums, rows, values, places):
        add(sums, rows, values, places, 3, 20)

    add(plain, rows, values, places, 3, 20)
    call(compiled, rows, values, places)
    np.testing.assert_array_equal(compiled, plain)
    assert (plain[:20] == 1).all()
    assert (plain[20 + columns :] == 1).all()


def test_the_other_intrinsics_are_what_is_written():
    @kernel
    def call(table, pixels, number, address):
        there = array_at(address, (2, 3), np.int64)
        return (
            flat(table)[4],
            as_words(pixels)[1],
            trailing_zeros(number),
            lesser(table[0, 0], table[0, 1]),
            there[1, 2],
        )

    table = np.float32([[3, 1, 2], [4, 5, 6]])
    pixels, far = np.arange(16, dtype=np.uint8), np.arange(6)
    arguments = table, pixels, 40, far.ctypes.data
    assert call(*arguments) == getattr(call, "py_func", call)(*arguments) == (5, pixels.view(np.int64)[1], 3, 1, 5)
