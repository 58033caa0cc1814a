"""Operations on 64 bits: the compiled functions do what the plain ones do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.jit import bits
from edge_lpdpl.jit.compiler import kernel

words = st.integers(-(2**63), 2**63 - 1)


@kernel
def compiled_above(numbers, first, level):
    return bits.bits_above(numbers, first, level)


@kernel
def compiled_unlike(numbers, first, level):
    return bits.bits_unlike(numbers, first, level)


@kernel
def compiled_keep(word, source, target, first):
    bits.keep_bits(word, source, target, first)


@kernel
def compiled_reverse(word):
    return bits.reverse_bits(word)


@kernel
def compiled_count(word):
    return bits.count_bits(word)


@given(st.integers(0, 2**32 - 1), st.integers(0, 20), st.integers(0, 255))
def test_pixels_are_compared_with_a_level(seed, first, level):
    pixels = np.random.default_rng(seed).integers(max(level - 2, 0), min(level + 3, 256), 100).astype(np.uint8)
    for compiled, plain, found in [
        (compiled_above, bits.bits_above, pixels > level),
        (compiled_unlike, bits.bits_unlike, pixels != level),
    ]:
        expected = sum(1 << place for place in np.flatnonzero(found[first : first + 64]).tolist())
        assert int(compiled(pixels, first, np.uint8(level))) & (2**64 - 1) == expected
        assert int(plain(pixels, first, level)) & (2**64 - 1) == expected


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_a_histogram_tells_which_levels_it_has(kind):
    counts = np.zeros(256, kind)
    counts[[64, 70, 127]] = 5, 2**31 - 1, 1
    for find in (compiled_unlike, bits.bits_unlike):
        assert int(find(counts, 64, 0)) & (2**64 - 1) == 1 | 1 << 6 | 1 << 63
        assert find(counts, 0, 0) == 0


@given(words, st.integers(0, 20))
def test_pixels_are_kept_by_their_bits(word, first):
    pixels = np.arange(1, 101, dtype=np.uint8)
    for keep in (compiled_keep, bits.keep_bits):
        target = np.full(100, 200, np.uint8)
        keep(word, pixels, target, first)
        expected = [pixels[first + place] if word >> place & 1 else 0 for place in range(64)]
        np.testing.assert_array_equal(target[first : first + 64], expected)
        assert (np.delete(target, np.s_[first : first + 64]) == 200).all()


@given(words)
def test_bits_are_counted_and_turned_round(word):
    text = f"{word & (2**64 - 1):064b}"
    assert compiled_count(word) == bits.count_bits(word) == text.count("1")
    assert compiled_reverse(word) == bits.reverse_bits(word)
    assert int(compiled_reverse(word)) & (2**64 - 1) == int(text[::-1], 2)
