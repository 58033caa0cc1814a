"""Accepted numbers, read once more each from its own part of the picture: from afar a point or a minus is too small."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.model.labels import DOTS
from edge_lpdpl.number.constraints import Constraints
from edge_lpdpl.number.grammar import marks_for
from edge_lpdpl.number.line_reader import INK_UNREAD, Number, size_of
from edge_lpdpl.number.pictures.nearer import part_of, shifted, table_of, together
from edge_lpdpl.number.reader import PageReader, Reading
from edge_lpdpl.number.weights import USUAL_STRICTNESS, LineModel
from edge_lpdpl.numeral.recogniser import UNSURE, Recogniser
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.settings import ON_PAPER, LocateSettings, reduction

FOR_MARKS, FOR_DIGITS = 2, 4
"""Pixels of a picture that become one of the reduced frame, from which on its numbers are read once more: for their
points and signs, and for their digits. In frames of a camera, where two do, digits are seen well enough from afar."""
STEP = 160
"""Sides of the parts are whole multiples, so that a few readers do for all of them."""


class ConfirmingReader(PageReader):
    """Reads frames of one size, and each accepted number once more. Use one a thread.

    One reader does for all parts: it costs about half of what a frame does. A number that is larger than such a part is
    large enough to be seen in the frame.

    >>> from edge_lpdpl import Recogniser, shipped_model
    >>> frame = np.full((480, 640), 200, np.uint8)
    >>> frame[200:230, 100:104] = frame[227:230, 109:112] = frame[200:230, 117:121] = 40
    >>> recogniser = Recogniser.load(shipped_model("latin10"))
    >>> [reader(recogniser, 480, 640).read(frame).numbers[0].text for reader in (PageReader, ConfirmingReader)]
    ['11', '1.1']
    """

    def __init__(
        self,
        recogniser: Recogniser,
        height: int,
        width: int,
        settings: LocateSettings = ON_PAPER,
        region: Box | None = None,
        constraints: Constraints | None = None,
        wrong_per_thousand: int = USUAL_STRICTNESS,
        lines: LineModel | None = None,
        also: Sequence[Recogniser] = (),
    ) -> None:
        super().__init__(recogniser, height, width, settings, region, constraints, wrong_per_thousand, lines, also)
        factor = reduction(max(height, width)) // 2
        self._step = factor * STEP, 2 * factor * STEP
        sides = min(height, self._step[0]), min(width, self._step[1])
        self._marks = marks_of(self.recognisers)
        self._parts = dict[tuple[int, int], PageReader]()
        if factor and any(self._marks.values()):
            known = constraints, wrong_per_thousand
            self._parts[sides] = PageReader(recogniser, *sides, settings, None, *known, lines, also)

    def read(self, grey: NDArray[np.uint8], share: float = 1.0, *, cut_out: bool = False) -> Reading:
        reading = super().read(grey, share, cut_out=cut_out)
        if not self._parts:
            return reading
        start = time.perf_counter()
        reading = confirmed(reading, grey, self._marks, lambda *sides: self._parts.get(sides), self._step)
        return reading._replace(recognise_us=reading.recognise_us + (time.perf_counter() - start) * 1e6)


def marks_of(recognisers: Sequence[Recogniser]) -> dict[str, str]:
    """Points and signs of numbers as each model reads them, the first one first."""
    return {one.model.name: marks_for(one.model.labels) for one in recognisers}


def confirmed(
    reading: Reading,
    grey: NDArray[np.uint8],
    marks: Mapping[str, str],
    reader_of: Callable[[int, int], PageReader | None],
    step: tuple[int, int] = (STEP, STEP),
) -> Reading:
    """The numbers of a picture (height, width) uint8, each accepted one as it is read from its own part of the picture.

    Points and signs count as they are seen there. A number that has other digits there is in doubt, if the picture is
    large, or if they are zeros that are dots. One that is not found there stays.

    Args:
        marks: as of `marks_of`.
        reader_of: a reader for parts of a height and width, or None.
        step: height and width of a part are whole multiples.
    """
    from_afar = reduction(max(grey.shape))
    if from_afar < FOR_MARKS:
        return reading
    models = [model.name for model in reading.models] or [next(iter(marks))] * len(reading.numbers)
    numbers = list[Number]()
    for number, known in zip(reading.numbers, [marks[name] for name in models], strict=True):
        size = size_of([reading.numerals[place] for place in number.numerals])
        part = _part_around(number, size, step, *grey.shape)
        is_larger = bool(known) and 2 * reduction(max(part[2:])) <= from_afar
        reader = reader_of(part.height, part.width) if is_larger and not number.rejected else None
        if reader is None:
            numbers.append(number)
            continue
        seen = reader.read(part_of(grey, part), cut_out=True).numbers
        here = together(number.box, table_of([shifted(one.box, part) for one in seen]))
        numbers.append(_as_seen(number, [seen[place] for place in np.flatnonzero(here).tolist()], known, from_afar))
    return reading._replace(numbers=numbers)


def _part_around(number: Number, size: int, step: tuple[int, int], height: int, width: int) -> Box:
    """The number and its size around it, inside the picture."""
    x, y = max(number.box.x - size, 0), max(number.box.y - size, 0)
    sides = number.box.height, number.box.width
    high, wide = (-(-(side + 2 * size) // one) * one for side, one in zip(sides, step, strict=True))
    wide, high = min(wide, width), min(high, height)
    return Box(min(x, width - wide), min(y, height - high), wide, high)


def _as_seen(number: Number, seen: Sequence[Number], marks: str, from_afar: int) -> Number:
    def without(text: str, characters: Iterable[str]) -> str:
        return "".join(character for character in text if character not in characters)

    if not seen:
        return number
    one, *others = seen
    if others or without(one.text, marks) != without(number.text, marks):
        small = {*marks, *DOTS}
        has_more_dots = not others and without(one.text, small) == without(number.text, small)
        return number._replace(reason=UNSURE) if has_more_dots or from_afar >= FOR_DIGITS else number
    if from_afar < FOR_DIGITS and one.text == number.text and one.reason != INK_UNREAD:
        return number
    return number._replace(text=one.text, value=one.value, confidence=one.confidence, reason=one.reason)
