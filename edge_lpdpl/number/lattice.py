"""The lattice of a line: every way to divide its ink into characters, each piece read by the recogniser.

The ink is divided into pieces, from left to right: parts, or what seams cut of wide parts. A candidate is a row of
neighbouring pieces, read as one character; a path is a row of candidates that has every piece once.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.number.lines import (
    LEAST_STROKE,
    THINNEST,
    Row,
    box_of,
    character_side,
    character_size,
    columns_of,
    longer_side,
    pen_of,
    size_from,
    thickness_of,
    tilt_of,
)
from edge_lpdpl.numeral.recogniser import Recogniser, Recognition
from edge_lpdpl.numeral.weights import DISTANCE
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.record import Lifted, Member
from edge_lpdpl.page.rules_table import HIDDEN, REST

MOST_PIECES = 48
"""In a line. A line of more is not read."""
MOST_READINGS, LEAST_READINGS, MOST_WEIGHTS = 300, 16, 120 << 20
"""Groups of pieces that are read in a frame, so that no frame keeps the service for a second: fewer with a model so
large that more than MOST_WEIGHTS bytes of weights would be fetched. A page of 240 digits apart needs 240."""
MOST_JOINED = 7
"""Pieces in a candidate."""
USUAL, TALL, WIDE = 0.6, 0.7, 1.1
"""A part is surely one character with this novelty at most, this longer side at least and this width at most, in sizes
of a character."""
LEAST_TILT = 0.08
"""Lines that go down less for every pixel to the right are read as they are."""
COMMA, FOOT = 0.4, 0.6
"""Longer side of the largest point or comma over the size of the digits, and how far down a digit its middle is, of its
height."""
STRAIGHT = 1.15
"""As of `Strokes.turns`: the most of a minus, or of a slash."""
DEEPEST_CUT = 0.42
"""Ink that a seam crosses over the size of the characters, at most."""


NOT_READ = Recognition(None, None, 0.0, True, None, np.zeros(0, np.float32), 0.0)


class Piece(NamedTuple):
    """Ink that is not divided any further."""

    members: tuple[Member, ...]
    left: int
    top: int
    right: int
    bottom: int
    crossed: tuple[int, int] = (0, 0)
    """Cost of the seam on its left and on its right, 0 where it ends by itself."""

    @property
    def is_cut_off(self) -> bool:
        """Whether a seam divides it from other ink."""
        return any(self.crossed)


class Candidate(NamedTuple):
    """Pieces `first` to `last - 1` of a line, read as one character."""

    first: int
    last: int
    members: list[Member]
    row: list[int]
    """Their measures, as a row of `edge_lpdpl.page.parts_table`."""
    reason: int
    """Why they are no numeral if they stand alone, 0 where they may be one."""
    read: Recognition
    distance: float
    """From the class, as `edge_lpdpl.numeral.weights` measures it."""
    gap: int
    """Widest free space between two neighbouring pieces, in pixels of the reduced frame; 0 where there is none."""
    cuts: int
    """Seams between two of its pieces."""
    crossed: tuple[int, int]
    doubtful: bool = False
    """Whether it may be what is left of a printed rule, or another character without a stroke that one hides."""


class _Reading(NamedTuple):
    """What is known about a group, as a `Candidate` has it."""

    row: list[int]
    reason: int
    read: Recognition
    distance: float
    doubtful: bool


class Lattice(NamedTuple):
    """A line and its candidates, in the order of their first pieces."""

    pieces: list[Piece]
    candidates: list[Candidate]
    size: int
    """Of the characters, in pixels of the reduced frame."""


class LatticeBuilder:
    """Builds the lattices of the frame that a locator has just searched.

    Args:
        recogniser: reads the candidates; None: they are only cut out, for a training, and all wide pieces are cut.
        widest: width of a piece that is not cut over the size of the characters.
        joined: width of the widest candidate of several pieces over that size.
        digits: whether the characters are digits. What may be a decimal point is then a piece of its own, not a part of
            a digit, and a part that is alone on its line and accepted as a digit may still be two: digits touch.
        turned: whether the frame was turned by a quarter against the clock. Characters are turned back to be read.
    """

    def __init__(
        self,
        locator: Locator,
        recogniser: Recogniser | None,
        widest: float,
        joined: float,
        digits: bool = False,
        turned: bool = False,
    ) -> None:
        self._locator, self._recogniser, self._digits, self.turned = locator, recogniser, digits, turned
        self._widest, self._joined = widest, joined
        self.tilt = 0.0
        """Of the line that was built last."""
        self.thin: list[int] = []
        """Its small parts that are too thin for its pen."""
        self.dust: list[int] = []
        """Those that its pen has not written: a short bar of a Chinese character may be thin."""
        self.cuts: list[tuple[int, int]] = []
        """Where it was cut, as `Locator.cut` takes it. Seams of another line in the same rows overwrite these."""
        weights = recogniser.model.weight_bytes if recogniser else 1
        self._most = min(MOST_READINGS, max(LEAST_READINGS, MOST_WEIGHTS // weights))
        self._given = self._left = self._most
        self._known: dict[tuple[Member, ...], _Reading | None] = {}

    def start(self, share: float = 1.0) -> None:
        """Begin with another frame, or a part of one that may have a share of a frame's readings."""
        self._given = self._left = round(share * self._most)

    @property
    def taken(self) -> float:
        """Share of a frame's readings that was taken since the start."""
        return (self._given - max(self._left, 0)) / self._most

    def build(self, table: Sequence[Row], line: Sequence[int]) -> Lattice | None:
        """The lattice of a line of parts; None where it has too many, or the lines before it have had all readings."""
        self._known.clear()
        self.cuts = []
        if self._left <= 0:
            return None
        columns = columns_of(table, line)
        boxes = _boxes_of(table, columns)
        size = character_size(boxes)
        self.thin = _thin(table, line, size)
        self.dust = self.thin if self._digits else [one for one in self.thin if self._is_speck(table[one], size)]
        if self.dust:
            columns = columns_of(table, [place for place in line if place not in self.dust])
            boxes = _boxes_of(table, columns)
        self.tilt = tilt_of(boxes, size)
        if len(columns) > MOST_PIECES:
            return None
        pieces, slot = list[Piece](), part.FIRST_SEAM
        if self._digits:
            columns = _with_points(table, columns, size)
            boxes = _boxes_of(table, columns)
        sides = list(map(character_side, boxes)) if len(boxes) > 1 else []  # one alone has none beside it
        for place, (column, box) in enumerate(zip(columns, boxes, strict=True)):
            found, slot = self._divide(table, column, box, size, slot, sides[:place] + sides[place + 1 :])
            pieces += found
        if len(pieces) > MOST_PIECES:
            return None
        candidates = self._candidates(pieces, size)
        return Lattice(pieces, candidates, size) if self._left >= 0 else None

    def is_character(self, picture: NDArray[np.uint8]) -> bool:
        """Whether a part of the frame, (height, width) uint8, looks like a character; yes, where no reading is left."""
        self._left -= 1
        if self._left < 0 or self._recogniser is None:
            return True
        read = self._recogniser.recognise(as_written(picture, 0.0, self.turned))
        return read.label is not None and read.novelty <= 1

    def label_of(self, members: list[Member]) -> str | None:
        """What a group of the line that was built last is accepted as; None where it is rejected, or not read."""
        one = self._read(0, 1, [Piece(tuple(members), 0, 0, 0, 0)])
        return None if one is None or one.read.rejected or one.reason else one.read.label

    def is_thin(self, candidate: Candidate) -> bool:
        """Whether no part of a candidate of the line that was built last is thick enough for the pen."""
        return all(place in self.thin for place, _, _ in candidate.members)

    def _divide(
        self, table: Sequence[Row], column: list[int], box: Row, size: int, slot: int, beside: Sequence[int]
    ) -> tuple[list[Piece], int]:
        """The pieces of parts that are above each other: one, or several where a wide part is cut.

        Args:
            box: of these parts.
            beside: sides of the other parts of the line, as of `character_side`.
        """
        left, top, right, bottom = box[: part.AREA]
        whole = Piece(tuple((place, part.LEFT_END, part.RIGHT_END) for place in column), left, top, right, bottom)
        if right - left <= self._widest * size:
            return [whole], slot
        if self._is_settled(self._read(0, 1, [whole]), size, beside):
            return [whole], slot
        widest = max(column, key=lambda place: table[place][part.RIGHT] - table[place][part.LEFT])
        if self._digits and self._locator.strokes(table[widest]).turns <= STRAIGHT:  # the slash of a %: no two digits
            return [whole], slot
        found = self._locator.cut(widest, slot)
        self.cuts.append((widest, slot))
        limit = 255 * (DEEPEST_CUT * size + 1)
        # What may be one character is cut so seldom that all its pieces can be joined again.
        most = MOST_JOINED - 1 if right - left <= self._widest_joined(size) else len(found)
        seams = [(seam[part.COLUMN], seam[part.COST], number) for number, seam in enumerate(found[:most], slot)]
        seams = sorted(seam for seam in seams if seam[1] < limit)
        ends = [(left, 0, part.LEFT_END), *seams, (right, 0, part.RIGHT_END)]
        pieces = []
        for (x0, before, start), (x1, after, end) in pairwise(ends):
            members = [(widest, start, end)]
            members += [
                (place, part.LEFT_END, part.RIGHT_END)
                for place in column
                if place != widest and x0 <= (table[place][part.LEFT] + table[place][part.RIGHT]) // 2 < x1
            ]
            pieces.append(Piece(tuple(members), x0, top, x1, bottom, (before, after)))
        return pieces, slot + len(found)

    def _candidates(self, pieces: list[Piece], size: int) -> list[Candidate]:
        singles = [
            None if self._is_speck(piece[1:5], size) else self._read(first, first + 1, [piece])
            for first, piece in enumerate(pieces)
        ]
        candidates = []
        for first, single in enumerate(singles):
            candidates += [single] if single else []
            for last in range(first + 2, min(first + MOST_JOINED, len(pieces)) + 1):
                group = pieces[first:last]
                width = max(piece.right for piece in group) - min(piece.left for piece in group)
                if width > self._widest_joined(size):
                    break
                if candidate := self._read(first, last, group):
                    candidates.append(candidate)
        return candidates

    def _is_speck(self, box: Row, size: int) -> bool:
        """Whether ink is too small for a character. A point is a character of digits."""
        return not self._digits and longer_side(box) < LEAST_STROKE * size

    def _widest_joined(self, size: int) -> float:
        return self._joined * size

    def _is_settled(self, candidate: Candidate | None, size: int, beside: Sequence[int]) -> bool:
        """Whether a part is one character beyond doubt, so that nothing is gained by cutting it: a reading costs as
        much as all other evidence for a line. Two characters that touch are wide beside the others."""
        if candidate is None or candidate.read.rejected:
            return False
        if not beside and not self._digits:  # it has nothing to be wide beside, and Chinese characters hardly touch
            return True
        width = candidate.row[part.RIGHT] - candidate.row[part.LEFT]
        usual = size_from(beside)
        widest = WIDE * (usual if COMMA * size < usual < size else size)
        return candidate.read.novelty <= USUAL and width <= widest and longer_side(candidate.row) >= TALL * size

    def _read(self, first: int, last: int, group: list[Piece]) -> Candidate | None:
        members = _joined([member for piece in group for member in piece.members])
        key = tuple(members)
        if key not in self._known:  # a part is read before it is cut, and is a candidate afterwards
            self._left -= 1
            self._known[key] = self._recognise(members) if self._left >= 0 else None
        known = self._known[key]
        if known is None:
            return None
        reach, gap = group[0].right, 0
        for piece in group[1:]:
            gap, reach = max(gap, piece.left - reach), max(reach, piece.right)
        cuts = sum(piece.crossed[1] > 0 for piece in group[:-1]) if len(group) > 1 else 0
        crossed = group[0].crossed[0], group[-1].crossed[1]
        return Candidate(first, last, members, *known[:4], gap, cuts, crossed, known.doubtful)

    def _recognise(self, members: list[Member]) -> "_Reading | None":
        lifted = self._locator.lift(members) if len(members) <= part.MOST_MEMBERS else None
        if lifted is None:
            return None
        if self._recogniser is None:
            return _Reading(lifted.row, lifted.reason, NOT_READ, 0.0, bool(lifted.doubt))
        read, distance = self._judged(self._recogniser, lifted)
        if read.label is None:
            return None
        doubtful = lifted.doubt == REST
        if lifted.doubt == HIDDEN:  # the rule may hide a stroke of it, or none: what is more like a character counts
            self._left -= 1
            whole = self._locator.lift(members, uncovered=True)
            other, other_distance = self._judged(self._recogniser, whole) if whole else (NOT_READ, 0.0)
            doubtful = other.label != read.label
            if other.label is not None and other.novelty < read.novelty:
                read, distance = other, other_distance
        return _Reading(lifted.row, lifted.reason, read, distance, doubtful)

    def _judged(self, recogniser: Recogniser, lifted: Lifted) -> tuple[Recognition, float]:
        """What a group is read as, as if its line were level, and its distance from the class."""
        read = recogniser.recognise(as_written(lifted.picture, self.tilt, self.turned), "light")
        return read, float(recogniser.engine.responses.decision[DISTANCE])


