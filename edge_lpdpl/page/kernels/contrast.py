"""How much of the paper's light the ink takes: uneven light and shadow are gone after this.

The paper is what an opening leaves of the frame. It is smooth, so it is looked for in blocks of BLOCK x BLOCK pixels,
which all have the paper of their lightest one: a quarter of the work, and it stays in the fastest cache. No map of the
paper is made of them: who asks for the paper of a pixel looks into its block.
"""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import as_words, trailing_zeros
from edge_lpdpl.numeral.kernels.ink import percentile_level
from edge_lpdpl.numeral.kernels.paper import open_map
from edge_lpdpl.page.parts_table import BLOCK, COARSEST_GRAIN, GRAIN_EVERY

LOWEST_BITS = 0x0101010101010101
"""Of the bytes of a word."""


@kernel
def lowest_in_blocks(ink, row, limits, blocks):
    """The darkest pixel of each block of a row of blocks, into `blocks` (blocks down * their stride,)."""
    columns, whole = (limits.width + 1) // BLOCK, limits.width // BLOCK
    upper = ink[BLOCK * row * limits.stride :]
    lower = ink[min(BLOCK * row + 1, limits.height - 1) * limits.stride :]
    out = blocks[row * limits.block_stride : row * limits.block_stride + columns]
    for x in range(whole):
        out[x] = min(min(upper[2 * x], upper[2 * x + 1]), min(lower[2 * x], lower[2 * x + 1]))
    if whole < columns:
        out[whole] = min(upper[2 * whole], lower[2 * whole])


@kernel
def find_paper(limits, blocks, spare):
    """The paper under the ink, in blocks: an opening of the blocks' darkest pixels; light ink on dark."""
    rows, columns = (limits.height + 1) // BLOCK, (limits.width + 1) // BLOCK
    open_map(blocks, spare, rows, columns, limits.block_stride, min(limits.window, rows, columns))


@kernel
def paper_at(blocks, y, x, limits):
    """The paper of a pixel."""
    return blocks[y // BLOCK * limits.block_stride + x // BLOCK]


@kernel
def rise_above(ink, blocks, limits, counts, lines, contrast, starts, borders, firsts):
    """Write how far every pixel of ink rises above the paper into `contrast`, 0 elsewhere, and find the runs of ink.

    Most rows of a frame have none: they all are the first row of `contrast`, which nothing is written to.

    Ink takes more than `limits.least_contrast` of the light, and rises by more than the paper's grain does.

    Args:
        blocks: the paper in blocks.
        lines: (3, stride) uint8 scratch: the least level of ink of a row of blocks, the same and the paper as wide as
            a row of pixels.
        starts: (height,) int64, written: where each row of `contrast` begins.
        borders: (runs * 2,) int32, written: where each run begins, and one past its last pixel.
        firsts: (height + 1,) int32, written: the first run of every row, and how many there are.
    """
    height, width, stride, pitch = limits.height, limits.width, limits.stride, limits.block_stride
    columns = (width + 1) // BLOCK
    floor = np.uint8(noise_floor(ink, blocks, limits, counts))
    wanted = np.uint16(limits.least_contrast)
    narrow, least, paper = lines[0, :columns], lines[1], lines[2]
    count, free = 0, stride
    for row in range((height + 1) // BLOCK):
        base = blocks[row * pitch : row * pitch + columns]
        least_levels(base, wanted, floor, narrow)
        double(narrow, least)
        double(base, paper)
        for y in range(BLOCK * row, min(BLOCK * row + BLOCK, height)):
            firsts[y], starts[y] = count // 2, 0
            if rise_of_row(ink[y * stride : y * stride + width], paper, least, contrast[free:]):
                count = add_runs(contrast[free : free + stride], borders, count)
                starts[y] = free
                free += stride
    firsts[height] = count // 2


@kernel
def least_levels(base, wanted, floor, least):
    """The least level that is ink on paper of each level: `wanted` 256ths of its light more, and `floor` levels more.

    In steps, and cast at every one, or the loops run on 64-bit numbers.
    """
    for x in range(len(base)):
        least[x] = np.uint8(np.uint16(wanted * np.uint16(255 - base[x])) >> np.uint16(8))
    for x in range(len(base)):
        least[x] = base[x] + min(max(least[x], floor), np.uint8(255 - base[x]))


@kernel
def double(row, out):
    """Each byte of a row, twice."""
    for x in range(len(row)):
        out[2 * x] = out[2 * x + 1] = row[x]


@kernel
def rise_of_row(ink, paper, least, out):
    """How far what is above its least level rises above the paper, 0 elsewhere; returns whether any is."""
    most = np.uint8(0)
    for x in range(len(ink)):
        rise = np.uint8(ink[x] - paper[x])  # computed for all, or it becomes a branch
        rise = rise if ink[x] > least[x] else np.uint8(0)
        most = max(most, rise)
        out[x] = rise
    return most > 0


@kernel
def noise_floor(ink, blocks, limits, counts):
    """What the grain of the paper alone reaches: three times the median of a row of every GRAIN_EVERY."""
    whole, stride, pitch = limits.width // BLOCK, limits.stride, limits.block_stride
    for level in range(256):
        counts[level] = 0
    for y in range(0, limits.height, GRAIN_EVERY):
        dark, base = ink[y * stride : y * stride + 2 * whole], blocks[y // BLOCK * pitch : y // BLOCK * pitch + whole]
        for x in range(whole):
            counts[np.uint8(dark[2 * x] - base[x])] += 1
            counts[np.uint8(dark[2 * x + 1] - base[x])] += 1
    counted = (limits.height + GRAIN_EVERY - 1) // GRAIN_EVERY * 2 * whole
    return min(3 * percentile_level(counts, counted, 50), COARSEST_GRAIN)


@kernel
def add_runs(row, borders, count):
    """Append the runs of the bytes of a row that are not 0 to the `count` borders that are there. A picture of writing
    has few runs, so most of the work is to find them, eight pixels at a time.

    Args:
        row: uint8, whole pairs of words, the last byte 0.
        borders: int32, written: first column of a run, and one past its last.

    Returns:
        The number of borders.
    """
    words = as_words(row)
    left = 0
    for pair in range(len(words) // 2):
        if words[2 * pair] | words[2 * pair + 1] | left == 0:
            continue
        for part in range(2 * pair, 2 * pair + 2):
            word = words[part] | words[part] >> 4  # of each byte, the lowest bit takes up the other seven
            word |= word >> 2
            word = (word | word >> 1) & LOWEST_BITS
            changes = word ^ (word << 8 | left)
            while changes:
                borders[count] = 8 * part + trailing_zeros(changes) // 8
                count += 1
                changes &= changes - 1
            left = word >> 56
    return count
