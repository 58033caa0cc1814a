"""Frames shrink to the working size."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_python import examples

from edge_lpdpl.page.buffers import make_buffers
from edge_lpdpl.page.kernels.reduce import reduce
from edge_lpdpl.page.parts_table import REDUCED_SIDE
from edge_lpdpl.page.plain import parts as numpy_parts
from edge_lpdpl.page.settings import LocateSettings, limits_of

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=examples(40))
@given(seeds, st.integers(8, 90), st.sampled_from([40, 320, 321, 650, 1290]))
def test_the_frame_shrinks_by_block_means_rounded_half_up(seed, short, long):
    frame = np.random.default_rng(seed).integers(0, 256, size=(short, long), dtype=np.uint8)
    limits = limits_of(LocateSettings(), short, long)
    factor = -(-long // REDUCED_SIDE)
    expected = [
        [
            int(np.floor(frame[y : y + factor, x : x + factor].mean() + 0.5))
            for x in range(0, limits.width * factor, factor)
        ]
        for y in range(0, limits.height * factor, factor)
    ]
    for flip in (0, 255):
        out = np.zeros(limits.height * limits.stride, np.uint8)
        reduce(frame, 0, 0, 0, limits.height, limits, np.uint8(flip), make_buffers(limits).sums, out)
        np.testing.assert_array_equal(out.reshape(limits.height, -1)[:, : limits.width] ^ flip, expected)
    np.testing.assert_array_equal(numpy_parts.reduce(frame, limits), expected)
