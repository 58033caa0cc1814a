"""Frames in, their numbers out.

The locator finds ink, lines of it become lattices, and the most probable path through a lattice is a number.
"""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from math import inf
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ModelError
from edge_lpdpl.files.grey import SMALLEST_SIDE
from edge_lpdpl.model.labels import DOTS, LYING, Label
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.constraints import Constraints
from edge_lpdpl.number.lattice import levelled
from edge_lpdpl.number.line_reader import (
    ABOVE,
    APART,
    AS_STRONG,
    BESIDE,
    INK_UNREAD,
    Line,
    LineReader,
    Number,
    Numeral,
    best_of,
    size_of,
)
from edge_lpdpl.number.lines import (
    LEAST_STROKE,
    THINNEST,
    Row,
    are_divided,
    are_of_boxes,
    crosses_wall,
    entry_of,
    find_lines,
    is_divided,
    walls_of,
)
from edge_lpdpl.number.weights import USUAL_STRICTNESS, Grounds, LineModel
from edge_lpdpl.numeral.recogniser import UNSURE, Recogniser
from edge_lpdpl.page.boxes import BORDER, RULES, TOO_FAINT, Box, Unread, covered
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import CELL
from edge_lpdpl.page.settings import ON_PAPER, LocateSettings

SMALL_BAR = 2
"""As of `LocateSettings.least_area`, where a bar is a numeral or tells one from another."""
ALIKE, MOST_ALIKE = 0.6, 1.5
"""Longer side of fainter ink over the size of the numerals, between which it may be one of them."""
BAR = 3
"""One side over the other from which on fainter ink is a bar: a piece of a ruled line, if it lies and is thinner than
what the pen of the numerals leaves, or of a printed box."""
THIN_PEN = 0.4
"""Width of the thinnest upright bar of another pen over that of the strokes of the numerals."""
COVERED = 0.25
"""Share of the box of fainter ink that the boxes of numerals cover, from which on it is no numeral beside them, but
goes around or through one, as a printed box and a crease do."""
AROUND = 0.1
"""How much of the frame around fainter ink is read with it, as a share of its longer side."""


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

    def models_of_numerals(self, usual: Model) -> list[Model]:
        """Which model read each numeral: `usual`, where one model reads."""
        found = [usual] * len(self.numerals)
        for number, model in zip(self.numbers, self.models, strict=False):
            for place in number.numerals:
                found[place] = model
        return found


