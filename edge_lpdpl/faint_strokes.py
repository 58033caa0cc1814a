"""Strokes of a numeral on which the pen hardly wrote: they stand apart from the others, below Otsu's threshold."""

import numpy as np

from edge_lpdpl.bitmap import box_of, clear_around, keep_parts, mark_above, mark_rim, words_of
from edge_lpdpl.compiled import kernel
from edge_lpdpl.workspace import FAINT_REACH, FAINT_SHARE


@kernel
def take_off(marks, others):
    """Take the marks off that are others too; returns whether any are left."""
    left = 0
    for place in range(len(marks)):
        marks[place] &= ~others[place]
        left |= marks[place]
    return left != 0


@kernel
def keep_faint_strokes(grey, height, width, peak, speck, bitmaps):
    """Keep the parts of the ink as well that reach above `peak`, near the ink that is kept, if they are no specks.

    As faint a mark farther off is dirt, and what the picture's border cuts off is the paper's shade, or a line on it.

    Args:
        grey: (at least height * width + WORD,) uint8.
        speck: pixels of a speck at least.
        bitmaps: of the workspace: the ink; scratch; all 0 before and after; what is kept, added to; scratch.

    Returns:
        Number of pixels that are added.
    """
    words = words_of(width)
    size = height * words
    ink, seeds, part, kept, cut = bitmaps[0], bitmaps[1, :size], bitmaps[2], bitmaps[3, :size], bitmaps[4, :size]
    mark_above(grey, height, width, np.uint8(peak), seeds)
    if not take_off(seeds, kept):
        return 0
    mark_rim(ink, height, width, seeds)
    take_off(seeds, kept)
    cut[:] = 0
    keep_parts(ink, seeds, part, height, words, 1, cut)
    mark_above(grey, height, width, np.uint8(peak), seeds)
    take_off(seeds, kept)
    take_off(seeds, cut)
    top, bottom, left, right = box_of(kept, height, words)
    reach = int(FAINT_REACH * max(bottom - top, right - left))
    clear_around(seeds, height, words, top - reach, bottom + reach, left - reach, right + reach)
    return keep_parts(ink, seeds, part, height, words, max(speck, int(FAINT_SHARE * height * width)), kept)
