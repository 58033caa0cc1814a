"""Frames and pictures in, their numbers out.

The service and `edge-lpdpl recognise` both read this way: the locator finds ink, lines of it become lattices, and the
most probable path through a lattice is a number.
"""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import checked_picture
from edge_lpdpl.model.labels import DOTS
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.constraints import Constraints
from edge_lpdpl.number.finder import make_finder
from edge_lpdpl.number.grammar import Grammar, grammar_for
from edge_lpdpl.number.lattice import Candidate, Lattice, LatticeBuilder, is_small_at_foot, levelled
from edge_lpdpl.number.lines import Row, find_lines
from edge_lpdpl.number.record import MOST_PATHS, Path
from edge_lpdpl.number.weights import STRICTNESS, USUAL_STRICTNESS, LineModel, line_model
from edge_lpdpl.numeral.buffers import BOTTOM, LEFT, PICTURE_SIDE, RIGHT, TOP
from edge_lpdpl.numeral.recogniser import UNSURE, Recogniser, Recognition
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.boxes import UNREAD_REASONS, Box, Unread
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.rejection import checked
from edge_lpdpl.page.settings import ON_PAPER, LocateSettings, reduction
from edge_lpdpl.page.strokes import Strokes

INK_UNREAD = "ink_unread"
CONSTRAINT = "constraint"
NUMBER_REASONS = {
    UNSURE: "unsure of its numerals",
    INK_UNREAD: "ink in its line is not read",
    CONSTRAINT: "no likely reading satisfies the constraints",
}
"""Why a number is rejected though none of its numerals is, in words."""
FARTHEST = 2.5
"""Novelty that a numeral of a number may have: its neighbours speak for it."""
ALONE = 0.85
"""Confidence that suffices for a number of one numeral: the model has rejected it if it should be."""
AS_STRONG = 0.45
"""Contrast of other ink over that of the numerals, from which on it may be writing."""
LEAST_STROKE = 0.15
"""Longer side of other ink over the size of the numerals, from which on it may be writing, or hold some."""
POINT = 0.3
"""Side of the largest decimal point over the size of the digits."""
LOW = 0.5
"""How far down in a number a point is, of its height: lower in a line that is level."""
BESIDE, ABOVE = 1.0, 0.3
"""How far from a number other ink may be a part of it, in sizes of the numerals."""


class Numeral(NamedTuple):
    """One numeral of a page."""

    box: Box
    """Where it is, in pixels of the frame."""
    recognition: Recognition
    """What it is."""


class Number(NamedTuple):
    """A line of numerals."""

    text: str
    """As it is written."""
    value: int | float | None
    confidence: float
    """How often such a number is right, as counted on drawn numbers."""
    reason: str | None
    """Why it is rejected, None where it is accepted: the reason of a doubtful numeral, or one of
    `NUMBER_REASONS`."""
    box: Box
    numerals: tuple[int, ...]
    """Places of its numerals on the page."""

    @property
    def rejected(self) -> bool:
        """Whether it is in doubt."""
        return self.reason is not None


class Reading(NamedTuple):
    """What was read in one frame or picture."""

    numbers: Sequence[Number]
    """In reading order, rejected ones included."""
    numerals: Sequence[Numeral]
    """In reading order, rejected ones included."""
    unread: Sequence[Unread] = ()
    """Ink that was found and is not read."""
    locate_us: float = 0.0
    """Microseconds for finding the ink."""
    recognise_us: float = 0.0
    """Microseconds for reading it."""
    fields: Mapping[str, int | None] | None = None
    """Of a form: each field and the place of its number in `numbers`, None where nothing is read in it."""
    models: Sequence[Model] = ()
    """Which model read each number, where several models read."""


class _Line(NamedTuple):
    numerals: list[Numeral]
    number: Number | None
    unread: list[Unread]
    strength: float = 0.0
    """Mean of its numerals'."""


