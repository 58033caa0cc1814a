"""The frame becomes small, and light ink on dark, whatever it was."""

from edge_lpdpl.compiled import kernel


@kernel
def reduce(grey, top, left, limits, stride, sums, out):
    """Block means, rounded half up, of `grey` from (top, left) on; what is left over at the edges is not used.

    Columns are added up first, because that vectorises for blocks of any size.

    Args:
        grey: (frame height, frame width) uint8.
        sums: (width * factor,) uint32.
        out: (height * stride,) uint8.
    """
    height, width, factor = limits.height, limits.width, limits.factor
    area = factor * factor
    for y in range(height):
        row = out[y * stride : y * stride + width]
        source = grey[top + y * factor, left : left + width * factor]
        if factor == 1:
            for x in range(width):
                row[x] = source[x]
            continue
        if factor == 2:
            below = grey[top + 2 * y + 1, left : left + 2 * width]
            for x in range(width):
                row[x] = ((source[2 * x] + source[2 * x + 1]) + (below[2 * x] + below[2 * x + 1]) + 2) >> 2
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
            row[x] = (total + area // 2) // area


@kernel
def ink_is_light(small, limits, stride):
    """True where light strokes stand out twice as much as dark ones: where most of a block of 32 x 32 pixels is nearer
    to its darkest than to its lightest pixel, and clearly."""
    side = min(32, limits.height, limits.width)
    light = 0
    dark = 0
    for top in range(0, limits.height - side + 1, side):
        for left in range(0, limits.width - side + 1, side):
            total = 0
            least, most = 255, 0
            for y in range(top, top + side):
                row = small[y * stride + left : y * stride + left + side]
                for x in range(side):
                    total += row[x]
                for x in range(side):
                    least = min(least, row[x])
                for x in range(side):
                    most = max(most, row[x])
            lean = (side * side * (most + least) - 2 * total) // (side * side)
            if lean > 0:
                light += lean * lean
            else:
                dark += lean * lean
    return light > 2 * dark


@kernel
def invert_map(small, limits, stride):
    """Exchange light and dark, but for the free bytes at the ends of the rows."""
    for y in range(limits.height):
        row = small[y * stride : y * stride + limits.width]
        for x in range(limits.width):
            row[x] = 255 - row[x]
