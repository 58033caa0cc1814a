"""A lifted numeral has a size that the recogniser can read."""

import numpy as np
import pytest

from edge_lpdpl.files.grey import SMALLEST_SIDE
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import LIFTED_SIDE


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize("thick", range(4, 22, 3))
@pytest.mark.parametrize("long", [90, 130, 300, 440])
def test_a_lifted_numeral_is_never_too_thin_to_be_read(long, thick, backend):
    frame = np.full((480, 640), 200, np.uint8)
    frame[200 : 200 + thick, 90 : 90 + long] = 40
    locator = Locator(480, 640, backend=backend)
    for place, _ in enumerate(locator.locate(frame)):
        lifted = locator.lift(place)
        assert min(lifted.shape) >= SMALLEST_SIDE
        assert lifted.size <= LIFTED_SIDE**2
        assert lifted.max() > 100


@pytest.mark.parametrize("side", [20, 60, 130, 300, 440])
def test_a_lifted_numeral_is_small_however_large_it_is_written(side):
    frame = np.full((480, 640), 200, np.uint8)
    frame[20 : 20 + side, 300 : 306 + side // 12] = 40
    locator = Locator(480, 640)
    assert len(locator.locate(frame)) == (side <= 0.75 * 640)
    lifted = locator.lift(0)
    assert LIFTED_SIDE // 3 < lifted.shape[0] <= LIFTED_SIDE
    assert lifted.max() > 100
