"""The frame becomes small, and light ink on dark, whatever it was."""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.memory import CACHE_LINE
from edge_lpdpl.page.parts_table import EVERY, TILE


@kernel
def reduce(grey, top, left, first, last, limits, flip, sums, out):
    """Block means, rounded half up, of `grey` from (top, left) on, for rows `first` up to `last` of the map; what is
    left over at the edges is not used.

    Columns are added up first, because that vectorises for blocks of any size.

    Args:
        grey: (frame height, frame width) uint8.
        flip: uint8, 255 to exchange light and dark, 0 not to.
        sums: (width * factor,) uint32.
        out: (height * stride,) uint8.
    """
    width, factor = limits.width, limits.factor
    for y in range(first, last):
        row = out[y * limits.stride : y * limits.stride + width]
        source = grey[top + y * factor, left : left + width * factor]
        if factor == 1:
            for x in range(width):
                row[x] = source[x] ^ flip
            continue
        if factor == 2:
            sums[0] = _fetch(source)
            _halve(source, grey[top + 2 * y + 1, left : left + 2 * width], flip, row)
            continue
        for x in range(width * factor):
            sums[x] = source[x]
        for inner in range(1, factor):
            source = grey[top + y * factor + inner, left : left + width * factor]
            for x in range(width * factor):
                sums[x] += source[x]
        area = factor * factor
        for x in range(width):
            total = 0
            for inner in range(x * factor, (x + 1) * factor):
                total += sums[inner]
            row[x] = np.uint8((total + area // 2) // area) ^ flip


@kernel
def _fetch(line):
    """Bring a line into the fastest cache, from its beginning to its end: a small core foresees what comes next in two
    places of the memory at a time, and fetches ahead in no third one. Returns what cannot be left out."""
    seen = np.uint8(0)
    for x in range(0, len(line), CACHE_LINE):
        seen |= line[x]
    return seen


@kernel
def _halve(upper, lower, flip, out):
    """Means of blocks of two by two pixels; cast at every step, or the loop runs on 64-bit numbers."""
    for x in range(len(out)):
        above = np.uint16(np.uint16(upper[2 * x]) + np.uint16(upper[2 * x + 1]))
        below = np.uint16(np.uint16(lower[2 * x]) + np.uint16(lower[2 * x + 1]))
        out[x] = np.uint8(np.uint16(above + below + np.uint16(2)) >> np.uint16(2)) ^ flip


@kernel
def strokes_are_dark(small, limits, levels, sums):
    """True where dark strokes stand out twice as much as light ones: where most of a tile of TILE x TILE pixels is
    nearer to its lightest than to its darkest pixel, and clearly. Tiles with the edge of something larger, such as the
    table that a page lies on, do not count.

    Args:
        levels: (2, at least width) uint8 scratch: the least and the greatest level of each column of a row of tiles.
        sums: (at least width,) uint32 scratch.
    """
    side = max(min(TILE, limits.height, limits.width), 1)
    width = limits.width // side * side
    totals, least, most = sums[:width].view(np.uint16)[:width], levels[0, :width], levels[1, :width]
    seen = (side + EVERY - 1) // EVERY * side
    light, dark = 0, 0
    for top in range(0, limits.height - side + 1, side):
        for x in range(width):
            totals[x], least[x], most[x] = 0, 255, 0
        for y in range(top, top + side, EVERY):
            row = small[y * limits.stride : y * limits.stride + width]
            for x in range(width):
                totals[x] += row[x]
                least[x] = min(least[x], row[x])
                most[x] = max(most[x], row[x])
        for left in range(0, width, side):
            tile = slice(left, left + side)
            lean = _lean(totals[tile], least[tile], most[tile], seen)
            if lean > 0:
                dark += lean * lean
            else:
                light += lean * lean
    return dark > 2 * light


@kernel
def _lean(totals, least, most, seen):
    """How much nearer `seen` pixels are to their lightest than to their darkest one, from what their columns have; 0
    where an edge goes through all columns, or an outer column is wholly of the rarer level."""
    total, darkest, lightest = np.uint32(0), np.uint8(255), np.uint8(0)
    for x in range(len(totals)):
        total += np.uint32(totals[x])
    for x in range(len(least)):
        darkest = min(darkest, least[x])
    for x in range(len(most)):
        lightest = max(lightest, most[x])
    both, half = int(lightest) + int(darkest), np.uint8(np.uint8(lightest - darkest) >> np.uint8(1))
    lean, flattest = (2 * int(total) - seen * both) // seen, np.uint8(255)
    for x in range(len(least)):
        flattest = min(flattest, np.uint8(most[x] - least[x]))
    darker, lighter = 2 * int(min(most[0], most[-1])), 2 * int(max(least[0], least[-1]))  # of the outer columns
    is_edge = darker < both if lean > 0 else lighter > both
    return 0 if is_edge or flattest > half else lean


@kernel
def invert_map(small, limits):
    """Exchange light and dark, but for the free bytes at the ends of the rows."""
    for y in range(limits.height):
        row = small[y * limits.stride : y * limits.stride + limits.width]
        for x in range(limits.width):
            row[x] = 255 - row[x]
