"""Pictures of any size in, their numbers out."""

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.files.grey import checked_picture
from edge_lpdpl.files.pictures import PathLike, grey_of, read_large_picture
from edge_lpdpl.library.hands import OFF, load_hand
from edge_lpdpl.library.models import find_model
from edge_lpdpl.model.labels import DOTS
from edge_lpdpl.number.constraints import Constraints, allows, check_marks
from edge_lpdpl.number.doubts.joined import TALL
from edge_lpdpl.number.grammar import Grammar, grammar_for
from edge_lpdpl.number.line_reader import CONSTRAINT, INK_UNREAD, Line, Number, Numeral, best_of, least_confidence
from edge_lpdpl.number.pictures.columns import on_its_side, set_upright
from edge_lpdpl.number.pictures.confirming import confirmed, marks_of
from edge_lpdpl.number.pictures.nearer import View, accepted_in, cut_outs_of, enlarged, read_afar, read_nearer, tiles_of
from edge_lpdpl.number.pictures.parts import distances_below
from edge_lpdpl.number.pictures.second_look import look_again
from edge_lpdpl.number.reader import PageReader, Reading, check_comparable
from edge_lpdpl.number.weights import USUAL_STRICTNESS, line_model
from edge_lpdpl.numeral.buffers import BOTTOM, LEFT, PICTURE_SIDE, RIGHT, TOP
from edge_lpdpl.numeral.recogniser import UNSURE, Recogniser, locks_of, one_at_a_time, wear_all
from edge_lpdpl.page.boxes import BORDER, Box
from edge_lpdpl.page.parts_table import REDUCED_SIDE
from edge_lpdpl.page.rejection import LARGE_DOT
from edge_lpdpl.page.settings import ON_PAPER, LocateSettings, reduction

NEARER = 2, 4
"""How much nearer a large picture with small ink is read."""
MOST_READERS = 12
"""Of frames of different sizes, kept for the next picture."""
AS_HIGH = 0.9
"""Height of a numeral over that of all ink of a small picture, from which on it is no piece of one that fills that."""
MISTAKEN, LEAST_CHANCE = 0.25, 0.001
"""Share of non-numerals that a model accepts, of the shipped ones at most (docs/novelty.md), and how improbable it must
be that all that it accepts are such."""
STRICTER = 2
"""How many times fewer of the numbers may be wrong that were in doubt from afar: they are wrong more often."""


