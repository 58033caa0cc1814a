"""Connected parts are those of SciPy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from page_maps import as_map
from scipy import ndimage

from edge_lpdpl.page.buffers import make_buffers
from edge_lpdpl.page.kernels.parts import find_runs_again, number_parts
from edge_lpdpl.page.settings import LocateSettings, limits_of

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=40)
@given(seeds, st.integers(1, 30), st.integers(1, 30), st.floats(0.05, 0.95))
def test_parts_are_those_of_scipy(seed, height, width, share):
    picture = (np.random.default_rng(seed).random((height, width)) < share).astype(np.uint8)
    limits = limits_of(LocateSettings(), height, width)
    buffers = make_buffers(limits)
    buffers.contrast[limits.stride : -limits.stride] = as_map(picture)
    buffers.starts[:] = np.arange(1, height + 1) * limits.stride
    find_runs_again(buffers.contrast, buffers.starts, limits, buffers.borders, buffers.firsts)
    found = number_parts(height, buffers.borders, buffers.firsts, buffers.parts)
    labels = np.zeros((height, width), np.int64)
    for y in range(height):
        for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
            labels[y, buffers.borders[2 * run] : buffers.borders[2 * run + 1]] = buffers.parts[run] + 1
    expected, count = ndimage.label(picture, np.ones((3, 3)))
    assert found == count
    np.testing.assert_array_equal(labels, expected)  # both number them by their first pixels
