"""Large pictures are reduced to the working size by block means, in whole numbers."""

from edge_lpdpl.compiled import kernel
from edge_lpdpl.workspace import WORKING_SIDE


@kernel
def shrink(grey, out):
    """Copy `grey` into `out`, or its block means where the longer side exceeds WORKING_SIDE.

    Blocks are squares of ceil(longer side / WORKING_SIDE) pixels, cut at the edges; a mean rounds half up.

    Args:
        grey: (height, width) uint8.
        out: (at least WORKING_SIDE**2,) uint8, written row by row without gaps.

    Returns:
        Height and width of what was written.
    """
    height, width = grey.shape
    factor = (max(height, width) + WORKING_SIDE - 1) // WORKING_SIDE
    if factor == 1:
        for y in range(height):
            row = out[y * width : (y + 1) * width]
            for x in range(width):
                row[x] = grey[y, x]
        return height, width
    small_height, small_width = (height + factor - 1) // factor, (width + factor - 1) // factor
    for y in range(small_height):
        for x in range(small_width):
            bottom, right = min((y + 1) * factor, height), min((x + 1) * factor, width)
            total = 0
            for source_y in range(y * factor, bottom):
                for source_x in range(x * factor, right):
                    total += grey[source_y, source_x]
            area = (bottom - y * factor) * (right - x * factor)
            out[y * small_width + x] = (total + area // 2) // area
    return small_height, small_width
