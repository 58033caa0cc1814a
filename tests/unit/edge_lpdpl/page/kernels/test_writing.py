"""What is left out: the kernels judge each row as the array operations judge all of them at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_maps import as_map
from plain_python import examples

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.buffers import PART_COUNT, ROW_COUNT, STRONGEST, UNREAD_COUNT, light_scale, make_buffers
from edge_lpdpl.page.kernels.writing import keep_writing, why_no_group, why_no_numeral, why_no_writing
from edge_lpdpl.page.plain import writing as plain
from edge_lpdpl.page.plain.parts import spread
from edge_lpdpl.page.settings import LocateSettings, limits_of

pytestmark = pytest.mark.slow

HEIGHT, WIDTH = 240, 320
seeds = st.integers(0, 2**32 - 1)


def some_rows(dice: np.random.Generator, count: int, *, faintest: int = 0) -> np.ndarray:
    """Rows of parts that a pen of any width may have left: bars, dots, characters and blots, also near the border."""
    table = np.zeros((count, part.COLUMNS), np.int64)
    pen = dice.integers(1, 30, count)
    widths, heights = (np.exp(dice.uniform(0, np.log(longest), count)).astype(int) for longest in (WIDTH, HEIGHT))
    widths, heights = np.maximum(widths, np.minimum(pen, WIDTH)), np.maximum(heights, np.minimum(pen, HEIGHT))
    table[:, part.LEFT] = dice.integers(0, WIDTH - widths + 1)
    table[:, part.TOP] = dice.integers(0, HEIGHT - heights + 1)
    table[:, part.RIGHT], table[:, part.BOTTOM] = table[:, part.LEFT] + widths, table[:, part.TOP] + heights
    length = np.maximum(np.maximum(widths, heights), dice.uniform(0.4, 3, count) * (widths + heights)).astype(int)
    table[:, part.AREA] = np.minimum(pen * length, widths * heights)
    table[:, part.RUNS] = heights + dice.integers(0, 1 + heights)
    table[:, part.SHARED] = np.maximum(table[:, part.AREA] + table[:, part.RUNS] - length - pen, 0)
    table[:, part.RIDGE] = table[:, part.RUNS] * dice.integers(faintest, 256, count) + dice.integers(0, 2, count)
    table[:, part.OPEN] = table[:, part.RUNS] * np.maximum(dice.uniform(-1, 0.5, count), 0)
    table[:, part.LONGEST] = np.maximum(widths, heights) * dice.uniform(0.2, 1, count)
    return table


OF_PARTS = {0, part.TOUCHES_BORDER, part.TOO_BOLD, part.TOO_LARGE, part.A_LINE}
OF_NUMERALS = {0, part.TOO_BOLD, part.TOO_LARGE, part.TOO_SMALL, part.TOO_FAINT, part.A_LINE, part.PRINT}


@pytest.mark.parametrize(
    ("rule", "same_rule", "dots", "given_reasons"),
    [
        (why_no_writing, plain.why_no_writing, 0.14, OF_PARTS),
        (why_no_writing, plain.why_no_writing, 0, OF_PARTS),
        (why_no_numeral, plain.why_no_numeral, 0.14, OF_NUMERALS),
        (why_no_numeral, plain.why_no_numeral, 0, OF_NUMERALS - {part.TOO_FAINT}),
    ],
    ids=["parts", "parts without dots", "numerals", "numerals without dots"],
)
def test_each_row_has_the_reason_that_the_arrays_give(rule, same_rule, dots, given_reasons):
    limits = limits_of(LocateSettings(largest_dot=dots), HEIGHT, WIDTH)
    table = some_rows(np.random.default_rng(0), 4000)
    reasons = same_rule(table, limits).tolist()
    assert [rule(row, limits) for row in table] == reasons
    assert set(reasons) == given_reasons


@settings(max_examples=examples(30))
@given(seeds, st.integers(0, 40), st.sampled_from([0, 40, 120]))
def test_the_kept_rows_close_up_and_the_others_are_listed(seed, count, faintest):
    dice = np.random.default_rng(seed)
    limits = limits_of(LocateSettings(), HEIGHT, WIDTH)
    table = some_rows(dice, count, faintest=faintest)
    buffers = make_buffers(limits)
    buffers.table[:count] = table
    row_of = dice.permutation([*range(count), -1, -1])
    buffers.row_of[: count + 2], buffers.found[PART_COUNT] = row_of, count + 2
    before = [1, 2, 3, 4, part.TOUCHES_BORDER, 99, 0, 0]
    buffers.unread[:], buffers.unread[0], buffers.found[UNREAD_COUNT] = 7, before, 1  # those of another frame
    kept, places, left_out, strongest = plain.keep_writing(table, limits)
    assert keep_writing(count, limits, buffers) == buffers.found[ROW_COUNT] == len(kept)
    assert buffers.found[STRONGEST] == strongest
    np.testing.assert_array_equal(buffers.table[: len(kept)], kept)
    assert buffers.unread[: buffers.found[UNREAD_COUNT]].tolist() == [before, *left_out.tolist()]
    moved = np.append(places, -1)[row_of]
    np.testing.assert_array_equal(np.maximum(buffers.row_of[: count + 2], -1), moved)


def test_a_group_is_judged_by_what_is_around_it():
    """Bars and crosses where pieces of lines cross, some of them at the border of the frame."""
    seen = set()
    for seed in range(20):
        dice = np.random.default_rng(seed)
        limits = limits_of(LocateSettings(), 60, 81)
        blocks = dice.integers(0, 120, size=(30, 41), dtype=np.uint8)
        paper = spread(blocks, 60, 81)
        share, rows, columns = np.zeros((60, 81)), dice.integers(0, 60, 6), dice.integers(0, 81, 6)
        for y, x in zip(rows, columns, strict=True):
            share[y : y + 2, dice.integers(0, 20) : dice.integers(60, 82)] = dice.uniform(0.1, 1)
            share[dice.integers(0, 15) : dice.integers(45, 61), x : x + 2] = dice.uniform(0.1, 1)
        ink = (paper + share * (255 - paper)).astype(np.uint8)
        buffers = make_buffers(limits)
        buffers.ink[:] = as_map(ink)
        buffers.blocks.reshape(-1, limits.block_stride)[:, : blocks.shape[1]] = blocks
        buffers.found[STRONGEST] = strongest = int(dice.integers(50, 256))
        rise = ((ink - paper).astype(np.int64) * light_scale()[paper]) >> 8
        for y, x in zip(rows, columns, strict=True):
            for row in bars_and_cross(dice, y, x):
                reason = plain.why_no_group(row, strongest, rise, limits)
                assert why_no_group(row, limits, buffers) == reason
                seen.add(reason)
    assert seen >= {0, part.TOO_FAINT, part.A_LINE}


def bars_and_cross(dice: np.random.Generator, y: int, x: int) -> list[np.ndarray]:
    """Rows of a lying bar, an upright one and a cross, three pixels thick, through a point of a map of 60 x 81."""
    reach, peak, rows = int(dice.integers(6, 14)), int(dice.integers(20, 256)), []
    for across, down in [(reach, 1), (1, reach), (reach, reach)]:
        left, right, top, bottom = max(x - across, 0), min(x + across + 1, 81), max(y - down, 0), min(y + down + 1, 60)
        wide, high = right - left, bottom - top
        area = 3 * (wide + high - 3) if across == down else wide * high
        rows.append(np.array([left, top, right, bottom, area, high, area - wide, high * peak, 0, max(wide, high)]))
    return rows
