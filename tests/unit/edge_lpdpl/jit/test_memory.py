"""Weights in 16 bits: rounding to halves, and widening to the same numbers on every processor."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from project import PROJECT

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import widened
from edge_lpdpl.jit.memory import fit_float16, float16_bits, round_to_float16
from edge_lpdpl.jit.registers import add_narrow

pytestmark = pytest.mark.slow

ALL = np.arange(1 << 16, dtype=np.uint16)
FINITE = ALL[np.isfinite(ALL.view(np.float16))]
"""The bits of every half that is a number."""
HALVES = FINITE.view(np.float16).astype(np.float32)

floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


@kernel
def widen_each(bits, numbers):
    for place in range(len(bits)):
        numbers[place] = widened(bits[place])


@kernel
def widen_by_eights(bits, numbers):
    """1 * bits + 0, by the function that adds rows."""
    values, places = np.ones(1, np.float32), np.zeros(1, np.int64)
    for first in range(0, len(bits), 8):
        here = numbers[first : first + 8]
        here[:] = 0
        add_narrow(here, bits[first : first + 8].reshape(1, 8), values, places, 1, 0)


def widened_numbers(widen) -> np.ndarray:
    numbers = np.empty(len(FINITE), np.float32)
    widen(FINITE, numbers)
    return numbers


both = pytest.mark.parametrize("widen", [widen_each, widen_by_eights], ids=["one", "eight"])


@both
def test_every_half_is_widened_to_the_number_it_is(widen):
    np.testing.assert_array_equal(widened_numbers(widen), HALVES)
    np.testing.assert_array_equal(widened(FINITE), HALVES)


PRINT_DIGESTS = "import test_memory; test_memory.print_digests()"


def print_digests() -> None:
    for widen in (widen_each, widen_by_eights):
        print(hashlib.sha256(widened_numbers(widen).tobytes()).hexdigest())


def test_a_processor_without_the_instruction_widens_them_to_the_same_bits(tmp_path, capsys):
    """The oldest x86-64. On aarch64 this is the real processor, because all of them have the instruction."""
    oldest = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""} if os.uname().machine == "x86_64" else {}
    path = os.pathsep.join([str(PROJECT), os.path.dirname(__file__), *sys.path])
    # A cache of its own: numba keeps the name of the module with a kernel, and pytest gives this one another name.
    environment = os.environ | oldest | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", PRINT_DIGESTS]
    there = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    print_digests()
    assert there == capsys.readouterr().out != ""


@given(floats)
def test_rounding_takes_the_nearest_half(number):
    rounded = float(round_to_float16(np.float32([number]))[0])
    if abs(number) < 65504:
        assert abs(rounded - number) == np.abs(HALVES.astype(np.float64) - number).min()
    else:
        assert abs(rounded) >= 65504


@given(st.lists(floats | st.sampled_from(HALVES.tolist()), max_size=4))
def test_numbers_are_halves_where_every_one_is(numbers):
    assert fit_float16(np.float32(numbers)) == np.isin(numbers, HALVES).all()


def test_bits_are_those_of_the_numbers():
    bits = float16_bits(HALVES)
    np.testing.assert_array_equal(bits, FINITE)
    assert not bits.flags.writeable
