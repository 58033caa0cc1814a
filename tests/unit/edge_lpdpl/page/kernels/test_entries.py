"""The first step: a frame becomes a small picture of light ink."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_python import examples
from stroke_pictures import stroke_picture

from edge_lpdpl.files.grey import INK_AUTO
from edge_lpdpl.page.buffers import LIGHT, make_buffers
from edge_lpdpl.page.kernels.entries import reduce_to_light_ink
from edge_lpdpl.page.plain import parts as numpy_parts
from edge_lpdpl.page.settings import LocateSettings, limits_of

pytestmark = pytest.mark.slow

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=examples(20))
@given(seeds, st.integers(8, 70), st.integers(8, 70))
def test_where_dark_strokes_stand_out_the_ink_was_light(seed, height, width):
    frame = stroke_picture(seed, height, width, paper=70, noise=4)  # light strokes
    for shown in (frame, 255 - frame):
        limits = limits_of(LocateSettings(), height, width)
        buffers = make_buffers(limits)
        reduce_to_light_ink(shown, 0, 0, INK_AUTO, limits, buffers)
        light = numpy_parts.strokes_are_dark(255 - shown)
        assert buffers.found[LIGHT] == light
        inverted = shown if light else 255 - shown
        np.testing.assert_array_equal(buffers.ink.reshape(height, -1)[:, :width], inverted)
