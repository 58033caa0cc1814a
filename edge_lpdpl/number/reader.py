"""Frames in, their numbers out.

The locator finds ink, lines of it become lattices, and the most probable path through a lattice is a number.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ModelError
from edge_lpdpl.files.grey import SMALLEST_SIDE
from edge_lpdpl.model.labels import DOTS, FRAMED, LYING, Label
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.constraints import Constraints
from edge_lpdpl.number.doubts.alone import stands_alone
from edge_lpdpl.number.doubts.dashes import with_dashes
from edge_lpdpl.number.doubts.divided import parts_of_one
from edge_lpdpl.number.doubts.lost_ink import with_lost_ink
from edge_lpdpl.number.doubts.separators import may_have_separators
from edge_lpdpl.number.doubts.walls import is_unsure_for_walls
from edge_lpdpl.number.doubts.words import MOST_WORDS, is_word, words_before
from edge_lpdpl.number.lattice import as_written
from edge_lpdpl.number.line_reader import Line, LineReader, Number, Numeral, best_of
from edge_lpdpl.number.lines import Row, are_divided, entry_of, find_lines, walls_of
from edge_lpdpl.number.weights import USUAL_STRICTNESS, Grounds, LineModel
from edge_lpdpl.numeral.recogniser import UNSURE, Recogniser, locks_of, one_at_a_time
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.boxes import (
    BORDER,
    MOST_ALONE,
    PRINT,
    RULES,
    TOO_SMALL,
    Box,
    Unread,
    holds_middle,
    in_dotted_lines,
    within,
)
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.settings import ON_PAPER, LocateSettings

SMALL_BAR = 2
"""As of `LocateSettings.least_area`, where a bar is a numeral or tells one from another."""
BLUR = 2
"""Pixels of the reduced frame that the blur of a number may reach beyond its box."""
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

    def with_boxes(self, change: Callable[[Box], Box]) -> "Reading":
        """The same, each box changed by a function."""
        return self._replace(
            numbers=[one._replace(box=change(one.box)) for one in self.numbers],
            numerals=[one._replace(box=change(one.box)) for one in self.numerals],
            unread=[one._replace(box=change(one.box)) for one in self.unread],
        )

    def models_of_numerals(self, usual: Model) -> list[Model]:
        """Which model read each numeral: `usual`, where one model reads."""
        found = [usual] * len(self.numerals)
        for number, model in zip(self.numbers, self.models, strict=False):
            for place in number.numerals:
                found[place] = model
        return found


class _Page(NamedTuple):
    """The lines of a frame, and what is printed around them."""

    table: Sequence[Row]
    """All parts."""
    lines: Sequence[Sequence[int]]
    """Places of the parts of each."""
    rows: Sequence[int]
    """The row of boxes that each line is in, negative where it is in none."""
    entries: Sequence[Row]
    """The rows of boxes."""
    boxes: Sequence[Box]
    """The same, in the frame."""
    dividers: Sequence[Row]
    """Rules and walls between the cells of tables."""


class PageReader:
    """Reads frames of one size. It serves one thread at a time, and so do its recognisers; others wait.

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
        turned: whether the frames were turned by a quarter against the clock, so that columns of Chinese characters are
            rows of lying ones. Those are turned back to be read.

    Raises:
        ConfigError: so many wrong ones cannot be asked for, or digits are asked for in columns.
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
        turned: bool = False,
    ) -> None:
        check_comparable(recogniser, also)
        self.recogniser, recognisers, self._turned = recogniser, (recogniser, *also), turned
        self.locks = locks_of(recognisers)
        known = partial(PageReader, recogniser, settings=settings, constraints=constraints, lines=lines, also=also)
        known = partial(known, wrong_per_thousand=wrong_per_thousand, turned=turned)
        self.alike: Callable[[int, int], PageReader] = known
        """Makes a reader of another height and width, without a region, that is else the same."""
        labels = [label for one in recognisers for label in one.model.labels]
        self._has_bars = any(label.character in LYING for label in labels)
        self._has_dots = any(label.character in DOTS for label in labels)
        settings = settings_for(labels, settings)
        self.locator = Locator(height, width, settings, region, recogniser.backend)
        self._smallest = settings.smallest * max(self.locator.region[2:]) / self.locator.factor
        self._readers = [
            LineReader(one, self.locator, constraints, wrong_per_thousand, own, turned)
            for one, own in [(recogniser, lines), *((one, None) for one in also)]
        ]
        self._reads: list[Line] = []

    @one_at_a_time
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
        unread = self.locator.unread()
        reading = self._checked(self._read(grey, table, unread, unread, share), grey)
        done = time.perf_counter()
        return Reading(*reading[:3], (located - start) * 1e6, (done - located) * 1e6, models=reading.models)

    def _checked(self, reading: Reading, grey: NDArray[np.uint8]) -> Reading:
        """What was read of a frame, after a closer look at it, where a reader has one."""
        return reading

    @one_at_a_time
    def read_cut_out(self, grey: NDArray[np.uint8], known: Sequence[Box] = ()) -> Reading | None:
        """Read a frame that was cut out of a picture, around numbers that were whole there: what its borders cut is
        something else, and leaves no doubt.

        Args:
            grey: as of `read`.
            known: boxes of numerals that were read in the picture. None is read where they are all ink of the frame.
        """
        table = self.locator.find(grey)
        unread = self.locator.unread()
        others = [one for one in unread if one.reason != BORDER]
        if known and not others and _are_same([self.locator.box(row) for row in table], known):
            return None
        return self._read(grey, table, unread, others)

    def _read(
        self,
        grey: NDArray[np.uint8],
        table: Sequence[Row],
        unread: list[Unread],
        others: Sequence[Unread],
        share: float = 1.0,
    ) -> Reading:
        """Read what was found.

        Args:
            grey, share: as of `read`.
            table: of `Locator.find`.
            unread: ink that is no writing.
            others: those that may be ink of a number.
        """
        ruled = any(one.reason == RULES for one in unread)
        page = self._lay_out(table, ruled)
        self._reads = reads = self._read_lines(page, share)
        numerals = [one for read in reads for one in read.numerals]
        numbers = self._with_lost_ink(page, reads, numerals, others, grey)
        if page.entries or len(numerals) > 1:
            numbers = self._with_walls(page, reads, numbers, [one.box for one in unread if one.reason == RULES])
        if self._turned and ruled:  # printed boxes are looked for as those of rows, and take strokes of columns along
            numbers = [number._replace(reason=number.reason or UNSURE) for number in numbers]
        unread = unread + [one for read in reads for one in read.unread]
        if sum(map(len, page.lines)) < len(table):
            crumbs = set(range(len(table))).difference(*page.lines)
            unread += [self.locator.ink(table[place], TOO_SMALL) for place in sorted(crumbs)]
        numbers = with_dashes(numbers, numerals, unread)
        models = [read.model for read in reads if read.model] if len(self._readers) > 1 else []
        return Reading(numbers, numerals, unread, models=models)

    def _lay_out(self, table: Sequence[Row], ruled: bool) -> _Page:
        entries, dividers = (self.locator.entries(), self.locator.dividers()) if ruled else ([], [])
        if len(table) <= MOST_ALONE or not self._may_be_dotted(table):
            lines = find_lines(table, entries, dividers, self._turned)
        else:
            dots = in_dotted_lines(list(map(self.locator.box, table)), self.locator.factor * self._smallest)
            places = [place for place in range(len(table)) if place not in dots]
            found = find_lines([table[place] for place in places], entries, dividers, self._turned)
            lines = [[places[one] for one in line] for line in found]
        rows = [-1] * len(lines)
        if entries:  # a line may go on beyond its row of boxes
            rows = [max(entry_of(table[place], entries) for place in line) for line in lines]
        boxes = list(map(self.locator.box, entries)) if entries else []
        return _Page(table, lines, rows, entries, boxes, dividers)

    def _may_be_dotted(self, table: Sequence[Row]) -> bool:
        small = sum(row[part.BOTTOM] - row[part.TOP] < self._smallest for row in table)
        return small > MOST_ALONE and not self._has_dots

    def _read_lines(self, page: _Page, share: float) -> list[Line]:
        for reader in self._readers:
            reader.start(share / len(self._readers))
        lines = list(zip(page.lines, page.rows, strict=True))
        reads, first = [self._read_line(page.table, line, row >= 0) for line, row in lines], 0
        for place, (line, row) in enumerate(lines):
            read = reads[place]
            may_have_word = row < 0 and not self._has_bars  # letters are lower than digits, and so are bars
            if may_have_word and (read.number is None or read.number.rejected):
                read = self._behind_word(page.table, line) or read
            if read.number and first:
                places = tuple(range(first, first + len(read.numerals)))
                read = read._replace(number=read.number._replace(numerals=places))
            reads[place] = read
            first += len(read.numerals)
        return reads

    def _read_line(self, table: Sequence[Row], line: Sequence[int], boxed: bool = False) -> Line:
        return best_of([reader.read(table, line, boxed) for reader in self._readers])

    def _behind_word(self, table: Sequence[Row], line: Sequence[int]) -> Line | None:
        """The accepted number of a line behind a printed word; None where there is none."""
        for word, rest in islice(words_before(table, line), MOST_WORDS):
            if is_word(self._read_line(table, word)):
                read = self._read_line(table, rest)
                if read.number and not read.number.rejected:
                    letters = [self.locator.ink(table[place], PRINT) for place in word]
                    return read._replace(unread=[*read.unread, *letters])
        return None

    def _with_lost_ink(
        self,
        page: _Page,
        reads: Sequence[Line],
        numerals: Sequence[Numeral],
        others: Sequence[Unread],
        grey: NDArray[np.uint8],
    ) -> list[Number]:
        """The numbers; in doubt are those that ink of other lines, or of none, may belong to."""
        if not others and len(reads) < 2:
            return [read.number for read in reads if read.number]
        # The parts of a line are no other ink to itself.
        parts = [[self.locator.ink(page.table[place]) for place in line] for line in page.lines if len(page.lines) > 1]
        is_numeral, is_alone = partial(self._is_numeral, grey, numerals), partial(self._stands_alone, grey)
        are_apart = partial(self._are_divided, page.dividers)
        return with_lost_ink(
            reads, parts, page.rows, page.boxes, others, is_numeral, is_alone, are_apart, self._has_bars
        )

    def _with_walls(
        self, page: _Page, reads: Sequence[Line], numbers: Sequence[Number], frames: Sequence[Box]
    ) -> list[Number]:
        """The numbers; in doubt are those that a printed wall may divide, or be a 1 of."""
        walls, every = walls_of(page.dividers), zip(reads, page.lines, page.rows, strict=True)
        found = [(read, line, page.entries[row] if row >= 0 else None) for read, line, row in every if read.number]
        is_unsure = partial(self._is_unsure, page.table, walls)
        fields, are_apart = [one for one in frames if one not in page.boxes], partial(self._are_divided, page.dividers)
        parts = parts_of_one(self.locator, [read for read, *_ in found], fields, are_apart)
        return [
            number._replace(reason=UNSURE) if not number.rejected and (place in parts or is_unsure(*one)) else number
            for place, (number, one) in enumerate(zip(numbers, found, strict=True))
        ]

    def _is_numeral(self, grey: NDArray[np.uint8], numerals: Sequence[Numeral], box: Box) -> bool:
        """Whether what is in a box of the frame, beside the numerals that were read, looks like a character of a model:
        a printed box around a digit does not."""
        margin = 2 + round(AROUND * max(box.width, box.height))
        top, left = max(box.y - margin, 0), max(box.x - margin, 0)
        around = grey[top : box.bottom + margin, left : box.right + margin].copy()
        paper = np.median(around)
        for one in numerals:
            around[within(one.box, top, left)] = paper
        return min(around.shape) < SMALLEST_SIDE or any(reader.is_character(around) for reader in self._readers)

    def _stands_alone(self, grey: NDArray[np.uint8], read: Line, others: Sequence[Box]) -> bool:
        return stands_alone(grey, read, others, BLUR * self.locator.factor)

    def _are_divided(self, dividers: Sequence[Row], one: Box, other: Box) -> bool:
        """Whether two boxes of the frame are in different cells of a table."""
        return bool(dividers) and are_divided(self.locator.edges(one), self.locator.edges(other), dividers)

    def _is_unsure(
        self, table: Sequence[Row], walls: Sequence[Row], read: Line, line: Sequence[int], entry: Row | None
    ) -> bool:
        """Whether a 1 of a number may be no digit, or a printed wall one or between two; for the arguments see
        `is_unsure_for_walls`. Nobody writes a slash into a box for one character."""
        if entry is None and may_have_separators(read, self._cut_outs):
            return True
        return is_unsure_for_walls(self.locator, table, walls, read, line, entry)

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
        found = (self._cut_outs(read, range(len(read.groups))) for read in self._reads)
        return [picture for pictures in found for picture in pictures if picture is not None]

    def _cut_outs(self, read: Line, places: Iterable[int]) -> Iterator[NDArray[np.uint8] | None]:
        """The picture of each of some numerals of a line."""
        for row, slot in read.cuts:  # another line has used the slots meanwhile
            self.locator.cut(row, slot)
        for members, tilt in (read.groups[place] for place in places):
            lifted = self.locator.lift(members)  # which overwrites the last one
            yield None if lifted is None else as_written(lifted.picture, tilt, self._turned).copy()

    @property
    def grounds(self) -> list[Grounds]:
        """What the confidence of each number of the last frame comes from."""
        return [read.grounds for read in self._reads if read.grounds]


def _are_same(found: Sequence[Box], known: Sequence[Box]) -> bool:
    """Whether each part that was found is one of these numerals, from the left, and each of them is found."""
    if len(found) != len(known):
        return False
    pairs = zip(sorted(found), sorted(known), strict=True)
    return all(holds_middle(one, other) and holds_middle(other, one) for one, other in pairs)


def settings_for(labels: Sequence[Label], settings: LocateSettings = ON_PAPER) -> LocateSettings:
    """What writing looks like where it consists of these characters."""
    characters = {label.character for label in labels}
    if not characters & DOTS:
        settings = settings._replace(largest_dot=0)
    if characters & LYING:
        settings = settings._replace(shortest_underline=0, least_area=SMALL_BAR)
    return settings._replace(single_boxes=0) if characters & FRAMED else settings


def check_comparable(recogniser: Recogniser, also: Sequence[Recogniser]) -> None:
    """Check that models can read beside each other.

    Raises:
        ModelError: one of several cannot say how much a picture looks like its characters.
    """
    blind = [one.model.name for one in (recogniser, *also) if one.model.novelty is None] if also else []
    if blind:
        raise ModelError(f"{blind[0]} has no distances, so it cannot be compared with another model; train it anew")
