"""Connected ink by runs: the ink pixels of each row in one piece, joined with those that they touch in the row above.

A picture of writing has few runs, so most of the work is to find them, eight pixels at a time. Two passes over them
suffice for any shape (He, Chao and Suzuki, "A run-based two-scan labeling algorithm", 2008).
"""

from edge_lpdpl.compiled import kernel
from edge_lpdpl.intrinsics import as_words, trailing_zeros

LOWEST_BITS = 0x0101010101010101
"""Of the bytes of a word."""


@kernel
def find_runs(grey, height, width, low, marks, borders, firsts):
    """Runs of the pixels above `low`, row by row: run k of the picture is borders[2 * k] up to borders[2 * k + 1].

    Args:
        grey: (at least height * width,) uint8.
        low: uint8.
        marks: (more than width, in whole pairs of words,) uint8 scratch.
        borders: (2 * MOST_RUNS,) int32, written: first column of a run, and one past its last.
        firsts: (WORKING_SIDE + 1,) int32, written: the first run of every row, and one past the last run of all.
    """
    pairs = width // 16 + 1  # one pixel at least is left over, and ends the last run
    words = as_words(marks)[: 2 * pairs]
    for x in range(width // 16 * 16, 16 * pairs):
        marks[x] = 0
    count = 0
    for y in range(height):
        firsts[y] = count // 2
        row = grey[y * width : (y + 1) * width]
        for x in range(width):
            marks[x] = row[x] > low
        left = 0
        for pair in range(pairs):
            if words[2 * pair] | words[2 * pair + 1] | left == 0:
                continue
            for part in range(2 * pair, 2 * pair + 2):
                count = _add_borders(words[part], left, 8 * part, borders, count)
                left = words[part] >> 56
    firsts[height] = count // 2


@kernel
def add_runs(row, borders, count):
    """Append the runs of the bytes of a row that are not 0 to the `count` borders that are there.

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
            count = _add_borders(word, left, 8 * part, borders, count)
            left = word >> 56
    return count


@kernel
def _add_borders(marks, left, first, borders, count):
    """Append where the marks (0 or 1, eight in a word, from column `first` on) change; `left` is the one before."""
    changes = marks ^ (marks << 8 | left)
    while changes:
        borders[count] = first + trailing_zeros(changes) // 8
        count += 1
        changes &= changes - 1
    return count


@kernel
def join_runs(height, borders, firsts, parents):
    """Join the runs that touch, if only by a corner; parents[k] (MOST_RUNS,) int32 becomes the first run of the part
    that run k belongs to."""
    for run in range(firsts[height]):
        parents[run] = run
    for y in range(1, height):
        above, run = firsts[y - 1], firsts[y]
        last_above, last = firsts[y], firsts[y + 1]
        while above < last_above and run < last:
            end_above, end = borders[2 * above + 1], borders[2 * run + 1]
            if borders[2 * above] <= end and borders[2 * run] <= end_above:
                _join(parents, above, run)
            if end_above < end:
                above += 1
            else:
                run += 1
    for run in range(firsts[height]):
        parents[run] = parents[parents[run]]


@kernel
def _join(parents, one, other):
    """Make two parts one; the earlier of their first runs stands for both."""
    while parents[one] != one:
        parents[one] = parents[parents[one]]
        one = parents[one]
    while parents[other] != other:
        parents[other] = parents[parents[other]]
        other = parents[other]
    parents[max(one, other)] = min(one, other)


@kernel
def keep_runs(grey, height, width, threshold, speck, borders, firsts, parents, sizes):
    """Keep the parts of at least `speck` pixels, one of them above `threshold`; the others' runs are made empty.

    Args:
        sizes: (MOST_RUNS,) int32 scratch.

    Returns:
        Number of pixels that are kept.
    """
    for run in range(firsts[height]):
        sizes[run] = 0
    for y in range(height):
        for run in range(firsts[y], firsts[y + 1]):
            most = 0
            pixels = grey[y * width + borders[2 * run] : y * width + borders[2 * run + 1]]
            for x in range(len(pixels)):
                most = max(most, pixels[x])
            part = parents[run]
            # A part that has a seed is marked by the sign: sizes are counted down from then on.
            size = abs(sizes[part]) + len(pixels)
            sizes[part] = -size if sizes[part] < 0 or most > threshold else size
    kept = 0
    for run in range(firsts[height]):
        if -sizes[parents[run]] >= speck:
            kept += borders[2 * run + 1] - borders[2 * run]
        else:
            borders[2 * run + 1] = borders[2 * run]
    return kept
