"""How much of the paper's light the ink takes: uneven light and shadow are gone after this.

The paper is what an opening leaves of the frame. It is smooth, so it is looked for in blocks of BLOCK x BLOCK pixels,
which all have the paper of their lightest one: a quarter of the work, and it stays in the fastest cache.
"""

import numpy as np

from edge_lpdpl.compiled import kernel
from edge_lpdpl.locate.parts_table import BLOCK, COARSEST_GRAIN, GRAIN_EVERY
from edge_lpdpl.opening import open_map


@kernel
def find_paper(ink, limits, blocks, spare):
    """The paper under the ink, in blocks, into `blocks` (blocks down * their stride,); light ink on dark."""
    rows, columns, whole = (limits.height + 1) // BLOCK, (limits.width + 1) // BLOCK, limits.width // BLOCK
    stride, pitch = limits.stride, limits.block_stride
    for row in range(rows):
        upper = ink[BLOCK * row * stride : BLOCK * row * stride + limits.width]
        below = min(BLOCK * row + 1, limits.height - 1) * stride
        lower = ink[below : below + limits.width]
        out = blocks[row * pitch : row * pitch + columns]
        for x in range(whole):
            out[x] = min(min(upper[2 * x], upper[2 * x + 1]), min(lower[2 * x], lower[2 * x + 1]))
        if whole < columns:
            out[whole] = min(upper[2 * whole], lower[2 * whole])
    open_map(blocks, spare, rows, columns, pitch, min(limits.window, rows, columns))


@kernel
def rise_above(ink, blocks, limits, counts, least, paper, share):
    """Write how far every pixel of ink rises above the paper into `share`, 0 elsewhere, and the paper into `paper`.

    Ink takes more than `limits.least_contrast` of the light, and rises by more than the paper's grain does.

    Args:
        blocks: the paper in blocks.
        least: (2, stride) uint8 scratch: the least level of ink.
    """
    height, width, stride, pitch = limits.height, limits.width, limits.stride, limits.block_stride
    columns = (width + 1) // BLOCK
    floor = np.uint8(noise_floor(ink, blocks, limits, counts))
    narrow, wide = least[0, :columns], least[1]
    for row in range((height + 1) // BLOCK):
        base = blocks[row * pitch : row * pitch + columns]
        least_levels(base, np.uint16(limits.least_contrast), floor, narrow)
        double(narrow, wide)
        double(base, paper[BLOCK * row * stride : (BLOCK * row + 1) * stride])
        for y in range(BLOCK * row, min(BLOCK * row + BLOCK, height)):
            here = slice(y * stride, y * stride + width)
            if y > BLOCK * row:
                copy(paper[here.start - stride : here.stop - stride], paper[here])
            rise_of_row(ink[here], paper[here], wide, share[here])


@kernel
def least_levels(base, wanted, floor, least):
    """The least level that is ink on paper of each level: `wanted` 256ths of its light more, and `floor` levels more.

    In steps, and cast at every one, or the loops run on 64-bit numbers.
    """
    for x in range(len(base)):
        least[x] = np.uint8(np.uint16(wanted * np.uint16(255 - base[x])) >> np.uint16(8))
    for x in range(len(base)):
        least[x] = max(least[x], floor)
    for x in range(len(base)):
        least[x] = min(least[x], np.uint8(255 - base[x]))
    for x in range(len(base)):
        least[x] += base[x]


@kernel
def double(row, out):
    """Each byte of a row, twice."""
    pairs = out[: 2 * len(row)].view(np.uint16)
    for x in range(len(row)):
        pairs[x] = np.uint16(row[x]) | np.uint16(np.uint16(row[x]) << np.uint16(8))


@kernel
def copy(row, out):
    """A row as it is."""
    for x in range(len(row)):
        out[x] = row[x]


@kernel
def rise_of_row(ink, paper, least, out):
    """How far what is above its least level rises above the paper, 0 elsewhere."""
    for x in range(len(ink)):
        rise = np.uint8(ink[x] - paper[x])  # computed for all, or it becomes a branch
        out[x] = rise if ink[x] > least[x] else np.uint8(0)


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
    wanted = (limits.height + GRAIN_EVERY - 1) // GRAIN_EVERY * whole
    seen = 0
    for level in range(256):
        seen += counts[level]
        if seen >= wanted:
            return min(3 * level, COARSEST_GRAIN)
    return COARSEST_GRAIN
