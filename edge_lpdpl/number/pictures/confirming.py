"""Accepted numbers, read once more each from its own part of the picture: from afar a point or a minus is too small."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.model.labels import DOTS
from edge_lpdpl.number.doubts.words import is_before
from edge_lpdpl.number.grammar import marks_for
from edge_lpdpl.number.line_reader import INK_UNREAD, Number
from edge_lpdpl.number.pictures.nearer import part_of, shifted, table_of, together
from edge_lpdpl.number.pictures.parts import STEP, parts_around
from edge_lpdpl.number.reader import PageReader, Reading
from edge_lpdpl.numeral.recogniser import UNSURE, Recogniser
from edge_lpdpl.page.boxes import PRINT, Box, covered, longest_side, widened, within
from edge_lpdpl.page.settings import reduction

FOR_MARKS, FOR_DIGITS = 2, 4
"""Pixels of a picture that become one of the reduced frame, from which on its numbers are read once more: for their
points and signs, and for their digits. In frames of a camera, where two do, digits are seen well enough from afar."""
MARGIN = 1
"""Pixels of the reduced frame around a letter that its blur may reach."""


class ConfirmingReader(PageReader):
    """Reads frames of one size, and each accepted number once more.

    One reader does for all parts: it costs about half of what a frame does. A number that is larger than such a part is
    large enough to be seen in the frame.

    >>> from edge_lpdpl import Recogniser, shipped_model
    >>> frame = np.full((480, 640), 200, np.uint8)
    >>> frame[200:230, 100:104] = frame[227:230, 109:112] = frame[200:230, 117:121] = 40
    >>> recogniser = Recogniser.load(shipped_model("latin10"))
    >>> [reader(recogniser, 480, 640).read(frame).numbers[0].text for reader in (PageReader, ConfirmingReader)]
    ['11', '1.1']
    """

    def _checked(self, reading: Reading, grey: NDArray[np.uint8]) -> Reading:
        parts = self._parts
        if not parts:
            return reading
        return confirmed(reading, grey, self._marks, lambda *sides: parts.get(sides), [self._nearer])

    @cached_property
    def _marks(self) -> dict[str, str]:
        return marks_of(self.recognisers)

    @property
    def _nearer(self) -> int:
        return reduction(max(self.locator.height, self.locator.width)) // 2

    @cached_property
    def _parts(self) -> dict[tuple[int, int], PageReader]:
        """The reader of parts, by their height and width; none where it would see no more, or no mark."""
        side = self._nearer * STEP
        if not side or not any(self._marks.values()):
            return {}
        sides = min(self.locator.height, side), min(self.locator.width, 2 * side)
        return {sides: self.alike(*sides)}


def marks_of(recognisers: Sequence[Recogniser]) -> dict[str, str]:
    """Points and signs of numbers as each model reads them, the first one first."""
    return {one.model.name: marks_for(one.model.labels) for one in recognisers}


def confirmed(
    reading: Reading,
    grey: NDArray[np.uint8],
    marks: Mapping[str, str],
    reader_of: Callable[[int, int], PageReader | None],
    distances: Sequence[int],
) -> Reading:
    """The numbers of a picture (height, width) uint8, each accepted one as it is read from its own part of the picture.

    Points and signs count as they are seen there. A number that has other digits there is in doubt, if the picture is
    large, or if they are zeros that are dots. One that is not found there stays. Where digits are seen well enough from
    afar, a part is not read that has no ink but theirs.

    Args:
        marks: as of `marks_of`.
        reader_of: a reader for parts of a height and width, or None.
        distances: as of `distances_below`, from where to read.
    """
    from_afar = reduction(max(grey.shape))
    if from_afar < FOR_MARKS:
        return reading
    models = [model.name for model in reading.models] or [next(iter(marks))] * len(reading.numbers)
    enough = from_afar < FOR_DIGITS and not any(set(number.text) & DOTS for number in reading.numbers)
    letters = [one.box for one in reading.unread if one.reason == PRINT]
    words = [box for box in letters if any(is_before(box, number.box) for number in reading.numbers)]
    grey = without_ink(grey, words, MARGIN * from_afar) if words else grey
    parts = _Parts(grey, reader_of, [one.box for one in reading.numerals] if enough else [])
    numbers = list[Number]()
    for number, known in zip(reading.numbers, [marks[name] for name in models], strict=True):
        size = longest_side(reading.numerals[place].box for place in number.numerals)
        if not number.rejected and known:
            looks = parts.looks_at(number.box, size, distances)
            number = _as_confirmed(number, looks, known, from_afar)
        numbers.append(number)
    return reading._replace(numbers=numbers)


def _as_confirmed(number: Number, looks: Iterable[Sequence[Number]], marks: str, from_afar: int) -> Number:
    """An accepted number as it is seen from the nearest place. If there are other digits in doubt, because printed
    rules that are too thick to be told from strokes leave pieces, it stays if it is seen so from farther off."""
    nearest = None
    for seen in looks:
        if nearest and [(one.text, one.rejected) for one in seen] == [(number.text, False)]:
            return number
        nearest = nearest or _as_seen(number, seen, marks, from_afar)
        if len(seen) != 1 or not seen[0].rejected or digits_of(seen[0].text, marks) == digits_of(number.text, marks):
            break
    return nearest or number


def digits_of(text: str, marks: Iterable[str]) -> str:
    """A text without these points and signs."""
    return "".join(character for character in text if character not in marks)


def without_ink(grey: NDArray[np.uint8], boxes: Sequence[Box], margin: int) -> NDArray[np.uint8]:
    """A copy of a picture (height, width) uint8 with paper in these boxes, and so far around them.

    >>> grey = np.full((9, 9), 200, np.uint8)
    >>> grey[4, 4:6] = 40
    >>> int(without_ink(grey, [Box(4, 4, 2, 1)], 1).min())
    200
    """
    blank = grey.copy()
    for box in boxes:
        area = blank[within(box, margin=margin)]
        area[:] = np.median(np.concatenate([area[0], area[-1], area[:, 0], area[:, -1]]))
    return blank


class _Part(NamedTuple):
    """A part of the picture that was read; it does for all numbers that are whole in it."""

    box: Box
    distance: int
    """As of `distances_below`."""
    numbers: Sequence[Number]
    places: NDArray[np.int64]
    """(n, 4): boxes of the numbers in the picture."""


class _Parts:
    """Reads parts of a picture from near.

    Args:
        grey, reader_of: as of `confirmed`.
        known: numerals of the picture. A part that has no other ink is not read.
    """

    def __init__(
        self,
        grey: NDArray[np.uint8],
        reader_of: Callable[[int, int], PageReader | None],
        known: Sequence[Box],
    ) -> None:
        self._grey, self._reader_of, self._known = grey, reader_of, known
        self._read = list[_Part]()

    def looks_at(self, box: Box, size: int, distances: Sequence[int]) -> Iterator[list[Number]]:
        """The numbers that are read where one of this size is, from each distance from which that can be read; none if
        hardly more is seen from the nearest one than from afar."""
        own, shape = widened(box, size), self._grey.shape
        parts = list(parts_around(own, distances, shape))
        if parts and 2 * parts[0][1] > reduction(max(shape)):
            return
        for part, distance in parts:
            known = (one for one in self._read if one.distance == distance and _is_inside(own, one.box, *shape))
            near = next(known, None)
            if near is None:
                if (reader := self._reader_of(part.height, part.width)) is None:
                    return
                near = self._read_part(part, distance, reader)
                self._read.append(near)
            yield [near.numbers[place] for place in np.flatnonzero(together(box, near.places)).tolist()]

    def _read_part(self, part: Box, distance: int, reader: PageReader) -> _Part:
        back = Box(-part.x, -part.y, 0, 0)
        known = [shifted(one, back) for one in self._known if _lies_in(one, part)]
        read = reader.read_cut_out(part_of(self._grey, part), known)
        seen = read.numbers if read else ()
        return _Part(part, distance, seen, table_of([shifted(one.box, part) for one in seen]))


def _lies_in(box: Box, part: Box) -> bool:
    return part.x <= box.x and part.y <= box.y and box.right <= part.right and box.bottom <= part.bottom


def _is_inside(own: Box, part: Box, height: int, width: int) -> bool:
    """Whether a part has all of a box that is in the picture."""
    return covered(own, [part]) == covered(own, [Box(0, 0, width, height)])


def _as_seen(number: Number, seen: Sequence[Number], marks: str, from_afar: int) -> Number:
    if not seen:
        return number
    one, *others = seen
    if others or digits_of(one.text, marks) != digits_of(number.text, marks):
        small = {*marks, *DOTS}
        dots_differ = not others and digits_of(one.text, small) == digits_of(number.text, small)
        return number._replace(reason=UNSURE) if dots_differ or from_afar >= FOR_DIGITS else number
    if from_afar < FOR_DIGITS and one.text == number.text and one.reason != INK_UNREAD:
        return number
    return number._replace(text=one.text, value=one.value, confidence=one.confidence, reason=one.reason)
