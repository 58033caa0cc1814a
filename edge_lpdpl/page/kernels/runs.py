"""Connected ink by runs: the ink pixels of each row in one piece, joined with those that they touch in the row above.

A picture of writing has few runs, so most of the work is to find them, eight pixels at a time. Two passes over them
suffice for any shape (He, Chao and Suzuki, "A run-based two-scan labeling algorithm", 2008).
"""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import as_words, trailing_zeros

LOWEST_BITS = 0x0101010101010101
"""Of the bytes of a word."""


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
            changes = word ^ (word << 8 | left)
            while changes:
                borders[count] = 8 * part + trailing_zeros(changes) // 8
                count += 1
                changes &= changes - 1
            left = word >> 56
    return count


@kernel
def join_runs(height, borders, firsts, parents):
    """Join the runs that touch, if only by a corner; parents[k] (runs,) int32 becomes the first run of the part
    that run k belongs to."""
    for run in range(firsts[height]):
        parents[run] = run
    for y in range(1, height):
        above, run = firsts[y - 1], firsts[y]
        last_above, last = firsts[y], firsts[y + 1]
        while above < last_above and run < last:
            end_above, end = borders[2 * above + 1], borders[2 * run + 1]
            if borders[2 * above] <= end and borders[2 * run] <= end_above:
                join(parents, above, run)
            if end_above < end:
                above += 1
            else:
                run += 1
    for run in range(firsts[height]):
        parents[run] = parents[parents[run]]


@kernel
def join(parents, one, other):
    """Make one of the two groups that `one` and `other` belong to; the member that comes first stands for all."""
    while parents[one] != one:
        parents[one] = parents[parents[one]]
        one = parents[one]
    while parents[other] != other:
        parents[other] = parents[parents[other]]
        other = parents[other]
    parents[max(one, other)] = min(one, other)