def _boxes_of(table: Sequence[Row], columns: Sequence[Sequence[int]]) -> list[Row]:
    return [box_of([table[place] for place in column]) for column in columns]


def _thin(table: Sequence[Row], line: Sequence[int], size: int) -> list[int]:
    """The parts of a line, no larger than a comma, that are too thin for its pen."""
    small = [place for place in line if longer_side(table[place]) <= COMMA * size]
    thinnest = THINNEST * pen_of([table[place] for place in line]) if small else 0.0
    return [place for place in small if thickness_of(table[place]) < thinnest]


def _with_points(table: Sequence[Row], columns: Sequence[list[int]], size: int) -> list[list[int]]:
    """The columns; what may be a point or a comma at the foot of a digit is a column of its own."""
    divided = []
    for column in columns:
        if len(column) == 1:
            divided.append(column)
            continue
        whole = box_of([table[place] for place in column])
        points = [place for place in column if is_small_and_low(table[place], whole, COMMA * size, FOOT)]
        rest = [place for place in column if place not in points]
        if not rest:
            divided.append(column)
            continue
        digit = box_of([table[place] for place in rest])
        before = [[place] for place in points if _across(table[place]) < _across(digit)]
        divided += [*before, rest, *([place] for place in points if [place] not in before)]
    return divided