class PageReader:
    """Reads frames of one size with one recogniser. Use one a thread.

    Args:
        recogniser: reads the numerals; the locator uses the same backend.
        height, width: of the frames, 8..4096 pixels each.
        settings: what writing looks like. No numeral is a dot for a model that does not know the Arabic-Indic zero.
        region: where to look, in pixels of the frame; everywhere when left out.
        constraints: what is known about the numbers. Of the likely readings of a line the most probable one that
            satisfies them is taken. Its confidence stays its share of all readings.
        wrong_per_thousand: of accepted numbers, 1 to 1000: fewer put more numbers in doubt.
        lines: what is known about lines; what comes with the package for the model's script when left out.

    Raises:
        ImageError: frames of that size cannot be read.

    >>> from edge_lpdpl import Recogniser, shipped_model
    >>> frame = np.full((480, 640), 200, np.uint8)
    >>> frame[200:208, 100:180] = 40
    >>> reading = PageReader(Recogniser.load(shipped_model("chinese15")), 480, 640).read(frame)
    >>> [(number.text, number.value, number.box) for number in reading.numbers]
    [('一', 1, Box(x=100, y=200, width=80, height=8))]
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
    ) -> None:
        self.recogniser = recogniser
        labels = recogniser.model.labels
        self._characters = [label.character for label in labels]
        if DOTS.isdisjoint(self._characters):
            settings = settings._replace(largest_dot=0)
        self.locator = Locator(height, width, settings, region, recogniser.backend)
        self.grammar = grammar_for(labels)
        self._lines = lines or line_model(labels)
        self._has_points = all(character.isdecimal() for character in self._characters)
        self._least = self._lines.sure[bisect_right(STRICTNESS, wrong_per_thousand) - 1]
        self._builder = LatticeBuilder(
            self.locator, recogniser, self._lines.widest, self._lines.joined, bool(self.grammar.marks)
        )
        self._constraints = constraints
        self._finder = make_finder(self._lines, self._characters, self.grammar, recogniser.backend)
        self._groups: list[tuple[Sequence[tuple[int, int, int]], float]] = []

    def read(self, grey: NDArray[np.uint8], share: float = 1.0) -> Reading:
        """Find and read the numbers of a frame.

        Args:
            grey: (height, width) uint8, of the size that the reader was made for.
            share: of the readings that a frame may have, for a picture that is a part of one.

        Raises:
            ImageError: the array is no picture of that size.
        """
        start = time.perf_counter()
        table = self.locator.find(grey)
        located = time.perf_counter()
        numerals, unread, lines = list[Numeral](), self.locator.unread(), find_lines(table)
        self._groups, reads = [], list[_Line]()
        self._builder.start(share)
        for line in lines:
            reads.append(self._read_line(table, line, len(numerals)))
            numerals += reads[-1].numerals
        # The parts of a line are no other ink to itself.
        parts = [[self._ink(table[place]) for place in line] for line in lines if len(lines) > 1]
        numbers = _with_lost_ink(reads, parts, unread)
        unread += [one for read in reads for one in read.unread]
        done = time.perf_counter()
        return Reading(numbers, numerals, unread, (located - start) * 1e6, (done - located) * 1e6)

    @property
    def taken(self) -> float:
        """Share of the readings of a frame that the last one took."""
        return self._builder.taken

    def cut_outs(self) -> list[NDArray[np.uint8]]:
        """The picture of each numeral of the last frame as the recogniser was given it, (height, width) uint8."""
        lifted = ((self.locator.lift(members), tilt) for members, tilt in self._groups)  # each overwrites the last
        return [levelled(one.picture, tilt).copy(order="C") for one, tilt in lifted if one is not None]

    def _read_line(self, table: Sequence[Row], line: Sequence[int], first: int) -> _Line:
        lattice = self._builder.build(table, line)
        if lattice is None:
            return _Line([], None, [Unread(self.locator.box(table[place]), "too_much_ink") for place in line])
        path, allowed = self._choose(lattice)
        classes = len(self._characters)
        chosen = [lattice.candidates[one] for one, label in path.characters if label < classes] if path else []
        # In a line of print, or a crease, few characters are numerals if they stand alone.
        if path is None or 2 * sum(one.reason == 0 for one in chosen) < len(chosen):
            return _Line([], None, list(self._left_out(lattice, range(len(lattice.pieces)))))
        strokes = [self.locator.strokes(one.row) for one in chosen]
        labels = [label for _, label in path.characters if label < classes]
        numerals = [
            self._numeral(one, label, measures) for one, label, measures in zip(chosen, labels, strokes, strict=True)
        ]
        self._groups += [(one.members, self._builder.tilt) for one in chosen]
        unread = list(self._left_out(lattice, path.noise))
        box = _around([self.locator.box(lattice.candidates[one].row) for one, _ in path.characters])
        strength = sum(measures.strength for measures in strokes) / len(strokes)
        point = self._has_points and any(_has_point(one, table, lattice.size) for one in chosen)
        sure = self._lines.calibration.confidence(path.confidence)
        lost = any(self._is_missed(one.box, box, _size(numerals)) for one in unread)
        reason = _doubt(sure, numerals, point or lost, self._least) if allowed else CONSTRAINT
        confidence = sure if len(numerals) > 1 else min(sure, numerals[0].recognition.confidence)
        value, places = self.grammar.value(path.text), tuple(range(first, first + len(numerals)))
        return _Line(numerals, Number(path.text, value, confidence, reason, box, places), unread, strength)

    def _ink(self, row: Row) -> Unread:
        return Unread(self.locator.box(row), "no_numeral", row[part.RIDGE] / row[part.RUNS] / 255)

    def _is_missed(self, ink: Box, number: Box, size: int) -> bool:
        """Whether ink in the line of a number may be a stroke of it, or a point."""
        low = ink.y + ink.height / 2 >= number.y + LOW * number.height
        return max(ink.width, ink.height) >= LEAST_STROKE * size or (self._has_points and low)

    def _choose(self, lattice: Lattice) -> tuple[Path | None, bool]:
        """The path to take, and whether it satisfies the constraints."""
        if not lattice.candidates:
            return None, True
        paths = self._finder.read(lattice, 1 if self._constraints is None else MOST_PATHS)
        if not paths:
            return None, True
        chosen = next((path for path in paths if _allows(self._constraints, self.grammar, path.text)), None)
        best = chosen or paths[0]
        if not self.grammar.has_mark(best.text):
            return best, chosen is not None
        # 12,5 and 12.5 are one number: whether its mark is a comma or a point is no doubt about it.
        digits = self.grammar.digits(best.text)
        if self._constraints is None:
            paths = self._finder.read(lattice, MOST_PATHS)
        same = [path for path in paths if self.grammar.digits(path.text) == digits]
        return best._replace(confidence=min(sum(path.confidence for path in same), 1.0)), chosen is not None

    def _numeral(self, one: Candidate, label: int, strokes: Strokes) -> Numeral:
        """A character of the path; its strokes are held against the rules for its class."""
        read, character = one.read, self._characters[label]
        if read.label != character:
            read = read._replace(
                label=character,
                value=self.recogniser.model.labels[label].value,
                confidence=1 - read.confidence,
                runner_up=read.label,
                rejected=True,
                reason=read.reason or UNSURE,
                taught=False,
            )
        return Numeral(self.locator.box(one.row), checked(read, strokes))

    def _left_out(self, lattice: Lattice, pieces: Sequence[int]) -> Iterator[Unread]:
        reasons = {one.first: one.reason for one in lattice.candidates if one.last == one.first + 1}
        for place in pieces:
            piece, reason = lattice.pieces[place], reasons.get(place, 0)
            box = self.locator.box((piece.left, piece.top, piece.right, piece.bottom))
            yield Unread(box, UNREAD_REASONS[reason - 1] if reason else "no_numeral")


def _allows(constraints: Constraints | None, grammar: Grammar, text: str) -> bool:
    """Whether a text is a number that satisfies the constraints, if there are any."""
    if constraints is None:
        return True
    digits = grammar.digits(text)
    return digits is not None and constraints.allow(digits)


def _has_point(one: Candidate, table: Sequence[Row], size: int) -> bool:
    """Whether a digit was put together with a part that may be a decimal point: small, compact, and at its foot."""
    for place, _, _ in one.members if len(one.members) > 1 else ():
        left, top, right, bottom, area, *_ = table[place]
        if 2 * area >= (right - left) * (bottom - top) and is_small_at_foot(table[place], one.row, POINT * size):
            return True
    return False


def _around(boxes: Sequence[Box]) -> Box:
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    return Box(left, top, right - left, bottom - top)


def _with_lost_ink(reads: Sequence[_Line], parts: Sequence[Sequence[Unread]], unread: Sequence[Unread]) -> list[Number]:
    """The numbers; in doubt are those that other ink may belong to, and those that such ink is read in.

    Args:
        parts: of each line.
        unread: ink that is in no line.
    """
    lost = set[int]()
    owned = [(place, ink) for place, inks in enumerate(parts) for ink in inks] + [(-1, ink) for ink in unread]
    others = sorted([(ink.box.y + ink.box.height / 2, place, ink) for place, ink in owned], key=itemgetter(0))
    middles = [middle for middle, _, _ in others]
    for place, read in enumerate(reads):
        if read.number is None:
            continue
        top, bottom, zone = _zone_of(read, read.number.box)
        for _, other, ink in others[bisect_left(middles, top) : bisect_right(middles, bottom)]:
            if other != place and _may_belong(ink, zone):
                lost |= {place, other}
    numbers = [(place, read.number) for place, read in enumerate(reads) if read.number]
    return [
        number._replace(reason=INK_UNREAD) if place in lost and number.reason in (None, UNSURE) else number
        for place, number in numbers
    ]


def _size(numerals: Sequence[Numeral]) -> int:
    """Longest side of numerals, in pixels of the frame."""
    return max(max(one.box.width, one.box.height) for one in numerals)


class _Zone(NamedTuple):
    """Where across other ink may belong to a number, how large it then is, and how strong."""

    left: float
    right: float
    least: float
    strength: float


def _zone_of(line: _Line, box: Box) -> tuple[float, float, _Zone]:
    """Between which rows the middle of ink lies that may belong to a line's number, and the rest."""
    size = _size(line.numerals)
    across = box.x - BESIDE * size, box.right + BESIDE * size
    zone = _Zone(*across, LEAST_STROKE * size, AS_STRONG * line.strength)
    return box.y - ABOVE * size, box.bottom + ABOVE * size, zone


