"""A lifted group is what its definition says, and has a size that the recogniser can read."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from plain_python import examples
from scipy import ndimage
from stroke_pictures import stroke_picture

from edge_lpdpl.files.grey import INK_DARK, SMALLEST_SIDE
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import LEFT_END, LIFTED_SIDE, RIGHT_END
from edge_lpdpl.page.plain.parts import spread, take_contrast
from edge_lpdpl.page.plain.rules import find_ruled
from edge_lpdpl.page.record import Member, Scope
from edge_lpdpl.page.searcher import CompiledSearcher
from edge_lpdpl.page.settings import LocateSettings, limits_of

pytestmark = pytest.mark.slow

both = pytest.mark.parametrize("backend", ["numba", "numpy"])


class Searched:
    """What the kernels found in a frame of dark ink, as maps of the reduced frame."""

    def __init__(self, frame: np.ndarray) -> None:
        height, width = frame.shape
        self.limits = limits_of(LocateSettings(), height, width)
        self.searcher = CompiledSearcher(Scope(height, width, 0, 0, INK_DARK), self.limits)
        self.table = self.searcher.search(frame)
        self.frame, self.buffers = frame, self.searcher.buffers
        shape = self.limits.height, self.limits.width
        self.ink = self.buffers.ink.reshape(shape[0], -1)[:, : shape[1]]
        self.paper = spread(self.buffers.blocks.reshape(-1, self.limits.block_stride), *shape)
        self.row_at = np.full(shape, -2)  # no ink
        for y in range(shape[0]):
            for run in range(self.buffers.firsts[y], self.buffers.firsts[y + 1]):
                start, end = self.buffers.borders[2 * run : 2 * run + 2]
                self.row_at[y, start:end] = max(self.buffers.row_of[self.buffers.parts[run]], -1)
        self.row_at[self._ruled()] = -1

    def _ruled(self) -> np.ndarray:
        """The pixels of printed rules, which are neither ink nor paper."""
        contrast = take_contrast(self.ink, self.paper, self.limits.least_contrast)
        rise = np.where(contrast != 0, self.ink - self.paper, 0).astype(np.uint8)
        return find_ruled(rise, self.limits.shortest_underline, self.limits.single_boxes > 0)[0]

    def piece(self, member: Member) -> np.ndarray:
        """Where a member of a group has ink."""
        row, start, end = member
        columns = np.arange(self.limits.width)
        seams = self.buffers.seams
        return (self.row_at == row) & (columns >= seams[start][:, None]) & (columns < seams[end][:, None])


def naive_measures(searched: Searched, members: list[Member]) -> list[int]:
    """A row of the table. What the ink of a piece does not tell is its share of that of its part, by area."""
    pieces = [(searched.piece(member), searched.table[member[part.MEMBER]]) for member in members]
    pieces = [(piece, whole) for piece, whole in pieces if piece.any()]
    ys, xs = np.nonzero(np.any([piece for piece, _ in pieces], axis=0))
    runs = sum(int(np.sum(piece & ~np.pad(piece, [(0, 0), (1, 0)])[:, :-1])) for piece, _ in pieces)
    shares = [
        sum(int(whole[column]) * int(piece.sum()) // int(whole[part.AREA]) for piece, whole in pieces)
        for column in (part.SHARED, part.RIDGE, part.OPEN)
    ]
    sides = [int(np.ptp(places)) + 1 for piece, _ in pieces for places in np.nonzero(piece)]
    area = sum(int(piece.sum()) for piece, _ in pieces)
    return [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1, area, runs, *shares, max(sides)]


def naive_lift(searched: Searched, members: list[Member]) -> np.ndarray:
    """How much of the paper's light each pixel takes, but for the soft edge and what is not near the group."""
    left, top, right, bottom, _, runs, _, ridge, *_ = naive_measures(searched, members)
    limits, soft = searched.limits, ridge // (4 * runs)
    own = np.any([searched.piece(member) for member in members], axis=0)
    mask = ndimage.binary_dilation(own, np.ones((5, 5))) & (own | (searched.row_at == -2))
    y0, x0 = max(top - 4, 0), max(left - 4, 0)
    y1, x1 = min(bottom + 4, limits.height), min(right + 4, limits.width)
    long, short = max(y1 - y0, x1 - x0), min(y1 - y0, x1 - x0)
    level, grown, shrunk = searched.ink, 1, max(min(-(-long // 64), (short - 1) // 7), 1)  # 8 pixels are left across
    if long * limits.factor <= 64:
        level, grown = 255 - searched.frame, limits.factor

    def taken(y: int, x: int, paper: int) -> int:
        """The mean over a block, in units of 255 for all of the light."""
        rises = 0
        for row in range(y, min(y + shrunk, y1 * grown)):
            for column in range(x, min(x + shrunk, x1 * grown)):
                small = row // grown, column // grown
                rises += max(int(level[row, column]) - int(searched.paper[small]), 0) * int(mask[small])
        return rises * (65280 // (255 - paper)) // (256 * shrunk**2)

    return np.array(
        [
            [
                min(max(taken(y, x, int(searched.paper[y // grown, x // grown])) - soft, 0), 255)
                for x in range(x0 * grown, x1 * grown, shrunk)
            ]
            for y in range(y0 * grown, y1 * grown, shrunk)
        ]
    )


@settings(max_examples=examples(30))
@given(st.integers(0, 2**32 - 1), st.sampled_from([(60, 80), (160, 330), (150, 180), (640, 400)]), st.integers(0, 8))
@example(138345, (150, 180), 0)  # a block whose first pixel has lighter paper than the next one
@example(1534686, (60, 80), 1)  # a stroke that ends on a printed rule
def test_a_group_is_lifted_and_measured_by_the_definitions(seed, shape, noise):
    searched = Searched(255 - stroke_picture(seed, *shape, paper=70, noise=noise))
    dice, seams, members = np.random.default_rng(seed), [LEFT_END, RIGHT_END], list[Member]()
    for row in range(min(len(searched.table), 3)):
        found = searched.searcher.cut(row, max(seams) + 1)
        seams += range(max(seams) + 1, max(seams) + 1 + len(found))
        members.append((row, LEFT_END, dice.choice([RIGHT_END, *seams[len(seams) - len(found) :]])))
    whole = [(row, LEFT_END, RIGHT_END) for row, _, _ in members]
    for group in (whole, members):
        if any(searched.piece(member).any() for member in group):
            lifted = searched.searcher.lift(group)
            assert lifted.row == naive_measures(searched, group)
            np.testing.assert_array_equal(lifted.picture, naive_lift(searched, group))


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
@pytest.mark.parametrize(("side", "shown"), [(48, 64), (50, 33)])
def test_a_small_numeral_is_lifted_from_the_frame_and_a_larger_one_from_the_reduced_frame(side, shown, backend):
    """With the four pixels of the reduced frame around it, it is 64 pixels of the frame high, or 33 of the reduced."""
    frame = np.full((480, 640), 200, np.uint8)
    frame[200 : 200 + side, 300:308] = 40
    locator = Locator(480, 640, backend=backend)
    assert len(locator.find(frame)) == 1
    assert len(locator.lift([(0, LEFT_END, RIGHT_END)]).picture) == shown


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
