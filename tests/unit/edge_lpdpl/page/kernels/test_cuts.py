"""Seams are the cheapest of all ways through a part, and they divide its ink without rest."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_maps import as_map
from plain_python import examples
from scipy import ndimage

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.buffers import Buffers, make_buffers
from edge_lpdpl.page.kernels.cuts import find_cuts
from edge_lpdpl.page.kernels.parts import find_runs_again, number_parts
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.plain import cuts as plain
from edge_lpdpl.page.settings import Limits, LocateSettings, limits_of

pytestmark = pytest.mark.slow

both = pytest.mark.parametrize("backend", ["numba", "numpy"])

PEAK = 150
"""Contrast of the parts' strokes."""
Seam = tuple[int, list[int]]
"""Its cost, and its column in every row."""


def naive_ways(costs: np.ndarray, x: int) -> Iterator[Seam]:
    """All ways down from column x above the first row: straight or one pixel aside, which costs EMPTY."""
    if not len(costs):
        yield 0, []
        return
    for column in range(max(x - 1, 0), min(x + 2, costs.shape[1])):
        for cost, way in naive_ways(costs[1:], column):
            yield cost + int(costs[0, column]) + part.EMPTY * (column != x), [column, *way]


def naive_seams(costs: np.ndarray) -> list[int]:
    """Cost of the cheapest seam through each pixel of the middle row."""
    middle = len(costs) // 2
    upper, lower = costs[:middle][::-1], costs[middle + 1 :]
    ends = [(min(naive_ways(upper, x)), min(naive_ways(lower, x))) for x in range(costs.shape[1])]
    return [int(costs[middle, x]) + above[0] + below[0] for x, (above, below) in enumerate(ends)]


