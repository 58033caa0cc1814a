"""The frame becomes small, and light ink on dark, whatever it was."""

import numpy as np

from edge_lpdpl.compiled import kernel
from edge_lpdpl.locate.parts_table import EVERY, TILE


@kernel
def reduce(grey, top, left, limits, flip, sums, out):
    """Block means, rounded half up, of `grey` from (top, left) on; what is left over at the edges is not used.

    Columns are added up first, because that vectorises for blocks of any size.

    Args:
        grey: (frame height, frame width) uint8.
        flip: uint8, 255 to exchange light and dark, 0 not to.
        sums: (width * factor,) uint32.
        out: (height * stride,) uint8.
    """
    height, width, factor = limits.height, limits.width, limits.factor
    area = factor * factor
    for y in range(height):
        row = out[y * limits.stride : y * limits.stride + width]
        source = grey[top + y * factor, left : left + width * factor]
        if factor == 1:
            for x in range(width):
                row[x] = source[x] ^ flip
            continue
        if factor == 2:
            below = grey[top + 2 * y + 1, left : left + 2 * width]
            for x in range(width):
                # Cast at every step, or the loop runs on 64-bit numbers.
                upper = np.uint16(np.uint16(source[2 * x]) + np.uint16(source[2 * x + 1]))
                lower = np.uint16(np.uint16(below[2 * x]) + np.uint16(below[2 * x + 1]))
                row[x] = np.uint8(np.uint16(upper + lower + np.uint16(2)) >> np.uint16(2)) ^ flip
            continue
        for x in range(width * factor):
            sums[x] = source[x]
        for inner in range(1, factor):
            source = grey[top + y * factor + inner, left : left + width * factor]
            for x in range(width * factor):
                sums[x] += source[x]
        for x in range(width):
            total = 0
            for inner in range(x * factor, (x + 1) * factor):
                total += sums[inner]
            row[x] = np.uint8((total + area // 2) // area) ^ flip


@kernel
def strokes_are_dark(small, limits):
    """True where dark strokes stand out twice as much as light ones: where most of a tile of TILE x TILE pixels is
    nearer to its lightest than to its darkest pixel, and clearly."""
    side = max(min(TILE, limits.height, limits.width), 1)
    light = 0
    dark = 0
    for top in range(0, limits.height - side + 1, side):
        for left in range(0, limits.width - side + 1, side):
            total, seen = 0, 0
            least, most = 255, 0
            for y in range(top, top + side, EVERY):
                row = small[y * limits.stride + left : y * limits.stride + left + side]
                seen += side
                for x in range(side):
                    total += row[x]
                for x in range(side):
                    least = min(least, row[x])
                for x in range(side):
                    most = max(most, row[x])
            lean = (2 * total - seen * (most + least)) // seen
            if lean > 0:
                dark += lean * lean
            else:
                light += lean * lean
    return dark > 2 * light


@kernel
def invert_map(small, limits):
    """Exchange light and dark, but for the free bytes at the ends of the rows."""
    for y in range(limits.height):
        row = small[y * limits.stride : y * limits.stride + limits.width]
        for x in range(limits.width):
            row[x] = 255 - row[x]
