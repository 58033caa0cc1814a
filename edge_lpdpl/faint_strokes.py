"""Strokes of a numeral on which the pen hardly wrote: they stand apart from the others, below Otsu's threshold."""

from edge_lpdpl.bitmap import box_of, clear_around, keep_parts, mark_rim, words_of
from edge_lpdpl.bits import count_bits
from edge_lpdpl.compiled import kernel
from edge_lpdpl.intrinsics import trailing_zeros
from edge_lpdpl.workspace import FAINT_REACH, FAINT_SHARE, WORD


@kernel
def mark_others(grey, width, level, ink, kept, marks):
    """Mark the pixels of the ink above `level` that are not kept.

    Returns:
        Number of pixels of the ink that are not kept, 0 where none of them is marked.
    """
    words, count, marked = words_of(width), 0, False
    for place in range(len(ink)):
        marks[place] = 0
        others = ink[place] & ~kept[place]
        count += count_bits(others)
        while others:
            if grey[place // words * width + place % words * WORD + trailing_zeros(others)] > level:
                marks[place] |= others & -others
                marked = True
            others &= others - 1
    return count if marked else 0


@kernel
def take_off(marks, others):
    """Take off the marks that are others too."""
    for place in range(len(marks)):
        marks[place] &= ~others[place]


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
    ink, seeds, part, kept, cut = bitmaps[0, :size], bitmaps[1, :size], bitmaps[2], bitmaps[3, :size], bitmaps[4, :size]
    speck = max(speck, int(FAINT_SHARE * height * width))
    if mark_others(grey, width, peak, ink, kept, seeds) < speck:
        return 0
    mark_rim(ink, height, width, seeds)
    take_off(seeds, kept)
    cut[:] = 0
    keep_parts(ink, seeds, part, height, words, 1, cut)
    mark_others(grey, width, peak, ink, kept, seeds)
    take_off(seeds, cut)
    top, bottom, left, right = box_of(kept, height, words)
    reach = int(FAINT_REACH * max(bottom - top, right - left))
    clear_around(seeds, height, words, top - reach, bottom + reach, left - reach, right + reach)
    return keep_parts(ink, seeds, part, height, words, speck, kept)