def naive_choice(costs: np.ndarray) -> list[int]:
    """Columns of seams that are no dearer than their neighbours, an eighth of the height apart, the cheapest first."""
    height, width = costs.shape
    apart, total, chosen = max(height // 8, 2), naive_seams(costs), list[int]()
    for x in sorted(range(apart, width - apart), key=lambda x: total[x]):
        if total[x] <= min(total[x - 1], total[x + 1]) and all(abs(x - other) >= apart for other in chosen):
            chosen.append(x)
    return chosen


def cost_of(seam: list[int], costs: np.ndarray) -> int:
    steps = [abs(below - above) for above, below in pairwise(seam)]
    assert max(steps) <= 1
    return int(sum(costs[y, x] for y, x in enumerate(seam))) + part.EMPTY * sum(steps)


def searched(picture: np.ndarray) -> tuple[Limits, Buffers, np.ndarray]:
    """Buffers with this contrast and its parts in the table, and the number of the part of each pixel."""
    limits = limits_of(LocateSettings(), *picture.shape)
    buffers = make_buffers(limits)
    buffers.contrast[limits.stride : -limits.stride] = as_map(picture)
    buffers.starts[:] = np.arange(1, limits.height + 1) * limits.stride
    find_runs_again(buffers.contrast, buffers.starts, limits, buffers.borders, buffers.firsts)
    number_parts(limits.height, buffers.borders, buffers.firsts, buffers.parts)
    labels, _ = ndimage.label(picture, np.ones((3, 3)))
    for row, (ys, xs) in enumerate(ndimage.find_objects(labels)):
        buffers.table[row, : part.AREA] = xs.start, ys.start, xs.stop, ys.stop
        buffers.table[row, part.RIDGE], buffers.table[row, part.RUNS] = PEAK, 1
        buffers.row_of[row] = row
    return limits, buffers, labels - 1


@settings(max_examples=examples(30))
@given(st.integers(0, 2**32 - 1), st.integers(8, 10), st.integers(5, 12), st.floats(0.2, 0.9), st.booleans())
def test_seams_are_the_cheapest_of_all(seed, height, width, share, faint):
    dice = np.random.default_rng(seed)
    ink = dice.integers(1, 40 if faint else 256, size=(height, width), dtype=np.uint8)
    picture = np.pad(ink * (dice.random((height, width)) < share).astype(np.uint8), [(3, 9), (4, 14)])
    limits, buffers, labels = searched(picture)
    row = int(np.bincount(labels[labels >= 0]).argmax()) if labels.max() >= 0 else 0
    left, top, right, bottom = buffers.table[row, : part.AREA]
    area = slice(top, bottom), slice(left, right)
    own = np.where(labels[area] == row, picture[area], 0)
    costs = part.EMPTY + np.minimum(255 * own.astype(int) // PEAK, 255) ** 2 // 255
    expected = naive_choice(costs) if bottom - top >= 8 else []
    count = find_cuts(row, part.FIRST_SEAM, limits, buffers)
    places = range(part.FIRST_SEAM, part.FIRST_SEAM + count)
    compiled = [(buffers.crossings[place].tolist(), buffers.seams[place, top:bottom] - left) for place in places]
    assert [crossing[part.COLUMN] - left for crossing, _ in compiled] == expected[:count]
    assert (count > 0) == (len(expected) > 0)
    arrays = plain.find_cuts(own, PEAK, count)
    total = naive_seams(costs) if expected else []
    for (crossing, seam), (cost, same) in zip(compiled, arrays, strict=True):
        x = crossing[part.COLUMN] - left
        assert seam[len(seam) // 2] == x
        assert crossing[part.COST] == cost == total[x] == cost_of(seam.tolist(), costs)
        np.testing.assert_array_equal(seam, same)


def scribble(seed: int, strokes: int) -> np.ndarray:
    """A frame with dark strokes at random."""
    random = np.random.default_rng(seed)
    frame = np.full((240, 320), 200.0)
    for _ in range(strokes):
        (x, y), (dx, dy) = random.uniform(60, 180, 2), random.uniform(-40, 40, 2)
        for step in np.linspace(0, 1, 60):
            column, row = int(x + step * dx), int(y + step * dy)
            frame[max(row - 2, 0) : row + 2, max(column - 2, 0) : column + 2] = 40
    return (frame + random.normal(0, 1, frame.shape)).clip(0, 255).astype(np.uint8)


@both
@settings(max_examples=examples(15))
@given(seed=st.integers(0, 10**6), strokes=st.integers(1, 8))
def test_the_pieces_of_a_part_have_all_of_its_ink_once(backend, seed, strokes):
    """Seams may run together, but they never cross."""
    locator = Locator(240, 320, backend=backend)
    for row, measures in enumerate(locator.find(scribble(seed, strokes))):
        seams = enumerate(locator.cut(row, part.FIRST_SEAM), part.FIRST_SEAM)
        inner = [number for _, number in sorted((seam[part.COLUMN], number) for number, seam in seams)]
        pieces = [locator.lift([(row, *ends)]) for ends in pairwise([part.LEFT_END, *inner, part.RIGHT_END])]
        assert sum(piece.row[part.AREA] for piece in pieces if piece) == measures[part.AREA]


def discs(distance: int) -> np.ndarray:
    """A frame with two discs of 40 pixels, `distance` pixels apart from middle to middle."""
    rows, columns = np.ogrid[:240, :320]
    inked = [(rows - 120) ** 2 + (columns - middle) ** 2 <= 20**2 for middle in (100, 100 + distance)]
    return np.where(inked[0] | inked[1], 40, 200).astype(np.uint8)


@both
def test_a_seam_divides_two_discs_at_their_neck(backend):
    locator = Locator(240, 320, backend=backend)
    assert len(locator.find(discs(38))) == 1
    _, column = locator.cut(0, part.FIRST_SEAM)[0]
    assert column == 119
    left = locator.lift([(0, part.LEFT_END, part.FIRST_SEAM)])
    assert left.row[part.RIGHT] <= 122


@both
@pytest.mark.parametrize(("level", "share"), [(200, 0), (120, 1 / 4), (80, 9 / 16), (40, 1)])
def test_between_two_strokes_half_of_their_contrast_costs_a_quarter(level, share, backend):
    """What blur leaves there is cheaper than a stroke, so a seam goes along it instead of across one."""
    frame = np.full((240, 320), 200, np.uint8)
    frame[100:140, 100:107] = frame[100:140, 109:116] = 40
    frame[138:140, 107:109] = 40
    frame[114:126, 107:109] = level
    locator = Locator(240, 320, backend=backend)
    assert len(locator.find(frame)) == 1
    cost, column = locator.cut(0, part.FIRST_SEAM)[0]
    assert column == 107
    assert cost == pytest.approx(40 * part.EMPTY + 255 * (2 + 12 * share), rel=0.02)


@both
@pytest.mark.parametrize(("height", "cut"), [(8, True), (7, False)])
def test_what_is_lower_than_eight_pixels_is_not_cut(height, cut, backend):
    frame = np.full((240, 320), 200, np.uint8)
    frame[100 : 100 + height, 100:140] = 40
    frame[100 : 100 + height - 3, 110:120] = 200
    locator = Locator(240, 320, backend=backend)
    assert len(locator.find(frame)) == 1
    assert bool(locator.cut(0, part.FIRST_SEAM)) == cut


@both
@pytest.mark.parametrize(("side", "cut"), [(196, True), (197, False)])
def test_what_is_larger_than_half_of_the_frame_is_not_cut(side, cut, backend):
    frame = np.full((240, 320), 200, np.uint8)
    frame[10 : 10 + side, 60 : 60 + side] = 40
    frame[18 : 2 + side, 68 : 52 + side] = 200
    locator = Locator(240, 320, backend=backend)
    assert len(locator.find(frame)) == 1
    assert bool(locator.cut(0, part.FIRST_SEAM)) == cut


@both
def test_seams_are_an_eighth_of_the_height_apart_and_few(backend):
    """A comb, 40 pixels high, whose teeth and gaps have two pixels each. All gaps cost the same."""
    frame = np.full((240, 320), 200, np.uint8)
    frame[100:140, 100:182] = 40
    for left in range(102, 182, 4):
        frame[100:136, left : left + 2] = 200
    locator = Locator(240, 320, backend=backend)
    assert len(locator.find(frame)) == 1
    columns = [seam[part.COLUMN] - 100 for seam in locator.cut(0, part.FIRST_SEAM)]
    assert columns == [6, 11, 18, 23, 30, 35, 42]
    assert len(columns) == int(part.CUTS * 82 / 40) + 1
