"""Connected parts are those of SciPy; what is cleared and measured is what the definitions say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_maps import as_map
from plain_python import examples
from scipy import ndimage

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.buffers import PART_COUNT, UNREAD_COUNT, Buffers, make_buffers
from edge_lpdpl.page.kernels.parts import find_runs_again, keep_cores, measure_parts, number_parts
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.plain import parts as plain
from edge_lpdpl.page.settings import Limits, LocateSettings, limits_of

pytestmark = pytest.mark.slow

seeds = st.integers(0, 2**32 - 1)
sides = st.integers(8, 40)


def buffers_with(contrast: np.ndarray, limits: Limits) -> Buffers:
    """Buffers with this map of contrast and its runs, on black paper, which sends back all of the light."""
    buffers = make_buffers(limits)
    buffers.contrast[limits.stride : -limits.stride] = as_map(contrast)
    buffers.starts[:] = np.arange(1, limits.height + 1) * limits.stride
    find_runs_again(buffers.contrast, buffers.starts, limits, buffers.borders, buffers.firsts)
    return buffers


def map_of(buffers: Buffers, limits: Limits) -> np.ndarray:
    return buffers.contrast.reshape(-1, limits.stride)[1:-1, : limits.width].copy()


def blots(seed: int, height: int, width: int, share: float) -> np.ndarray:
    """A map of contrast with blots of any size, darker in the middle."""
    dice = np.random.default_rng(seed)
    smooth = ndimage.gaussian_filter(dice.random((height, width)), dice.uniform(0.5, 2))
    faintest = np.quantile(smooth, 1 - share)
    levels = dice.integers(30, 256) * (smooth - faintest) / (smooth.max() - faintest + 1e-9)
    return (np.maximum(levels, 0) + (levels > 0)).astype(np.uint8)


def naive_parts(contrast: np.ndarray) -> list[np.ndarray]:
    """Where each part has ink, in the order of their first pixels."""
    labels, count = ndimage.label(contrast, np.ones((3, 3)))
    return [labels == number + 1 for number in range(count)]


def naive_runs(inside: np.ndarray) -> list[tuple[int, int, int]]:
    """Row, first column and one past the last column of each stretch of ink."""
    found = []
    for y, line in enumerate(np.pad(inside, [(0, 0), (1, 1)]).astype(int)):
        changes = np.diff(line)
        starts, ends = np.flatnonzero(changes == 1).tolist(), np.flatnonzero(changes == -1).tolist()
        found += [(y, start, end) for start, end in zip(starts, ends, strict=True)]
    return found


@settings(max_examples=examples(40))
@given(seeds, st.integers(1, 30), st.integers(1, 30), st.floats(0.05, 0.95))
def test_parts_are_those_of_scipy(seed, height, width, share):
    picture = (np.random.default_rng(seed).random((height, width)) < share).astype(np.uint8)
    limits = limits_of(LocateSettings(), height, width)
    buffers = buffers_with(picture, limits)
    found = number_parts(height, buffers.borders, buffers.firsts, buffers.parts)
    labels = np.zeros((height, width), np.int64)
    for y in range(height):
        for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
            labels[y, buffers.borders[2 * run] : buffers.borders[2 * run + 1]] = buffers.parts[run] + 1
    expected, count = ndimage.label(picture, np.ones((3, 3)))
    assert found == count
    np.testing.assert_array_equal(labels, expected)  # both number them by their first pixels


def naive_cores(contrast: np.ndarray, limits: Limits) -> tuple[np.ndarray, list[list[int]]]:
    """What is left of each part, and the rows of those at the border that are cleared as things."""
    kept, things = contrast.copy(), []
    height, width = contrast.shape
    for inside in naive_parts(contrast):
        least = int(contrast[inside].max()) * limits.core / 256
        levels = []
        for y, start, end in naive_runs(inside):
            at_border = [contrast[y, x] for x in (0, width - 1) if start <= x < end]
            at_border += [contrast[y, start:end].max()] if y in (0, height - 1) else []
            levels += [int(max(at_border))] if at_border else []
        if levels:
            level = sum(levels) // len(levels)
            least = max(least, level + (255 - level) * limits.ground / 256)
            if level > limits.darkest_ground:
                ys, xs = np.nonzero(inside)
                box = xs.min(), ys.min(), xs.max() + 1, ys.max() + 1
                things.append([*box, part.TOUCHES_BORDER, contrast[inside].max(), 0, 0])
                least = 256
        kept[inside & (contrast < least)] = 0
    return kept, things


@settings(max_examples=examples(40))
@given(seeds, sides, sides, st.floats(0.05, 0.6))
def test_what_is_too_faint_for_its_part_or_its_ground_is_cleared(seed, height, width, share):
    contrast = blots(seed, height, width, share)
    limits = limits_of(LocateSettings(), height, width)
    kept, things = naive_cores(contrast, limits)
    buffers = buffers_with(contrast, limits)
    keep_cores(limits, buffers)
    np.testing.assert_array_equal(map_of(buffers, limits), kept)
    assert buffers.unread[: buffers.found[UNREAD_COUNT]].tolist() == things
    boxes = plain.keep_cores(contrast, limits)
    np.testing.assert_array_equal(contrast, kept)
    assert boxes.tolist() == things


def naive_row(inside: np.ndarray, contrast: np.ndarray, ink: np.ndarray, paper: np.ndarray) -> list[int]:
    """The measures of a part."""
    ys, xs = np.nonzero(inside)
    runs = naive_runs(inside)
    left, top, right, bottom = xs.min(), ys.min(), xs.max() + 1, ys.max() + 1
    below = sum(y > 0 and contrast[y - 1, x] > 0 for y, x in zip(ys, xs, strict=True))
    ridge = sum(int(contrast[y, start:end].max()) for y, start, end in runs)
    open_sides = 0
    for y, start, end in runs:
        middle = (start + end) // 2
        base = int(paper[y, middle])

        def goes_on(y: int, x: int, base: int = base, rise: int = int(ink[y, middle]) - base) -> bool:
            y, x = min(max(y, 0), len(ink) - 1), min(max(x, 0), ink.shape[1] - 1)
            return contrast[y, x] == 0 and int(ink[y, x]) - base > 0.75 * rise

        open_sides += goes_on(y, start - 2) != goes_on(y, end + 1)
        open_sides += goes_on(y - 2, middle) != goes_on(y + 2, middle)
    longest = max(right - left, bottom - top)
    return [left, top, right, bottom, len(ys), len(runs), below, ridge, open_sides, longest]


@settings(max_examples=examples(40))
@given(seeds, sides, sides, st.floats(0.05, 0.6))
def test_parts_are_measured_by_their_definitions(seed, height, width, share):
    """The dark around them is no ink, where the map of contrast was cleared."""
    contrast = blots(seed, height, width, share)
    dice = np.random.default_rng(seed)
    blocks = dice.integers(0, 60, size=(-(-height // 2), -(-width // 2)), dtype=np.uint8)
    paper = plain.spread(blocks, height, width)
    ink = np.maximum(paper, ndimage.gaussian_filter(contrast, 1) // 2 + contrast // 2)
    limits = limits_of(LocateSettings(), height, width)
    buffers = buffers_with(contrast, limits)
    buffers.ink[:] = as_map(ink)
    buffers.blocks.reshape(-1, limits.block_stride)[:, : blocks.shape[1]] = blocks
    rows = [naive_row(inside, contrast, ink, paper) for inside in naive_parts(contrast)]
    table = [row for row in rows if row[part.AREA] >= limits.least_area]
    row_of = [table.index(row) if row in table else -1 for row in rows]
    assert measure_parts(limits, buffers) == len(table)
    assert buffers.table[: len(table)].tolist() == table
    assert buffers.row_of[: buffers.found[PART_COUNT]].tolist() == row_of
    same, _, same_rows, too_much = plain.measure_parts(contrast, np.zeros(contrast.shape, bool), ink, paper, limits)
    assert same.tolist() == table
    assert same_rows.tolist() == row_of
    assert not len(too_much)


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize(("large", "found"), [(6, 256), (7, 7)])
def test_of_more_parts_than_there_is_room_for_the_largest_are_kept(large, found, backend):
    """250 squares of 3 x 3 pixels, and some of 5 x 5."""
    frame = np.full((240, 320), 200, np.uint8)
    places = [(10 + 12 * (number // 25), 10 + 12 * (number % 25)) for number in range(250 + large)]
    for number, (y, x) in enumerate(places):
        side = 3 if number < 250 else 5
        frame[y : y + side, x : x + side] = 40
    locator = Locator(240, 320, backend=backend)
    table = locator.find(frame)
    assert len(table) == found
    assert [row[part.AREA] for row in table[-large:]] == [25] * large
    unread = [one for one in locator.unread() if one.reason == "too_much_ink"]
    small = places[:250] if found == large else []
    assert all(any(_holds(one.box, y, x) for one in unread) for y, x in small)
    assert max((one.box.height for one in unread), default=0) <= part.TILE
    assert bool(unread) == bool(small)


def test_both_backends_list_the_same_of_too_many_parts():
    dice, frame = np.random.default_rng(5), np.full((480, 640), 200, np.uint8)
    for y in range(20, 460, 14):
        for x in range(20, 620, 16):
            frame[y : y + dice.integers(4, 12), x : x + dice.integers(4, 14)] = dice.integers(30, 120)
    unread = []
    for backend in ("numba", "numpy"):
        locator = Locator(480, 640, backend=backend)
        locator.find(frame)
        unread.append(locator.unread())
    assert unread[0] == unread[1]
    assert [one.reason for one in unread[0]].count("too_much_ink") > 20


def _holds(box: Box, y: int, x: int) -> bool:
    return box.x <= x < box.right and box.y <= y < box.bottom