def _may_belong(ink: Unread, zone: _Zone) -> bool:
    """Whether other ink, as high as a number, is where a stroke of it may be, and as large and as strong."""
    left, _, width, height = ink.box
    near = left <= zone.right and left + width >= zone.left
    return near and max(width, height) >= zone.least and ink.strength >= zone.strength


def _doubt(sure: float, numerals: Sequence[Numeral], unread: bool, least: float) -> str | None:
    """Why a number is rejected, None where its confidence is at least `least` and nothing else is wrong.

    A numeral alone is rejected as the recogniser says. In a number of several, the neighbours speak for a numeral, so
    it may be less usual, and the confidence of the number says how sure its class is.
    """
    if len(numerals) == 1 and numerals[0].recognition.rejected:
        return numerals[0].recognition.reason
    for one in numerals:
        read = one.recognition
        if read.reason not in (None, UNSURE) and not read.novelty <= FARTHEST:
            return read.reason
    if unread:
        return INK_UNREAD
    least = min(least, ALONE) if len(numerals) == 1 else least
    return None if sure >= least else UNSURE


class PictureReader:
    """Reads pictures of any size: small and very thin ones as one numeral, others as pages.

    Args:
        recogniser: reads the numerals.
        polarity: `light` or `dark` ink, or `auto`.
        single: read every picture as one numeral.
        constraints: as of `PageReader`; a picture of one numeral has one reading only.
        wrong_per_thousand: as of `PageReader`; a picture of one numeral is doubted by the model alone.
    """

    def __init__(
        self,
        recogniser: Recogniser,
        polarity: str = "auto",
        single: bool = False,
        constraints: Constraints | None = None,
        wrong_per_thousand: int = USUAL_STRICTNESS,
    ) -> None:
        self.recogniser, self.polarity, self.single = recogniser, polarity, single
        self._constraints, self._grammar = constraints, grammar_for(recogniser.model.labels)
        settings = LocateSettings(polarity=polarity)
        known = partial(PageReader, recogniser, settings=settings, constraints=constraints)
        self._readers = partial(known, wrong_per_thousand=wrong_per_thousand)
        self._reader: PageReader | None = None

    def is_single(self, grey: NDArray[np.uint8]) -> bool:
        """Whether a picture (height, width) is read as one numeral: because `single` says so, because no side is above
        PICTURE_SIDE, or because nothing would be left of one so thin in the reduced frame of a page."""
        longer = max(grey.shape)
        return self.single or longer <= PICTURE_SIDE or min(grey.shape) < reduction(longer)

    def read(self, grey: NDArray[np.uint8]) -> Reading:
        """The numbers of a picture (height, width) uint8. The box of one that is read alone is that of its ink.

        Raises:
            ImageError: the array is no picture that can be read.
        """
        if self.is_single(grey):
            read = self.recogniser.recognise(grey, self.polarity)
            if read.label is None:
                return Reading([], [], recognise_us=read.elapsed * 1e6)
            box = self._box_of_ink(*grey.shape)
            reason = read.reason if _allows(self._constraints, self._grammar, read.label) else CONSTRAINT
            number = Number(read.label, read.value, read.confidence, reason, box, (0,))
            return Reading([number], [Numeral(box, read)], recognise_us=read.elapsed * 1e6)
        height, width = checked_picture(grey).shape
        if self._reader is None or (self._reader.locator.height, self._reader.locator.width) != (height, width):
            self._reader = self._readers(height, width)
        return self._reader.read(grey)

    def cut_outs(self) -> list[NDArray[np.uint8]]:
        """The picture of each numeral of the last page as the recogniser was given it, (height, width) uint8."""
        return self._reader.cut_outs() if self._reader else []

    def _box_of_ink(self, height: int, width: int) -> Box:
        """Where the recogniser found ink in the last picture, to within the pixels that it was reduced by."""
        factor = -(-max(height, width) // PICTURE_SIDE)
        found = (self.recogniser.engine.buffers.found * factor).tolist()
        left, top = found[LEFT], found[TOP]
        return Box(left, top, min(found[RIGHT], width) - left, min(found[BOTTOM], height) - top)
