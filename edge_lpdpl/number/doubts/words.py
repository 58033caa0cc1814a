"""A printed word before a number, such as `Total 427`: it is no part of it, and leaves no doubt about it."""

from collections.abc import Iterator, Sequence
from statistics import median

from edge_lpdpl.number.line_reader import Line
from edge_lpdpl.number.lines import Row, box_of, columns_of
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.boxes import Box

FEWEST = 3
"""Letters of a word."""
SPACE, LOWER = 0.5, 0.75
"""Free width behind a word, at least, and the height of each of its letters, at most, over the height of the numerals:
a digit in front of a wide space is higher."""
LEAST_LETTER = 0.5
"""Height of the last letter over that of half of them, at least: a minus is lower."""
MOST_WORDS = 3
"""Places in a line that are tried, from the left, where a word may end."""


def words_before(table: Sequence[Row], line: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """The parts of lower letters at the beginning of a line, and those of what follows them.

    >>> table = [[x, 14, x + 12, 30, *[0] * 6] for x in (0, 15, 30)] + [[x, 0, x + 20, 30, *[0] * 6] for x in (60, 90)]
    >>> list(words_before(table, [4, 3, 2, 1, 0]))
    [([0, 1, 2], [3, 4])]
    """
    columns = columns_of(table, line)
    boxes = [box_of([table[place] for place in column]) for column in columns]
    heights = [box[part.BOTTOM] - box[part.TOP] for box in boxes]
    for end in range(FEWEST, len(columns)):
        high, letters = median(heights[end:]), heights[:end]
        is_apart = boxes[end][part.LEFT] - boxes[end - 1][part.RIGHT] >= SPACE * high
        are_low = max(letters) <= LOWER * high and letters[-1] >= LEAST_LETTER * median(letters)
        if is_apart and are_low:
            yield (
                [place for column in columns[:end] for place in column],
                [place for column in columns[end:] for place in column],
            )


def is_before(word: Box, number: Box) -> bool:
    """Whether a letter is one of a word before a number.

    >>> is_before(Box(10, 20, 8, 10), Box(40, 10, 60, 30)), is_before(Box(10, 50, 8, 10), Box(40, 10, 60, 30))
    (True, False)
    """
    return word.right <= number.x and number.y <= word.y + word.height / 2 <= number.bottom


def is_word(read: Line) -> bool:
    """Whether what was read before a number is a word: half of its letters at least are unlike numerals."""
    return 2 * sum(one.recognition.rejected for one in read.numerals) >= len(read.numerals)