def is_small_and_low(row: Row, whole: Row, most: float, lowest: float) -> bool:
    """Whether a part of something has no side above `most`, and its middle is as far down as `lowest` says, of the
    height of the whole."""
    down, upper, lower = (row[part.TOP] + row[part.BOTTOM]) / 2, whole[part.TOP], whole[part.BOTTOM]
    return longer_side(row) <= most and down - upper >= lowest * (lower - upper)


def _across(row: Row) -> int:
    """Twice the middle."""
    return row[part.LEFT] + row[part.RIGHT]


def as_written(picture: NDArray[np.uint8], tilt: float, turned: bool) -> NDArray[np.uint8]:
    """A picture of a character, C-contiguous, as it was written: level, and upright if the frame was turned."""
    level = levelled(picture, tilt)
    return np.ascontiguousarray(np.rot90(level, -1) if turned else level)


def levelled(picture: NDArray[np.uint8], tilt: float) -> NDArray[np.uint8]:
    """A picture of a line that goes down by `tilt` for every pixel to the right, turned level by two shears."""
    if abs(tilt) < LEAST_TILT:
        return picture
    return _sheared(_sheared(picture, tilt).T, -tilt).T


def _sheared(picture: NDArray[np.uint8], tilt: float) -> NDArray[np.uint8]:
    """A picture whose columns are moved up by `tilt` for every pixel to the right, and black around it."""
    height, width = picture.shape
    down = np.rint(tilt * np.arange(width)).astype(np.intp)
    rows = np.arange(height + np.ptp(down))[:, None] + down - down.max()
    inside = (rows >= 0) & (rows < height)
    return np.where(inside, picture[rows.clip(0, height - 1), np.arange(width)], np.uint8(0))


def _joined(members: Sequence[Member]) -> list[Member]:
    """Members of the same part in one, from the first seam to the last."""
    spans: dict[int, Member] = {}
    for row, start, end in members:
        spans[row] = (row, spans[row][part.FROM] if row in spans else start, end)
    return list(spans.values())
