"""A lifted group has a size that the recogniser can read."""

import numpy as np
import pytest

from edge_lpdpl.files.grey import SMALLEST_SIDE
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import LEFT_END, LIFTED_SIDE, RIGHT_END

both = pytest.mark.parametrize("backend", ["numba", "numpy"])


@both
@pytest.mark.parametrize(
    ("long", "thick"),
    [(long, thick) for long in (90, 130, 300, 440) for thick in range(4, 22, 3) if 24 * (thick // 2) >= long // 2],
)
def test_a_lifted_numeral_is_never_too_thin_to_be_read(long, thick, backend):
    frame = np.full((480, 640), 200, np.uint8)
    frame[200 : 200 + thick, 90 : 90 + long] = 40
    locator = Locator(480, 640, backend=backend)
    assert len(locator.find(frame)) == 1
    lifted = locator.lift([(0, LEFT_END, RIGHT_END)]).picture
    assert min(lifted.shape) >= SMALLEST_SIDE
    assert lifted.size <= LIFTED_SIDE**2
    assert lifted.max() > 100


@both
@pytest.mark.parametrize("side", [20, 60, 130, 300, 440])
def test_a_lifted_numeral_is_small_however_large_it_is_written(side, backend):
    frame = np.full((480, 640), 200, np.uint8)
    frame[20 : 20 + side, 300 : 306 + side // 12] = 40
    locator = Locator(480, 640, backend=backend)
    assert len(locator.find(frame)) == 1
    lifted = locator.lift([(0, LEFT_END, RIGHT_END)]).picture
    assert LIFTED_SIDE // 3 < lifted.shape[0] <= LIFTED_SIDE
    assert lifted.max() > 100


@both
@pytest.mark.parametrize(("thick", "shape"), [(10, (13, 320)), (12, (14, 320)), (14, (8, 160)), (60, (8, 64))])
def test_a_group_may_be_as_long_as_the_frame(thick, shape, backend):
    """Three dashes. They are reduced only as far as their picture keeps 8 pixels across."""
    frame = np.full((480, 640), 200, np.uint8)
    for left, right in ((8, 210), (222, 420), (432, 632)):
        frame[200 : 200 + thick, left:right] = 40
    locator = Locator(480, 640, backend=backend)
    assert len(locator.find(frame)) == 3
    lifted = locator.lift([(row, LEFT_END, RIGHT_END) for row in range(3)])
    assert locator.box(lifted.row) == (8, 200, 624, thick)
    assert lifted.picture.shape == shape
    assert lifted.picture.max() > 100
