"""Frames and pictures in, their numbers out.

The service and `edge-lpdpl recognise` both read this way: the locator finds ink, lines of it become lattices, and the
most probable path through a lattice is a number.
"""

import os
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.errors import ModelError
from edge_lpdpl.files.grey import checked_picture
from edge_lpdpl.files.pictures import PathLike, grey_of, read_large_picture
from edge_lpdpl.library.models import find_model
from edge_lpdpl.model.labels import DOTS, LYING
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.constraints import Constraints, check_decimals
from edge_lpdpl.number.grammar import Grammar, grammar_for
from edge_lpdpl.number.lattice import levelled
from edge_lpdpl.number.line_reader import (
    CONSTRAINT,
    Line,
    LineReader,
    Number,
    Numeral,
    allows,
    best_of,
    with_lost_ink,
)
from edge_lpdpl.number.lines import Row, find_lines
from edge_lpdpl.number.weights import USUAL_STRICTNESS, LineModel, Signs, line_model
from edge_lpdpl.numeral.buffers import BOTTOM, LEFT, PICTURE_SIDE, RIGHT, TOP
from edge_lpdpl.numeral.recogniser import UNSURE, Recogniser
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.boxes import Box, Unread
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.settings import ON_PAPER, LocateSettings, reduction


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
        characters = {label.character for one in recognisers for label in one.model.labels}
        if not characters & DOTS:
            settings = settings._replace(largest_dot=0)
        if characters & LYING:
            settings = settings._replace(shortest_underline=0)
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
        numerals, unread, lines = list[Numeral](), self.locator.unread(), find_lines(table)
        self._reads = reads = []
        for reader in self._readers:
            reader.start(share / len(self._readers))
        for line in lines:
            reads.append(best_of([reader.read(table, line, len(numerals)) for reader in self._readers]))
            numerals += reads[-1].numerals
        # The parts of a line are no other ink to itself.
        parts = [[self._ink(table[place]) for place in line] for line in lines if len(lines) > 1]
        numbers = with_lost_ink(reads, parts, unread)
        unread += [one for read in reads for one in read.unread]
        models = [read.model for read in reads if read.model] if len(self._readers) > 1 else []
        done = time.perf_counter()
        return Reading(numbers, numerals, unread, (located - start) * 1e6, (done - located) * 1e6, models=models)

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
        groups = [group for read in self._reads for group in read.groups]
        lifted = ((self.locator.lift(members), tilt) for members, tilt in groups)  # each overwrites the last
        return [levelled(one.picture, tilt).copy(order="C") for one, tilt in lifted if one is not None]

    @property
    def signs(self) -> list[Signs]:
        """What the confidence of each number of the last frame comes from."""
        return [read.signs for read in self._reads if read.signs]

    def _ink(self, row: Row) -> Unread:
        return Unread(self.locator.box(row), "no_numeral", row[part.RIDGE] / row[part.RUNS] / 255)


class PictureReader:
    """Reads pictures of any size: small and very thin ones as one numeral, others as pages. A small one of wide ink may
    be cut out around a number: it is read as a page too, and the numerals that look more like their classes count.

    Args:
        recogniser, also: as of `PageReader`.
        polarity: `light` or `dark` ink, or `auto`.
        single: read every picture as one numeral.
        constraints: as of `PageReader`; a picture of one numeral has one reading only.
        wrong_per_thousand: as of `PageReader`; a picture of one numeral is doubted by the model alone.

    Raises:
        ConfigError: decimals are asked for, and numbers of no model have a point.
        ModelError: as of `PageReader`.
    """

    def __init__(
        self,
        recogniser: Recogniser,
        polarity: str = "auto",
        single: bool = False,
        constraints: Constraints | None = None,
        wrong_per_thousand: int = USUAL_STRICTNESS,
        also: Sequence[Recogniser] = (),
    ) -> None:
        check_comparable(recogniser, also)
        models = {one.model.name: one.model.labels for one in (recogniser, *also)}
        check_decimals((constraints or Constraints()).decimals, models)
        self.recogniser, self.polarity, self.single = recogniser, polarity, single
        self._constraints = constraints
        self._known = [(one, grammar_for(one.model.labels)) for one in (recogniser, *also)]
        known = partial(PageReader, recogniser, settings=LocateSettings(polarity=polarity), constraints=constraints)
        self._readers = partial(known, wrong_per_thousand=wrong_per_thousand, also=also)
        self._reader: PageReader | None = None
        self._widest = max(line_model(one.model.labels).joined for one in (recogniser, *also))
        self.as_page = False
        """Whether the last reading is that of a page, and not that of one numeral."""

    def is_single(self, grey: NDArray[np.uint8]) -> bool:
        """Whether a picture (height, width) is first read as one numeral: because `single` says so, because no side is
        above PICTURE_SIDE, or because nothing would be left of one so thin in the reduced frame of a page."""
        longer = max(grey.shape)
        return self.single or longer <= PICTURE_SIDE or min(grey.shape) < reduction(longer)

    def read(self, grey: NDArray[np.uint8]) -> Reading:
        """The numbers of a picture (height, width) uint8. The box of one that is read alone is that of its ink.

        Raises:
            ImageError: the array is no picture that can be read.
        """
        self.as_page = not self.is_single(grey)
        if self.as_page:
            return self._read_page(grey)
        start = time.perf_counter()
        best = alone = best_of([self._read_one(one, grammar, grey) for one, grammar in self._known])
        page = self._read_small_page(grey) if self._may_be_several(alone, grey) else Reading([], [])
        if any(len(number.numerals) > 1 for number in page.numbers):
            best = best_of([alone, Line(list(page.numerals), page.numbers[0], list(page.unread))], UNSURE)
        self.as_page = best.numerals is not alone.numerals
        numbers = [best.number] if best.number else []
        elapsed = (time.perf_counter() - start) * 1e6
        if self.as_page:
            return page._replace(numbers=[*numbers, *page.numbers[1:]], recognise_us=elapsed - page.locate_us)
        models = [best.model] if best.model and len(self._known) > 1 else []
        return Reading(numbers, best.numerals, recognise_us=elapsed, models=models)

    def _may_be_several(self, alone: Line, grey: NDArray[np.uint8]) -> bool:
        """Whether the ink of a small picture is wider, over its height, than that of one numeral mostly is."""
        if self.single or alone.number is None or max(grey.shape) > PICTURE_SIDE:
            return False
        return alone.number.box.width > self._widest * alone.number.box.height

    def cut_outs(self) -> list[NDArray[np.uint8]]:
        """The picture of each numeral of the last reading as the recogniser was given it, (height, width) uint8; none
        of a picture that was read as one numeral."""
        return self._reader.cut_outs() if self._reader and self.as_page else []

    def _read_page(self, grey: NDArray[np.uint8]) -> Reading:
        height, width = checked_picture(grey).shape
        if self._reader is None or (self._reader.locator.height, self._reader.locator.width) != (height, width):
            self._reader = self._readers(height, width)
        return self._reader.read(grey)

    def _read_small_page(self, grey: NDArray[np.uint8]) -> Reading:
        """A picture without a side above PICTURE_SIDE, enlarged until it has one: strokes are then as wide as those of
        a page."""
        factor = PICTURE_SIDE // max(grey.shape) + 1
        height, width = (factor * side for side in grey.shape)
        large = Image.fromarray(grey).resize((width, height), Image.Resampling.BICUBIC)
        return enlarged(self._read_page(np.array(large)), 1 / factor)

    def _read_one(self, recogniser: Recogniser, grammar: Grammar, grey: NDArray[np.uint8]) -> Line:
        """A picture of one numeral."""
        read = recogniser.recognise(grey, self.polarity)
        if read.label is None:
            return Line([], None, [])
        box = _box_of_ink(recogniser, *grey.shape)
        reason = read.reason if allows(self._constraints, grammar, read.label) else CONSTRAINT
        number = Number(read.label, read.value, read.confidence, reason, box, (0,))
        return Line([Numeral(box, read)], number, [], model=recogniser.model)


