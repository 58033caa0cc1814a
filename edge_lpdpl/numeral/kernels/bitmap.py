"""Connected ink in bitmaps: a bit for every pixel, sixty-four pixels of a row in a word.

A part grows row by row from one of its pixels, down to its end, then up again, as often as needed. All runs of a row
grow at once, and nothing branches on a pixel. Writing has few parts with few turns. A sweep goes on while it gains
pixels or the one before it did, so a maze costs no more than its runs and turns.

Bitmaps are flat, (height * words,) int64 with `words_of(width)` words a row; bits beyond the width are 0.
"""

import numpy as np

from edge_lpdpl.jit.bits import bits_above, count_bits, keep_bits, reverse_bits
from edge_lpdpl.jit.compiler import inlined, kernel
from edge_lpdpl.jit.intrinsics import trailing_zeros
from edge_lpdpl.jit.memory import WORD


@kernel
def words_of(width):
    """Words of a row of so many pixels."""
    return (width + WORD - 1) // WORD


@kernel
def mark_above(grey, height, width, level, marks):
    """Mark the pixels above `level` (uint8).

    Args:
        grey: (at least height * width + WORD,) uint8.
        marks: bitmap, written.
    """
    words = words_of(width)
    inside = ~(np.int64(-2) << (width - 1) % WORD)  # of the last word of a row
    for y in range(height):
        for word in range(words):
            marks[y * words + word] = bits_above(grey, y * width + WORD * word, level)
        marks[y * words + words - 1] &= inside


@inlined
def _fill_upwards(row, seeds):
    """The bits of each run of `row` from its lowest seed on: the carry of a sum runs to the end of the run."""
    seeds &= row
    return ((row + seeds) ^ row | seeds) & row


@inlined
def _fill_runs(ink, part, place, words):
    """Extend the part, in the row whose first word is at `place`, to the whole of each run that it has reached."""
    carried = 0
    for word in range(place, place + words):
        part[word] = _fill_upwards(ink[word], part[word] | carried)
        carried = part[word] >> (WORD - 1) & 1
    carried = 0
    for word in range(place + words - 1, place - 1, -1):
        part[word] = reverse_bits(_fill_upwards(reverse_bits(ink[word]), reverse_bits(part[word]) | carried))
        carried = part[word] & 1


@inlined
def _touch(ink, part, near, place, words):
    """Add to the part the runs of ink in the row at `place` that touch its row at `near`, if only by a corner.

    Returns:
        True where there are any.
    """
    gained = 0
    for word in range(words):
        bits = part[near + word]
        around = bits | bits << 1 | bits >> 1
        if word > 0:
            around |= part[near + word - 1] >> (WORD - 1) & 1
        if word + 1 < words:
            around |= part[near + word + 1] << (WORD - 1)
        fresh = around & ink[place + word] & ~part[place + word]
        part[place + word] |= fresh
        gained |= fresh
    if gained:
        _fill_runs(ink, part, place, words)
    return gained != 0


@kernel
def grow_part(ink, part, height, words, y):
    """Grow a part that has pixels in row `y` alone to all ink that is connected with them.

    Returns:
        The first row that has some of the part, and the last.
    """
    top = bottom = start = turn = y
    step, settled = 1, 0
    # A sweep starts where the last one gained its last row, and passes the row where that one had started. Both
    # directions are settled when neither of two sweeps gains any.
    while settled < 2:
        settled += 1
        near = here = last = start  # the first row touches itself, and is so filled
        while 0 <= here < height:
            if _touch(ink, part, near * words, here * words, words):
                last, settled = here, 1
            elif (here - turn) * step > 0:
                break
            near, here = here, here + step
        top, bottom = min(top, last), max(bottom, last)
        start, turn, step = last, start, -step
    return top, bottom


@kernel
def keep_parts(ink, seeds, part, height, words, speck, kept):
    """Keep the parts of the ink that have a seed and at least `speck` pixels.

    Args:
        ink: bitmap. seeds: bitmap, those in the ink are cleared. part: bitmap, all 0 before and after.
        kept: bitmap, to which they are added.

    Returns:
        Number of pixels that are added.
    """
    pixels = 0
    for place in range(height * words):
        while seeds[place] & ink[place]:
            seed = seeds[place] & ink[place]
            part[place] = seed & -seed  # one pixel of it
            top, bottom = grow_part(ink, part, height, words, place // words)
            size = 0
            for word in range(top * words, (bottom + 1) * words):
                size += count_bits(part[word])
                seeds[word] &= ~part[word]
            if size >= speck:
                pixels += size
                for word in range(top * words, (bottom + 1) * words):
                    kept[word] |= part[word]
            for word in range(top * words, (bottom + 1) * words):
                part[word] = 0
    return pixels


@kernel
def mark_rim(ink, height, width, marks):
    """Mark the ink in the outermost rows and columns."""
    words = words_of(width)
    first, last = np.int64(1), np.int64(1) << (width - 1) % WORD
    for y in range(height):
        row = y * words
        for word in range(words):
            marks[row + word] = ink[row + word] if y in (0, height - 1) else 0
        marks[row] |= ink[row] & first
        marks[row + words - 1] |= ink[row + words - 1] & last


@kernel
def clear_around(marks, height, words, top, bottom, left, right):
    """Clear the marks outside of a box; `bottom` and `right` are one past it. It may reach beyond the bitmap."""
    for word in range(words):
        first, past = max(left - WORD * word, 0), min(right - WORD * word, WORD)
        inside = np.int64(0)
        if first < past:
            inside = ~(np.int64(-2) << (past - 1)) & (np.int64(-1) << first)
        for y in range(height):
            marks[y * words + word] &= inside if top <= y < bottom else 0


@kernel
def box_of(marks, height, words):
    """The box around the pixels of a bitmap that has some: top, bottom (one past it), left and right (likewise)."""
    top, bottom, left, right = height, 0, words * WORD, 0
    for y in range(height):
        for word in range(words):
            bits = marks[y * words + word]
            if bits:
                top, bottom = min(top, y), y + 1
                left = min(left, WORD * word + trailing_zeros(bits))
                right = max(right, WORD * (word + 1) - trailing_zeros(reverse_bits(bits)))
    return top, bottom, left, right


@kernel
def lift_pixels(grey, height, width, marks, lifted):
    """The marked pixels, and 0 instead of the others; both (at least height * width + WORD,) uint8."""
    words = words_of(width)
    for y in range(height):
        for word in range(words):  # what it writes beyond the row is 0, and is written over by the next row
            keep_bits(marks[y * words + word], grey, lifted, y * width + WORD * word)
