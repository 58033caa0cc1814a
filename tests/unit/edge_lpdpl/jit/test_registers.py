"""Sums of weighted rows in registers equal those of the plain loop, to the last bit."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.jit import intrinsics
from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import array_at, as_words, flat, trailing_zeros
from edge_lpdpl.jit.registers import add_lines, add_narrow, add_wide, transpose
from edge_lpdpl.numeral.kernels.classify import add_weighted_rows

pytestmark = pytest.mark.slow

in_either_kind = pytest.mark.parametrize("kind", [np.float32, np.float16], ids=["floats", "halves"])


@kernel
def compiled_fused(factor, other, term):
    return intrinsics.fused(factor, other, term)


def fused(factor: np.float32, other: np.float32, term: np.float32) -> np.float32:
    """factor * other + term as a rational number, rounded once."""
    exact = Fraction(float(factor)) * Fraction(float(other)) + Fraction(float(term))
    near = np.float32(float(exact))
    around = (np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf)))
    return min(around, key=lambda number: (abs(Fraction(float(number)) - exact), number.view(np.int32) % 2))


@in_either_kind
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 40), st.sampled_from([1, 7, 8, 72, 85, 170]), st.sampled_from([0.6, 1])
)
def test_every_column_is_added_up_from_top_to_bottom_each_step_rounded_once(kind, seed, count, columns, density):
    random = np.random.default_rng(seed)
    values = (random.normal(size=count) * (random.random(count) < density)).astype(np.float32)
    rows = random.normal(size=(count, columns)).astype(kind)
    sums = random.normal(size=columns).astype(np.float32)
    expected = sums.copy()
    for value, row in zip(values, rows, strict=True):
        expected = intrinsics.fused(value, np.float32(row), expected)
    add_weighted_rows(values, as_kernels_take(rows), np.zeros(count + 1, np.int64), sums)
    np.testing.assert_array_equal(sums, expected)


def as_kernels_take(rows: np.ndarray) -> np.ndarray:
    """numba has no 16-bit floats; the kernels use their bits."""
    return rows.view(np.uint16) if rows.dtype == np.float16 else rows


@given(st.tuples(*[st.floats(-1e6, 1e6, width=32)] * 3))
def test_a_product_is_added_without_being_rounded_first(numbers):
    numbers = [np.float32(number) for number in numbers]
    expected = fused(*numbers)
    assert intrinsics.fused(*numbers) == expected
    assert compiled_fused(*numbers) == expected


@in_either_kind
@pytest.mark.parametrize(("add", "columns"), [(add_wide, 72), (add_narrow, 8)], ids=["wide", "narrow"])
def test_what_is_compiled_is_what_is_written(add, columns, kind):
    """Each intrinsic does what the plain function beside it does."""
    random = np.random.default_rng(0)
    values, rows = random.normal(size=40).astype(np.float32), random.normal(size=(40, 100)).astype(kind)
    rows, places = as_kernels_take(rows), np.array([1, 12, 25, 32])
    plain, compiled = np.ones((2, 100), np.float32)

    @kernel
    def call(sums, rows, values, places):
        add(sums, rows, values, places, 3, 20)

    add(plain, rows, values, places, 3, 20)
    call(compiled, rows, values, places)
    np.testing.assert_array_equal(compiled, plain)
    assert (plain[:20] == 1).all()
    assert (plain[20 + columns :] == 1).all()
    assert (plain[20 : 20 + columns] != 1).all()


def test_lines_are_added_as_is_written():
    @kernel
    def call(sums, lines, weights):
        add_lines(sums, lines, weights, 3, 7, 16)

    random = np.random.default_rng(0)
    lines, weights = random.normal(size=(9, 40)).astype(np.float32), random.normal(size=5).astype(np.float32)
    plain, compiled = np.ones((2, 40), np.float32)
    add_lines(plain, lines, weights, 3, 7, 16)
    call(compiled, lines, weights)
    np.testing.assert_array_equal(compiled, plain)
    np.testing.assert_allclose(plain[16:32], weights[:4] @ lines[3:7, 16:32], rtol=1e-5)
    assert (plain[:16] == 1).all()
    assert (plain[32:] == 1).all()


@given(st.integers(1, 40), st.integers(1, 40))
def test_what_is_transposed_has_rows_for_columns(height, width):
    source = np.random.default_rng(height).random((40, 40), np.float32)
    target = np.full((40, 40), np.float32(-1))
    transpose(source, target, height, width)
    np.testing.assert_array_equal(target[:width, :height], source[:height, :width].T)
    assert np.count_nonzero(target != -1) == height * width


def test_the_other_intrinsics_are_what_is_written():
    @kernel
    def call(table, pixels, number, address):
        there = array_at(address, (2, 3), np.int64)
        return flat(table)[4], as_words(pixels)[1], trailing_zeros(number), there[1, 2]

    table = np.float32([[3, 1, 2], [4, 5, 6]])
    pixels, far = np.arange(16, dtype=np.uint8), np.arange(6)
    arguments = table, pixels, 40, far.ctypes.data
    assert call(*arguments) == getattr(call, "py_func", call)(*arguments) == (5, pixels.view(np.int64)[1], 3, 5)