class PictureReader:
    """Reads pictures of any size: small and very thin ones as one numeral, others as pages. A small one of wide ink, or
    with a model that reads signs, is also read as a page; what looks more like its classes counts. A large one with
    small ink, such as a photographed sheet, is also read in tiles. What is in doubt is looked at again. It serves one
    thread at a time, and so do its recognisers; others wait.

    Args:
        recogniser, also: as of `PageReader`.
        polarity: `light` or `dark` ink, or `auto`.
        single: read every picture as one numeral.
        constraints: as of `PageReader`; a picture of one numeral has one reading only.
        wrong_per_thousand: as of `PageReader`; a picture of one numeral is doubted by the model alone.
        columns: whether the numbers are columns of Chinese characters, the rightmost one first.

    Raises:
        ConfigError: decimals are asked for, and numbers of no model have a point; or digits are asked for in columns.
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
        columns: bool = False,
    ) -> None:
        check_comparable(recogniser, also)
        models = {one.model.name: one.model.labels for one in (recogniser, *also)}
        check_marks(constraints or Constraints(), models)
        self.recogniser, self.polarity, self.single = recogniser, polarity, single
        self._constraints, self._columns = constraints, columns
        self.locks = locks_of([recogniser, *also])
        self._known = [(one, grammar_for(one.model.labels)) for one in (recogniser, *also)]
        known = partial(PageReader, recogniser, settings=LocateSettings(polarity=polarity), constraints=constraints)
        self._readers = partial(known, wrong_per_thousand=wrong_per_thousand, also=also, turned=columns)
        self._made = dict[tuple[int, int], PageReader]()
        self._cut_outs: Callable[[], list[NDArray[np.uint8]]] = list
        characters = {label.character for one, _ in self._known for label in one.model.labels}
        self._marks = marks_of([recogniser, *also])
        strict = max(wrong_per_thousand // STRICTER, 1)
        lines = {one.model.name: line_model(one.model.labels, columns) for one, _ in self._known}
        self._least = {name: least_confidence(one, strict) for name, one in lines.items()}
        self._widest = max(one.joined for one in lines.values())
        self._has_marks = any(self._marks.values())
        self._has_dots = bool(characters & DOTS)
        self.as_page = False
        """Whether the last reading is that of a page, and not that of one numeral."""

    def is_single(self, grey: NDArray[np.uint8]) -> bool:
        """Whether a picture (height, width) is first read as one numeral: because `single` says so, because no side is
        above PICTURE_SIDE, or because nothing would be left of one so thin in the reduced frame of a page."""
        longer = max(grey.shape)
        return self.single or longer <= PICTURE_SIDE or min(grey.shape) < reduction(longer)

    @one_at_a_time
    def read(self, grey: NDArray[np.uint8]) -> Reading:
        """The numbers of a picture (height, width) uint8. The box of one that is read alone is that of its ink.

        Raises:
            ImageError: the array is no picture that can be read.
        """
        self.as_page = not self.is_single(grey)
        if self.as_page:
            return self._in_rows(self._read_page_or_nearer, checked_picture(grey))
        start = time.perf_counter()
        best = alone = best_of([self._read_one(one, grammar, grey) for one, grammar in self._known])
        page = self._in_rows(self._read_small_page, grey) if self._may_be_several(alone, grey) else Reading([], [])
        if len(page.numbers) > 1 or any(len(number.text) > 1 for number in page.numbers):
            best = best_of([alone, Line(list(page.numerals), page.numbers[0], list(page.unread))], UNSURE)
        self.as_page = best.numerals is not alone.numerals
        if not self.as_page and best.number and self._has_more(page, best.number):
            best = best._replace(number=best.number._replace(reason=best.number.reason or INK_UNREAD))
        numbers = [best.number] if best.number else []
        elapsed = (time.perf_counter() - start) * 1e6
        if self.as_page:
            return page._replace(numbers=[*numbers, *page.numbers[1:]], recognise_us=elapsed - page.locate_us)
        models = [best.model] if best.model and len(self._known) > 1 else []
        return Reading(numbers, best.numerals, recognise_us=elapsed, models=models)

    def _may_be_several(self, alone: Line, grey: NDArray[np.uint8]) -> bool:
        """Whether a small picture may show more than one numeral: always if it may show a minus or a point, else where
        its ink is wider or higher than that of one numeral mostly is."""
        if self.single or alone.number is None or max(grey.shape) > PICTURE_SIDE:
            return False
        width, height = alone.number.box.width, alone.number.box.height
        return self._has_marks or width > self._widest * height or height >= TALL * width

    def _has_more(self, page: Reading, alone: Number) -> bool:
        """Whether a small picture that was read as one numeral shows more."""
        if not self._has_marks:
            return any(number.reason == INK_UNREAD for number in page.numbers)
        return _may_have_a_dot(page) if self._has_dots else _has_other_ink(page, alone.box.height)

    def cut_outs(self) -> list[NDArray[np.uint8]]:
        """The picture of each numeral of the last reading as the recogniser was given it, (height, width) uint8; none
        of a picture that was read as one numeral."""
        return self._cut_outs() if self.as_page else []

    def _in_rows(self, read: Callable[[NDArray[np.uint8]], Reading], grey: NDArray[np.uint8]) -> Reading:
        """What a function for pictures whose numbers are rows reads of this one."""
        return set_upright(read(on_its_side(grey)), grey.shape[1]) if self._columns else read(grey)

    def _read_page_or_nearer(self, grey: NDArray[np.uint8]) -> Reading:
        """From afar, and from nearer with a model that has distances: without, print and dust look like numerals."""
        reader = self._reader_of(*grey.shape)
        afar = read_afar(reader, grey)
        best = self._from_nearer(afar, grey) if self.recogniser.model.novelty else afar
        same = best.places == afar.places
        self._cut_outs = reader.cut_outs if same else partial(cut_outs_of, self._reader_of, grey, best.places)
        distances = distances_below(reduction(max(grey.shape)))
        return confirmed(best.reading, grey, self._marks, self._reader_of, distances)

    def _from_nearer(self, afar: View, grey: NDArray[np.uint8]) -> View:
        """Numbers in doubt are looked at again; and all is read in tiles as long as there is small ink. That counts if
        more numerals are accepted than by chance: in print, dust and grain few are, and those are mistakes."""
        seen, nearest = afar.reading, max(grey.shape)
        best = self._looked_again(afar, grey, nearest)
        for nearer in NEARER:
            tiles = tiles_of(grey, nearer)
            side = max(tiles[0][2:])
            if side <= REDUCED_SIDE or not _has_small_ink(seen, 2 * side):  # that of the view before was twice as long
                break
            view = read_nearer(self._reader_of(tiles[0].height, tiles[0].width), grey, tiles, best)
            seen = view.reading
            if accepted_in(seen) > accepted_in(best.reading) and chance_of(view.accepted, view.found) <= LEAST_CHANCE:
                best, nearest = view, side
        return best if nearest == max(grey.shape) else self._looked_again(best, grey, nearest)

    def _looked_again(self, view: View, grey: NDArray[np.uint8], longer: int) -> View:
        """A view of a picture after a second look at what is in doubt; the longer side is of what was read at once."""
        return look_again(view, grey, reduction(longer), self._marks, self._least, self._reader_of)

    def _read_page(self, grey: NDArray[np.uint8]) -> Reading:
        reader = self._reader_of(*checked_picture(grey).shape)
        self._cut_outs = reader.cut_outs
        return reader.read(grey)

    def _reader_of(self, height: int, width: int) -> PageReader:
        if (height, width) not in self._made:
            if len(self._made) >= MOST_READERS:  # those of pictures of another size
                self._made.clear()
            self._made[height, width] = self._readers(height, width)
        return self._made[height, width]

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


def chance_of(accepted: int, found: int) -> float:
    """How probable it is at most, by Chernoff's bound, that so many of these are accepted if none is a numeral.

    >>> [round(chance_of(accepted, 5), 4) for accepted in (1, 4, 5)]
    [1.0, 0.0358, 0.001]
    """
    share = accepted / max(found, 1)
    if share <= MISTAKEN:
        return 1.0
    rest = (1 - share) * log((1 - share) / (1 - MISTAKEN)) if share < 1 else 0.0
    return exp(-found * (share * log(share / MISTAKEN) + rest))


def _has_small_ink(reading: Reading, longer: int) -> bool:
    """Whether there is ink too small for a numeral, or hardly large enough, in a view of this longer side."""
    small = 2 * ON_PAPER.smallest * longer
    boxes = [*(one.box for one in reading.numerals), *(one.box for one in reading.unread)]
    return any(max(box.width, box.height) <= small for box in boxes)


def _has_other_ink(page: Reading, high: int) -> bool:
    """Whether there is other ink beside the numeral of a small picture. A numeral that fills its picture is cut by the
    border and falls into pieces as a page: other ink at the border is beside one that is as high as all ink.

    Args:
        high: of all ink.
    """
    near = [number for number in page.numbers if number.reason == INK_UNREAD]
    if not page.unread or BORDER not in {ink.reason for ink in page.unread}:
        return bool(page.unread and near)
    return any(len(number.text) == 1 and number.box.height >= AS_HIGH * high for number in near)


def _may_have_a_dot(page: Reading) -> bool:
    """Whether the only numeral of a small picture, in which a dot beside it hardly shows, is more than one as a page. A
    dot may be large there: the picture was cut out around the number."""
    return len(page.numbers) == 1 and len(page.numbers[0].text) > 1 and page.numbers[0].reason in (None, LARGE_DOT)


def _box_of_ink(recogniser: Recogniser, height: int, width: int) -> Box:
    """Where the recogniser found ink in the last picture, to within the pixels that it was reduced by."""
    factor = -(-max(height, width) // PICTURE_SIDE)
    found = (recogniser.engine.buffers.found * factor).tolist()
    left, top = found[LEFT], found[TOP]
    return Box(left, top, min(found[RIGHT], width) - left, min(found[BOTTOM], height) - top)


def read(
    picture: PathLike | Image.Image | NDArray[np.uint8],
    model: PathLike = "latin10",
    also: PathLike | Sequence[PathLike] = (),
    hand: str | None = OFF,
    *,
    constraints: Constraints | None = None,
    wrong_per_thousand: int = USUAL_STRICTNESS,
    columns: bool = False,
) -> Reading:
    """Read the numbers in a picture. One without a side of more than 160 pixels is read as one numeral, unless its
    ink looks more like a number of several characters.

    Every call loads the model and makes a reader, which takes longer than to read. A program that reads many pictures
    can make a `PictureReader`.

    Args:
        picture: a file, an image of Pillow, or grey values (height, width) uint8; 8 to 4096 pixels a side. A larger
            file is scaled down; boxes are in its own pixels all the same.
        model: name of a shipped model, or a file.
        also: another model, or several; each line is read by the one whose characters it looks most like.
        hand: what a person taught the model: `auto` for what `edge-lpdpl teach` has kept, a name, or a file; `off` or
            None for the model alone.
        constraints: what is known about the numbers, such as `Constraints(length=3)`; a picture of one numeral has one
            reading only.
        wrong_per_thousand: at most so many of a thousand accepted numbers are expected to be wrong: 2, 5 or 10, for
            example; a picture of one numeral is doubted by the model alone.
        columns: whether the numbers are columns of Chinese characters, the rightmost one first.

    Raises:
        ConfigError: as of `PictureReader`.
        ImageError: the picture cannot be read.
        HandError: the hand is damaged, is not there, or is none of this model.
        ModelError: there is no such model, or its file is not valid or cannot be compared with another model.

    >>> from edge_lpdpl import read
    >>> from edge_lpdpl.library.shipped import shipped_pictures
    >>> paths = {path.stem: path for path in shipped_pictures()}
    >>> [(number.text, number.value, number.rejected) for number in read(paths["latin_5_paper"]).numbers]
    [('5', 5, False)]
    """
    scale = 1.0
    if isinstance(picture, str | os.PathLike):
        grey, scale, _ = read_large_picture(picture)
    elif isinstance(picture, Image.Image):
        grey = grey_of(picture)
    else:
        grey = checked_picture(picture)
    names = [model, also] if isinstance(also, str | os.PathLike) else [model, *also]
    recognisers = [Recogniser.load(find_model(os.fspath(one))) for one in names]
    if hand is not None:
        wear_all(recognisers, load_hand(hand, must_exist=True))
    known, others = (constraints, wrong_per_thousand), recognisers[1:]
    reader = PictureReader(recognisers[0], "auto", False, *known, others, columns)
    return enlarged(reader.read(grey), scale)
