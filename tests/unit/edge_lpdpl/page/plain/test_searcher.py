"""NumPy finds, cuts and lifts what the kernels do."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from stroke_pictures import stroke_picture

from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import FIRST_SEAM, LEFT_END, RIGHT_END
from edge_lpdpl.page.record import Member
from edge_lpdpl.page.settings import LocateSettings

seeds = st.integers(0, 2**32 - 1)


def some_groups(seed: int, seams_of: list[range]) -> list[list[Member]]:
    """Each part, each piece between the border of a part and a seam, and groups of any pieces of several parts."""
    dice = np.random.default_rng(seed)
    groups = [[(row, LEFT_END, RIGHT_END)] for row in range(len(seams_of))]
    for row, seams in enumerate(seams_of):
        groups += [[(row, LEFT_END, seam)] for seam in seams] + [[(row, seam, RIGHT_END)] for seam in seams]
    for _ in range(4):
        members = dice.permutation(len(seams_of))[: dice.integers(1, 5)].tolist()
        ends = [[LEFT_END, RIGHT_END, *seams_of[row]] for row in members]
        groups.append([(row, *dice.choice(seams, 2).tolist()) for row, seams in zip(members, ends, strict=True)])
    return groups


@settings(max_examples=25, deadline=None)
@given(
    seed=seeds,
    shape=st.sampled_from([(64, 64), (120, 160), (240, 330), (500, 200), (700, 900)]),
    noise=st.sampled_from([0, 4, 40]),
    polarity=st.sampled_from(["dark", "light", "auto"]),
)
def test_numpy_finds_cuts_and_lifts_what_the_kernels_do(seed, shape, noise, polarity):
    frame = 255 - stroke_picture(seed, *shape, paper=70, noise=noise)
    kernels, arrays = (Locator(*shape, LocateSettings(polarity=polarity), backend=name) for name in ("numba", "numpy"))
    table = kernels.find(frame)
    assert arrays.find(frame) == table
    assert arrays.unread() == kernels.unread()
    seams_of, slot = list[range](), FIRST_SEAM
    for row in range(len(table)):
        seams = kernels.cut(row, slot)
        assert arrays.cut(row, slot) == seams
        seams_of.append(range(slot, slot + len(seams)))
        slot += len(seams)
    for group in some_groups(seed, seams_of) if table else []:
        one, other = arrays.lift(group), kernels.lift(group)
        assert (one is None) == (other is None)
        if one and other:
            assert (one.row, one.reason, one.doubt) == (other.row, other.reason, other.doubt)
            np.testing.assert_array_equal(one.picture, other.picture)
