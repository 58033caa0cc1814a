"""Accepted numbers of a large picture, read once more each by itself: from afar a point or a minus is too small."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.number.line_reader import Number, size_of
from edge_lpdpl.number.pictures.nearer import part_of, shifted, table_of, together
from edge_lpdpl.number.reader import PageReader, Reading
from edge_lpdpl.numeral.recogniser import UNSURE
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.settings import reduction

LEAST_REDUCTION = 4
"""Pixels of a picture that become one of the reduced frame, from which on its numbers are read once more: in frames of
a camera two do."""
STEP = 160
"""Sides of the parts are whole multiples, so that a few readers do for all of them."""


def confirmed(
    reading: Reading, grey: NDArray[np.uint8], marks: Sequence[str], reader_of: Callable[[int, int], PageReader]
) -> Reading:
    """The numbers of a picture (height, width) uint8, each accepted one as it is read from its own part of the picture.

    A number that has other digits there is in doubt. One that is not found there stays.

    Args:
        marks: points and signs of its model, for each number.
        reader_of: a reader for parts of a height and width.
    """
    from_afar = reduction(max(grey.shape))
    if from_afar < LEAST_REDUCTION:
        return reading
    numbers = list[Number]()
    for number, known in zip(reading.numbers, marks, strict=True):
        part = _part_around(number, size_of([reading.numerals[place] for place in number.numerals]), *grey.shape)
        if number.rejected or not known or 2 * reduction(max(part[2:])) > from_afar:
            numbers.append(number)
            continue
        seen = reader_of(part.height, part.width).read(part_of(grey, part), cut_out=True).numbers
        here = together(number.box, table_of([shifted(one.box, part) for one in seen]))
        numbers.append(_as_seen(number, [seen[place] for place in np.flatnonzero(here).tolist()], known))
    return reading._replace(numbers=numbers)


def _part_around(number: Number, size: int, height: int, width: int) -> Box:
    """The number and its size around it, inside the picture."""
    x, y = max(number.box.x - size, 0), max(number.box.y - size, 0)
    wide, high = (-(-(side + 2 * size) // STEP) * STEP for side in number.box[2:])
    wide, high = min(wide, width), min(high, height)
    return Box(min(x, width - wide), min(y, height - high), wide, high)


def _as_seen(number: Number, seen: Sequence[Number], marks: str) -> Number:
    def digits(text: str) -> str:
        return "".join(character for character in text if character not in marks)

    if not seen:
        return number
    if len(seen) > 1 or digits(seen[0].text) != digits(number.text):
        return number._replace(reason=UNSURE)
    (one,) = seen
    return number._replace(text=one.text, value=one.value, confidence=one.confidence, reason=one.reason)
