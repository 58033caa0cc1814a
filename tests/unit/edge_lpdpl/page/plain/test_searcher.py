"""NumPy finds and lifts what the kernels do."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from stroke_pictures import stroke_picture

from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.settings import LocateSettings

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=25, deadline=None)
@given(
    seed=seeds,
    shape=st.sampled_from([(64, 64), (120, 160), (240, 330), (500, 200)]),
    noise=st.sampled_from([0, 4, 40]),
    polarity=st.sampled_from(["dark", "light", "auto"]),
)
def test_numpy_finds_and_lifts_what_the_kernels_do(seed, shape, noise, polarity):
    frame = 255 - stroke_picture(seed, *shape, paper=70, noise=noise)
    kernels, arrays = (Locator(*shape, LocateSettings(polarity=polarity), backend=name) for name in ("numba", "numpy"))
    boxes = kernels.locate(frame)
    assert arrays.locate(frame) == boxes
    assert arrays.unread() == kernels.unread()
    for place in range(len(boxes)):
        np.testing.assert_array_equal(arrays.lift(place), kernels.lift(place))
        assert arrays.strokes(place) == kernels.strokes(place)