def check_comparable(recogniser: Recogniser, also: Sequence[Recogniser]) -> None:
    """Check that models can read beside each other.

    Raises:
        ModelError: one of several cannot say how much a picture looks like its characters.
    """
    blind = [one.model.name for one in (recogniser, *also) if one.model.novelty is None] if also else []
    if blind:
        raise ModelError(f"{blind[0]} has no distances, so it cannot be compared with another model; train it anew")


def _box_of_ink(recogniser: Recogniser, height: int, width: int) -> Box:
    """Where the recogniser found ink in the last picture, to within the pixels that it was reduced by."""
    factor = -(-max(height, width) // PICTURE_SIDE)
    found = (recogniser.engine.buffers.found * factor).tolist()
    left, top = found[LEFT], found[TOP]
    return Box(left, top, min(found[RIGHT], width) - left, min(found[BOTTOM], height) - top)


def read(
    picture: PathLike | Image.Image | NDArray[np.uint8], model: PathLike = "latin10", also: Sequence[PathLike] = ()
) -> Reading:
    """Read the numbers in a picture. One without a side of more than 160 pixels is read as one numeral, unless its
    ink is wide and looks more like a number of several.

    Every call loads the model, in a few milliseconds. A program that reads many pictures can make a `PictureReader`.

    Args:
        picture: a file, an image of Pillow, or grey values (height, width) uint8; 8 to 4096 pixels a side. A larger
            file is scaled down; boxes are in its own pixels all the same.
        model: name of a shipped model, or a file.
        also: other models; each line is read by the one whose characters it looks most like.

    Raises:
        ImageError: the picture cannot be read.
        ModelError: there is no such model, or its file is not valid or cannot be compared with another model.

    >>> from edge_lpdpl import read
    >>> from edge_lpdpl.library.shipped import shipped_pictures
    >>> paths = {path.stem: path for path in shipped_pictures()}
    >>> [(number.text, number.value, number.rejected) for number in read(paths["latin_5_paper"]).numbers]
    [('5', 5, False)]
    """
    scale = 1.0
    if isinstance(picture, str | os.PathLike):
        grey, scale = read_large_picture(picture)
    elif isinstance(picture, Image.Image):
        grey = grey_of(picture)
    else:
        grey = checked_picture(picture)
    recogniser, *others = (Recogniser.load(find_model(os.fspath(one))) for one in (model, *also))
    return enlarged(PictureReader(recogniser, also=others).read(grey), scale)


def enlarged(reading: Reading, scale: float) -> Reading:
    """A reading of a picture that was scaled down, with the boxes that it has in the picture itself.

    >>> from edge_lpdpl.number.line_reader import Number
    >>> enlarged(Reading([Number("4", 4, 0.9, None, Box(1, 2, 3, 4), (0,))], []), 2.0).numbers[0].box
    Box(x=2, y=4, width=6, height=8)
    """
    if scale == 1:
        return reading

    def grown(box: Box) -> Box:
        left, top, right, bottom = (round(scale * side) for side in (box.x, box.y, box.right, box.bottom))
        return Box(left, top, right - left, bottom - top)

    return reading._replace(
        numbers=[one._replace(box=grown(one.box)) for one in reading.numbers],
        numerals=[one._replace(box=grown(one.box)) for one in reading.numerals],
        unread=[one._replace(box=grown(one.box)) for one in reading.unread],
    )
