"""Numbers in doubt, read once more from nearer: each in a part of the picture with all ink that may belong to it.

From nearer a stroke is told from the printed rule that it crosses, and a gap from one that is not there. Rules that are
too thick there to be told from strokes are told farther off, from twice as far as before at most.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import SMALLEST_SIDE
from edge_lpdpl.number.doubts.divided import WIDEST_APART
from edge_lpdpl.number.doubts.lost_ink import ABOVE
from edge_lpdpl.number.line_reader import INK_UNREAD
from edge_lpdpl.number.pictures.confirming import digits_of
from edge_lpdpl.number.pictures.nearer import Found, View, found_in, in_order, numbers_of, part_of, reading_of, table_of
from edge_lpdpl.number.pictures.parts import distances_below, parts_around
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.page.boxes import RULES, TOO_SMALL, Box, Unread, around, holds_middle, longest_side, widened
from edge_lpdpl.page.parts_table import REDUCED_SIDE
from edge_lpdpl.page.settings import reduction

PAPER = 0.5
"""Width of the paper that is read around a number and its surroundings, over the size of its numerals."""
FARTHER = 2
"""How much farther off thick rules are looked at."""


class _Doubt(NamedTuple):
    """Where a number may be that is in doubt, or too small to be read from afar."""

    box: Box
    """Of all ink that may belong to it."""
    size: int
    """Of its numerals."""


def look_again(
    view: View,
    grey: NDArray[np.uint8],
    from_afar: int,
    marks: Mapping[str, str],
    least: Mapping[str, float],
    reader_of: Callable[[int, int], PageReader],
) -> View:
    """What was read of a picture (height, width) uint8; where a number is in doubt, or the ink in printed boxes is too
    small, it is read from elsewhere. One that is accepted counts, if it is alone there and has all numerals of those
    that it stands for.

    Args:
        from_afar: pixels of the picture that were one of the reduced frame.
        marks: as of `marks_of`.
        least: confidence of an accepted number at least, by model, the first one first.
        reader_of: a reader for parts of a height and width.
    """
    found, unread = list(found_in(view)), list(view.reading.unread)
    looks = _Looks(grey, from_afar, reader_of)
    for doubt in dict.fromkeys(_doubts(found, unread, looks.widest)):
        known = [one for one in found if holds_middle(doubt.box, one.number.box)]
        for seen in looks.at(doubt):
            if len(seen) != 1:
                continue
            (one,) = seen
            name = one.model.name if one.model else next(iter(marks))
            is_sure = one.number.confidence >= least[name] and not _may_lack_mark(one, unread)
            if is_sure and _stands_for(one, known, marks[name]):
                found = [*(other for other in found if not holds_middle(doubt.box, other.number.box)), one]
                box = one.number.box
                unread = [ink for ink in unread if ink.reason == RULES or not holds_middle(box, ink.box)]
                break
    found = [found[place] for place in in_order(found)]
    locate_us, recognise_us = view.reading.locate_us + looks.locate_us, view.reading.recognise_us + looks.recognise_us
    reading = reading_of(found)._replace(unread=unread, locate_us=locate_us, recognise_us=recognise_us)
    return view._replace(reading=reading, places=[place for one in found for place in one.places])


class _Looks:
    """Reads parts of a picture, each once.

    Args:
        grey, from_afar, reader_of: as of `look_again`.
    """

    def __init__(self, grey: NDArray[np.uint8], from_afar: int, reader_of: Callable[[int, int], PageReader]) -> None:
        self._grey, self._reader_of = grey, reader_of
        self._distances, (height, width) = distances_below(from_afar), grey.shape
        is_whole = from_afar == reduction(max(height, width))
        can_shrink = is_whole and min(height, width) >= FARTHER * from_afar * SMALLEST_SIDE
        self._farther = [(Box(0, 0, width, height), FARTHER * from_afar)] if can_shrink else []
        self._known = dict[tuple[Box, int], list[Found]]()
        self.widest = max(self._distances, default=from_afar) * REDUCED_SIDE
        """Longer side of what is read from nearer, at most."""
        self.locate_us = self.recognise_us = 0.0

    def at(self, doubt: _Doubt) -> Iterator[list[Found]]:
        """The numbers that are read where one is in doubt, from nearer and then from farther off."""
        surroundings = widened(doubt.box, round(PAPER * doubt.size))
        nearer = [(part, 1) for part, _ in parts_around(surroundings, self._distances, self._grey.shape)]
        for part in nearer + self._farther:
            yield [one for one in self._read(*part) if holds_middle(doubt.box, one.number.box)]

    def _read(self, part: Box, shrunk: int) -> list[Found]:
        if (part, shrunk) not in self._known:
            picture = part_of(self._grey, part, shrunk)
            read = self._reader_of(*picture.shape).read(picture)
            self.locate_us, self.recognise_us = self.locate_us + read.locate_us, self.recognise_us + read.recognise_us
            self._known[part, shrunk] = list(numbers_of(read, part, shrunk))
        return self._known[part, shrunk]


def _stands_for(seen: Found, known: Sequence[Found], marks: str) -> bool:
    """Whether a number that was read from elsewhere is accepted, and has all numerals of these numbers in doubt. It has
    no points and signs where ink of them was unread, and those that one of them with the same digits has."""
    reasons, box, text = {one.number.reason for one in known}, seen.number.box, seen.number.text
    if seen.number.rejected or None in reasons or (INK_UNREAD in reasons and set(text) & set(marks)):
        return False
    with_marks = {one.number.text for one in known if set(one.number.text) & set(marks)} - {text}
    if digits_of(text, marks) in {digits_of(other, marks) for other in with_marks}:
        return False
    return all(holds_middle(box, numeral.box) for one in known for numeral in one.numerals)


def _may_lack_mark(seen: Found, unread: Sequence[Unread]) -> bool:
    """Whether ink that was unread may be a point of a number that was read from farther off, where it is too small."""
    if seen.places[0].shrunk == 1:
        return False
    inside = [ink.box for ink in unread if ink.reason != RULES and holds_middle(seen.number.box, ink.box)]
    return any(not any(holds_middle(one.box, box) for one in seen.numerals) for box in inside)


def _doubts(found: Sequence[Found], unread: Sequence[Unread], most: int) -> Iterator[_Doubt]:
    """The numbers in doubt, and the ink that is too small in each printed frame without a number."""
    ink = table_of([one.number.box for one in found] + [one.box for one in unread if one.reason != RULES])
    frames = [one.box for one in unread if one.reason == RULES]
    for one in found:
        if one.number.rejected:
            own = around([one.number.box, *(frame for frame in frames if holds_middle(frame, one.number.box))])
            size = longest_side(numeral.box for numeral in one.numerals)
            yield _Doubt(_with_ink(own, size, ink, most), size)
    small = [one.box for one in unread if one.reason == TOO_SMALL]
    for frame in frames:
        inside = [box for box in small if holds_middle(frame, box)]
        if inside and not any(holds_middle(frame, one.number.box) for one in found):
            size = longest_side(inside)
            yield _Doubt(_with_ink(frame, size, ink, most), size)


def _with_ink(own: Box, size: int, ink: NDArray[np.int64], most: int) -> Box:
    """A box with all ink, of these boxes (n, 4), that may belong to a number of this size in it; larger than `most`
    where nothing so large is read."""
    before, across, down = None, round(WIDEST_APART * size), round(ABOVE * size)
    x, y, width, height = ink.T
    while own != before and max(own.width, own.height) <= most:
        before = own
        near = (x <= own.right + across) & (x + width >= own.x - across)
        near &= (y <= own.bottom + down) & (y + height >= own.y - down)
        own = around([own, *(Box(*row) for row in ink[near].tolist())])
    return own