class PageReader:
    """Reads frames of one size. Use one a thread.

    Args:
        recogniser: reads the numerals; the locator uses the same backend.
        height, width: of the frames, 8..4096 pixels each.
        settings: what writing looks like. No numeral is a dot for a model that does not know the Arabic-Indic zero.
        region: where to look, in pixels of the frame; everywhere when left out.
        constraints: what is known about the numbers. Of the likely readings of a line the most probable one that
            satisfies them is taken. Its confidence stays its share of all readings.
        wrong_per_thousand: of accepted numbers, 1 to 1000: fewer put more numbers in doubt.
        lines: what is known about lines; what comes with the package for the model's script when left out.
        also: of models of other scripts: every line is read with each model, and the number whose numerals look most
            like their classes is taken. Each may have its share of the readings of a frame.

    Raises:
        ImageError: frames of that size cannot be read.
        ModelError: one of several models cannot say how much a picture looks like its characters.

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
        also: Sequence[Recogniser] = (),
    ) -> None:
        check_comparable(recogniser, also)
        self.recogniser, recognisers = recogniser, (recogniser, *also)
        settings = settings_for([label for one in recognisers for label in one.model.labels], settings)
        self.locator = Locator(height, width, settings, region, recogniser.backend)
        self._readers = [
            LineReader(one, self.locator, constraints, wrong_per_thousand, lines if one is recogniser else None)
            for one in recognisers
        ]
        self._reads: list[Line] = []

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
        numerals, unread = list[Numeral](), self.locator.unread()
        ruled = any(one.reason == RULES for one in unread)
        entries, dividers = (self.locator.entries(), self.locator.dividers()) if ruled else ([], [])
        lines = find_lines(table, entries, dividers)
        self._reads = reads = []
        for reader in self._readers:
            reader.start(share / len(self._readers))
        rows = [-1] * len(lines)
        if entries:  # a line may go on beyond its row of boxes
            rows = [max(entry_of(table[place], entries) for place in line) for line in lines]
        for line, row in zip(lines, rows, strict=True):
            reads.append(best_of([reader.read(table, line, len(numerals), row >= 0) for reader in self._readers]))
            numerals += reads[-1].numerals
        # The parts of a line are no other ink to itself.
        parts = [[self.locator.ink(table[place]) for place in line] for line in lines if len(lines) > 1]
        is_numeral, are_apart = partial(self._is_numeral, grey, numerals), partial(self._are_divided, dividers)
        numbers = with_lost_ink(reads, parts, rows, unread, is_numeral, are_apart)
        every, walls = zip(lines, rows, reads, strict=True), walls_of(dividers)
        found = [(line, row, read) for line, row, read in every if read.number]
        may_be_two = [row < 0 and self._may_be_two(read, table, line, walls) for line, row, read in found]
        numbers = unsure_where(numbers, may_be_two)
        if entries:  # of two numerals in one printed box, one may be a wall of it
            near = [(row, nearest(read.numerals) / self.locator.factor) for _, row, read in found]
            crowded = [row >= 0 and 2 * gap < entries[row][CELL] for row, gap in near]
            numbers = unsure_where(numbers, crowded)
        unread += [one for read in reads for one in read.unread]
        if sum(map(len, lines)) < len(table):
            crumbs = set(range(len(table))).difference(*lines)
            unread += [self.locator.ink(table[place], "too_small") for place in sorted(crumbs)]
        models = [read.model for read in reads if read.model] if len(self._readers) > 1 else []
        done = time.perf_counter()
        return Reading(numbers, numerals, unread, (located - start) * 1e6, (done - located) * 1e6, models=models)

    def _is_numeral(self, grey: NDArray[np.uint8], numerals: Sequence[Numeral], box: Box) -> bool:
        """Whether what is in a box of the frame, beside the numerals that were read, looks like a character of a model:
        a printed box around a digit does not."""
        margin = 2 + round(AROUND * max(box.width, box.height))
        top, left = max(box.y - margin, 0), max(box.x - margin, 0)
        around = grey[top : box.bottom + margin, left : box.right + margin].copy()
        paper = np.median(around)
        for one in numerals:
            x, y = one.box.x - left, one.box.y - top
            around[max(y, 0) : max(y + one.box.height, 0), max(x, 0) : max(x + one.box.width, 0)] = paper
        return min(around.shape) < SMALLEST_SIDE or any(reader.is_character(around) for reader in self._readers)

    def _are_divided(self, dividers: Sequence[Row], one: Box, other: Box) -> bool:
        """Whether two boxes of the frame are in different cells of a table."""
        return bool(dividers) and are_divided(self.locator.edges(one), self.locator.edges(other), dividers)

    def _may_be_two(self, read: Line, table: Sequence[Row], line: Sequence[int], walls: Sequence[Row]) -> bool:
        """Whether an accepted number may be two: one of its parts goes on beyond a wall of a table, or a printed wall
        stands between two of its numerals that is not one of a row of boxes."""
        if read.number is None or read.number.rejected:
            return False
        if any(crosses_wall(table[place], walls) for place in line):
            return True
        boxes, between = [one.box for one in read.numerals], self.locator.wall_between
        stands_wall = any(between(one, other) is not None for one, other in pairwise(boxes))
        if not stands_wall and not is_divided(table, line, walls):
            return False
        size, first, last = size_of(read.numerals), boxes[0], boxes[-1]
        ends = first._replace(x=first.x - size, width=0), last._replace(x=last.right + size)
        found = [between(one, other, behind=True) for one, other in pairwise([ends[0], *boxes, ends[1]])]
        return not are_of_boxes(found, size / self.locator.factor)

    @property
    def recognisers(self) -> list[Recogniser]:
        """Those that read, the first one first."""
        return [reader.recogniser for reader in self._readers]

    @property
    def taken(self) -> float:
        """Share of the readings of a frame that the last one took."""
        return sum(reader.taken for reader in self._readers)

    def cut_outs(self) -> list[NDArray[np.uint8]]:
        """The picture of each numeral of the last frame as the recogniser was given it, (height, width) uint8."""
        found = list[NDArray[np.uint8]]()
        for read in self._reads:
            for row, slot in read.cuts:
                self.locator.cut(row, slot)
            lifted = ((self.locator.lift(members), tilt) for members, tilt in read.groups)  # each overwrites the last
            found += [levelled(one.picture, tilt).copy(order="C") for one, tilt in lifted if one is not None]
        return found

    @property
    def grounds(self) -> list[Grounds]:
        """What the confidence of each number of the last frame comes from."""
        return [read.grounds for read in self._reads if read.grounds]


def settings_for(labels: Sequence[Label], settings: LocateSettings = ON_PAPER) -> LocateSettings:
    """What writing looks like where it consists of these characters."""
    characters = {label.character for label in labels}
    if not characters & DOTS:
        settings = settings._replace(largest_dot=0)
    if characters & LYING:
        settings = settings._replace(shortest_underline=0, least_area=SMALL_BAR)
    return settings


def unsure_where(numbers: Sequence[Number], are_unsure: Sequence[bool]) -> list[Number]:
    """The numbers; in doubt are those of which that is said."""
    return [
        number._replace(reason=UNSURE) if is_unsure and number.reason is None else number
        for number, is_unsure in zip(numbers, are_unsure, strict=True)
    ]


def nearest(numerals: Sequence[Numeral]) -> float:
    """Distance between the middles of the two nearest of them, across, in pixels of the frame; infinite for one."""
    middles = sorted(one.box.x + one.box.width / 2 for one in numerals)
    return min((after - before for before, after in pairwise(middles)), default=inf)


def check_comparable(recogniser: Recogniser, also: Sequence[Recogniser]) -> None:
    """Check that models can read beside each other.

    Raises:
        ModelError: one of several cannot say how much a picture looks like its characters.
    """
    blind = [one.model.name for one in (recogniser, *also) if one.model.novelty is None] if also else []
    if blind:
        raise ModelError(f"{blind[0]} has no distances, so it cannot be compared with another model; train it anew")


def with_lost_ink(
    reads: Sequence[Line],
    parts: Sequence[Sequence[Unread]],
    rows: Sequence[int],
    unread: Sequence[Unread],
    is_numeral: Callable[[Box], bool],
    are_apart: Callable[[Box, Box], bool],
) -> list[Number]:
    """The numbers; in doubt are those that other ink may belong to, and those that such ink is read in.

    Args:
        parts: of each line.
        rows: the row of boxes that each line is in, negative where it is in none: one number is in a row.
        unread: ink that is in no line.
        is_numeral: whether what is in a box looks like a numeral.
        are_apart: whether two boxes are in different cells of a table.
    """
    near, belongs = dict[int, set[int]](), list[int]()
    owned = [(place, ink) for place, inks in enumerate(parts) for ink in inks] + [(-1, ink) for ink in unread]
    if not owned:
        return [read.number for read in reads if read.number]
    is_numeral = cache(is_numeral)  # ink may be near several numbers, and a look at it is a reading
    others = sorted([(ink.box.y + ink.box.height / 2, place, ink) for place, ink in owned], key=itemgetter(0))
    middles = [middle for middle, _, _ in others]
    for place, read in enumerate(reads):
        if read.number is None:
            continue
        zone = _zone_of(read, read.number.box)
        for one in range(bisect_left(middles, zone.highest), bisect_right(middles, zone.lowest)):
            _, other, ink = others[one]
            if other == place:
                continue
            is_in_row = other >= 0 and rows[other] == rows[place] >= 0
            if is_in_row or _may_belong(ink.box, zone, are_apart):
                near.setdefault(one, {other}).add(place)
                if _is_like(ink, zone) or (_may_be_faint_numeral(ink, zone) and is_numeral(ink.box)):
                    belongs.append(one)
    lost = set[int]().union(*(near[one] for one in belongs))  # both halves of a line that breaks at a faint digit
    numbers = [(place, read.number) for place, read in enumerate(reads) if read.number]
    return [
        number._replace(reason=INK_UNREAD) if place in lost and number.reason in (None, UNSURE) else number
        for place, number in numbers
    ]


class _Zone(NamedTuple):
    """Where other ink may belong to a number, and how large it then is, how thick, and how strong."""

    box: Box
    numerals: Sequence[Box]
    size: int
    """Of the numerals."""
    thinnest: float
    strength: float

    @property
    def highest(self) -> float:
        """Row of the middle of the highest ink, which is at most twice as high as the numerals are large."""
        return self.box.y - (APART + 1) * self.size

    @property
    def lowest(self) -> float:
        """Row of the middle of the lowest ink."""
        return self.box.bottom + (APART + 1) * self.size


def _zone_of(line: Line, box: Box) -> _Zone:
    boxes = [one.box for one in line.numerals]
    return _Zone(box, boxes, size_of(line.numerals), line.thinnest, AS_STRONG * line.strength)


def _is_like(ink: Unread, zone: _Zone) -> bool:
    """Whether other ink may be a stroke of a number: of its pen, or cut off by the border."""
    shorter, longer = sorted((ink.box.width, ink.box.height))
    is_of_its_pen = ink.strength >= zone.strength and (shorter >= zone.thinnest or ink.reason == BORDER)
    return longer >= LEAST_STROKE * zone.size and is_of_its_pen


def _may_be_faint_numeral(ink: Unread, zone: _Zone) -> bool:
    """Whether faint ink is in the row of a number, about as large as its numerals, at a place of its own, and no piece
    of a printed line."""
    width, height = ink.box.width, ink.box.height
    if ink.reason != TOO_FAINT or not zone.box.y <= ink.box.y + height / 2 <= zone.box.bottom:
        return False
    shorter, longer = sorted((width, height))
    thinnest = zone.thinnest if width > height else zone.thinnest * THIN_PEN / THINNEST
    is_large = ALIKE * zone.size <= longer <= MOST_ALIKE * zone.size
    is_stroke = longer < BAR * shorter or ink.pen >= thinnest
    return is_large and is_stroke and covered(ink.box, zone.numerals) < COVERED * width * height


def _may_belong(ink: Box, zone: _Zone, are_apart: Callable[[Box, Box], bool]) -> bool:
    """Whether other ink is where a stroke of a number may be, and not what is written in another cell of a table."""
    return _is_near(ink, zone) and not (_is_free(ink, zone) and are_apart(ink, zone.box))


def _is_free(ink: Box, zone: _Zone) -> bool:
    """Whether ink in another cell of a table is no part of a number: as large as a numeral, and above or below, or not
    right beside it as its next numeral would be."""
    gap = max(ink.x - zone.box.right, zone.box.x - ink.right)
    return max(ink.width, ink.height) >= ALIKE * zone.size and not 0 <= gap < APART * zone.size


def _is_near(ink: Box, zone: _Zone) -> bool:
    """Whether other ink is where a stroke of a number may be."""
    (left, top, width, height), number, size = ink, zone.box, zone.size
    above = max(number.y - top - height, top - number.bottom)
    if left < number.right and left + width > number.x and height <= 2 * size:
        return above <= APART * size
    if left > number.right + BESIDE * size or left + width < number.x - BESIDE * size:
        return False
    middle = top + height / 2
    shared = min(top + height, number.bottom) - max(top, number.y)  # a digit may hang together with a crease below it
    return shared >= APART * size or number.y - ABOVE * size <= middle <= number.bottom + ABOVE * size
