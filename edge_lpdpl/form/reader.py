"""Frames in, the number of each field out."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.files.grey import checked_frame
from edge_lpdpl.form.fields import MARGIN, Field, find_faults, find_unreadable
from edge_lpdpl.form.homography import Matrix, project, rectify
from edge_lpdpl.form.marks import find_forms
from edge_lpdpl.form.sheet import PAPERS, Area
from edge_lpdpl.form.surroundings import ABOVE_SCALE, areas_above, is_corrected, is_in_place, read_areas
from edge_lpdpl.model.labels import Label
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.constraints import Constraints
from edge_lpdpl.number.grammar import marks_for
from edge_lpdpl.number.line_reader import INK_UNREAD, OUT_OF_PLACE, Number, Numeral
from edge_lpdpl.number.reader import PageReader, Reading
from edge_lpdpl.number.weights import USUAL_STRICTNESS
from edge_lpdpl.numeral.recogniser import UNSURE, Recogniser, locks_of, one_at_a_time
from edge_lpdpl.page.boxes import ANOTHER_FORM, NO_MARKS, Box, Unread
from edge_lpdpl.page.parts_table import REDUCED_SIDE
from edge_lpdpl.page.settings import ON_PAPER, LocateSettings

SCALE, MOST_PIXELS = 6.0, 3 << 17
"""Pixels a millimetre of the upright pictures of fields: less where all of them together had more than MOST_PIXELS."""
SHARE = 2 / 3
"""Of the readings that a frame may take: those of all fields. Marks and upright pictures cost as much as the others."""
HEIGHTS = 3.0
"""A field is read as if the frame were so many of its heights long: writing in it is then of the usual size."""
SLASH = 0.75
"""Width of a slash over its height, at least; of 565 1s of MNIST 20 lean as far."""
_LENGTHS = (
    *("widest_stroke", "smallest", "largest", "smallest_dot", "largest_dot", "largest_mark", "thickest"),
    *("smallest_shape", "border"),
)


class _Place(NamedTuple):
    """Where a field is read."""

    field: Field
    area: Area
    """What is read of it."""
    above: Area | None
    """Where corrections are looked for; None in a frame without marks."""
    scale: float
    """Pixels a millimetre."""
    reader: PageReader


class FormReader:
    """Reads the fields of forms in frames. It serves one thread at a time, and so do its recognisers; others wait.

    Args:
        fields: at least one. Their numbers are 0 or more, unless their constraints have a minimum or a maximum below 0.
        recogniser: reads fields without a model of their own.
        height, width: of the frames, in pixels.
        paper: of the printed sheet, whose marks are looked for in each frame: `A4`, `A5` or `A6`; None where the fields
            are always at the same pixels of the frame.
        recognisers: those of the models that fields name.
        polarity: `light`, `dark` or `auto` ink.
        wrong_per_thousand: as of `PageReader`.

    Raises:
        ConfigError: there is no field, fields overlap, lie outside or have one name, or a model lacks a character. What
            is wrong with a field begins with its number.

    >>> from edge_lpdpl import Recogniser, shipped_model
    >>> one = Recogniser.load(shipped_model("chinese15"))
    >>> reader = FormReader([Field("score", Area(40, 60, 60, 40))], one, 480, 640, paper=None)
    >>> frame = np.full((480, 640), 200, np.uint8)
    >>> frame[78:82, 50:90] = 40
    >>> reading = reader.read(frame)
    >>> reading.fields, reading.numbers[0].text, reading.numbers[0].box
    ({'score': 0}, '一', Box(x=50, y=78, width=40, height=4))
    """

    def __init__(
        self,
        fields: Sequence[Field],
        recogniser: Recogniser,
        height: int,
        width: int,
        paper: str | None = "A4",
        recognisers: Mapping[str, Recogniser] | None = None,
        polarity: str = "auto",
        wrong_per_thousand: int = USUAL_STRICTNESS,
    ) -> None:
        self.recogniser, self._paper, self._size = recogniser, paper, (height, width)
        if not fields:
            raise ConfigError("a form has no field; give at least one")
        if paper is not None and paper not in PAPERS:
            raise ConfigError(f"paper is {paper!r}; give {', '.join(PAPERS)} or None")
        for fault in find_faults(fields, paper, self._size):
            raise ConfigError(f"field {fault.field + 1}: {fault.key} {fault.text}")
        self._places, self._read = list[_Place](), False
        areas = [field.area for field in fields]
        above = areas_above(areas) if paper else [None] * len(areas)
        areas = read_areas(areas, paper) if paper else areas
        most = (MOST_PIXELS / sum(area.width * area.height for area in areas)) ** 0.5
        for number, (field, area, over) in enumerate(zip(fields, areas, above, strict=True), 1):
            own = (recognisers or {}).get(field.model) if field.model else recogniser
            if own is None:
                raise ConfigError(f"field {number}: model is {field.model!r}, which is not among the recognisers")
            for text in find_unreadable(field.constraints, field.boxes, own.model.labels, own.model.name):
                raise ConfigError(f"field {number}: {text}")
            scale = _scale_of(field.area.grown(MARGIN), area, most) if paper else 1.0
            rows, columns = round(area.height * scale), round(area.width * scale)
            settings = _settings(HEIGHTS * field.area.height / max(area[2:]))._replace(polarity=polarity)
            known = _constraints_of(field, own.model.labels), wrong_per_thousand
            reader = PageReader(own, rows, columns, settings, None, *known)
            self._places.append(_Place(field, area, over, scale, reader))
        self.locks = locks_of(self.recognisers)

    @one_at_a_time
    def read(self, grey: NDArray[np.uint8]) -> Reading:
        """The numbers of all fields, in their order; boxes are those around them in the frame. Where the marks of the
        sheet are not found, nothing is read, and the whole frame is unread; so is a second sheet.

        Args:
            grey: (height, width) uint8, of the size that the reader was made for.

        Raises:
            ImageError: the array is no picture of that size.
        """
        start = time.perf_counter()
        grey = checked_frame(grey, *self._size)
        sheets = find_forms(grey, self._paper) if self._paper else [np.eye(3)]
        located_us = (time.perf_counter() - start) * 1e6
        fields: dict[str, int | None] = {place.field.name: None for place in self._places}
        self._read = bool(sheets)
        if not sheets:
            frame = Box(0, 0, self._size[1], self._size[0])
            return Reading([], [], [Unread(frame, NO_MARKS)], located_us, fields=fields)
        matrix, *others = sheets
        share, models = SHARE, list[Model]()  # of the readings of a frame that are left
        numbers, numerals, unread = list[Number](), list[Numeral](), list[Unread]()
        pictures = [_picture_of(grey, matrix, place.area, place.scale) for place in self._places]
        for place, picture, is_there in zip(self._places, pictures, self._are_in_place(pictures), strict=True):
            read = place.reader.read(picture, share)
            share = max(share - place.reader.taken, 0)
            best, found = self._checked(place, read, is_there, grey, matrix)
            fields[place.field.name] = None if best is None else len(numbers) + best
            in_frame = read._replace(numbers=found).with_boxes(_Boxes(matrix, place.area, place.scale, self._size).of)
            numbers += [_behind(number, len(numerals)) for number in in_frame.numbers]
            numerals += in_frame.numerals
            unread += in_frame.unread
            models += [place.reader.recogniser.model] * len(found)
        if self._paper:
            unread += [Unread(self._box_of_sheet(other, self._paper), ANOTHER_FORM) for other in others]
        recognise_us = (time.perf_counter() - start) * 1e6 - located_us
        return Reading(numbers, numerals, unread, located_us, recognise_us, fields, models)

    def _checked(
        self, place: _Place, read: Reading, is_there: bool, grey: NDArray[np.uint8], matrix: Matrix
    ) -> tuple[int | None, list[Number]]:
        """The numbers that were read in a field, and the place of its own among them. In doubt are those whose printed
        box is not there or that are written anew above it, and one that may be struck out."""
        best, found = _one_of(read.numbers)
        if not is_there:
            found = [_in_doubt(number, OUT_OF_PLACE) for number in found]
        if place.above and found and is_corrected(rectify(grey, matrix, place.above, ABOVE_SCALE)):
            found = [_in_doubt(number, INK_UNREAD) for number in found]
        if best is not None and _may_be_struck(place.field, found[best], read.numerals):
            found[best] = _in_doubt(found[best], UNSURE)
        return best, found

    def _are_in_place(self, pictures: Sequence[NDArray[np.uint8]]) -> list[bool]:
        """Whether the printed box of each field is where it should be; none is where less than half of them are."""
        found = [
            self._paper is None or is_in_place(picture, place.area, place.field.area, place.scale)
            for place, picture in zip(self._places, pictures, strict=True)
        ]
        return found if 2 * sum(found) >= len(found) else [False] * len(found)

    def _box_of_sheet(self, matrix: Matrix, paper: str) -> Box:
        across, down = PAPERS[paper]
        return _Boxes(matrix, Area(0, 0, across, down), 1.0, self._size).of(Box(0, 0, round(across), round(down)))

    @property
    def recognisers(self) -> list[Recogniser]:
        """Those of the fields, each once."""
        return list(dict.fromkeys(place.reader.recogniser for place in self._places))

    def cut_outs(self) -> list[NDArray[np.uint8]]:
        """The picture of each numeral of the last frame as its recogniser was given it, (height, width) uint8."""
        return [picture for place in self._places for picture in place.reader.cut_outs()] if self._read else []


class _Boxes(NamedTuple):
    """Where boxes of a field's upright picture are in the frame."""

    matrix: Matrix
    area: Area
    scale: float
    size: tuple[int, int]
    """Height and width of the frame."""

    def of(self, box: Box) -> Box:
        """The box in the frame around a box of the picture."""
        across, down = np.array([box.x, box.right]) / self.scale, np.array([box.y, box.bottom]) / self.scale
        corners = [(self.area.x + x, self.area.y + y) for x in across.tolist() for y in down.tolist()]
        points, (height, width) = project(self.matrix, np.array(corners)), self.size
        left, top = np.floor(np.clip(points.min(axis=0), 0, (width - 1, height - 1))).astype(int).tolist()
        right, bottom = np.ceil(np.clip(points.max(axis=0), (left + 1, top + 1), (width, height))).astype(int).tolist()
        return Box(left, top, right - left, bottom - top)


def _constraints_of(field: Field, labels: Sequence[Label]) -> Constraints | None:
    """What is known about the number of a field. A dash in an unused box is no minus, unless the limits ask for one."""
    known = field.constraints or Constraints()
    if "-" not in marks_for(labels) or known.minimum is not None or (known.maximum or 0) < 0:
        return field.constraints
    return replace(known, minimum=0)


def _behind(number: Number, numerals: int) -> Number:
    """A number whose numerals come after so many others."""
    return number._replace(numerals=tuple(numerals + one for one in number.numerals))


def _in_doubt(number: Number, reason: str) -> Number:
    return number if number.rejected else number._replace(reason=reason)


def _may_be_struck(field: Field, number: Number, numerals: Sequence[Numeral]) -> bool:
    """Whether the first or the last digit of a number is as oblique as a slash: many strike an unused box through, or
    what they leave empty before a number. It is none where the number is known to be as long."""
    if field.constraints is not None and field.constraints.length is not None:
        return False
    ends = [numerals[number.numerals[end]] for end in (0, -1)]
    return any(one.recognition.label in ("1", "١") and one.box.width >= SLASH * one.box.height for one in ends)


def _one_of(numbers: Sequence[Number]) -> tuple[int | None, list[Number]]:
    """The place of the number of a field, and all numbers that were read in it. Of several the longest one is taken,
    and it is in doubt."""
    found = list(numbers)
    if not found:
        return None, found
    best = max(range(len(found)), key=lambda place: (len(found[place].numerals), found[place].confidence))
    if len(found) > 1:
        found[best] = _in_doubt(found[best], INK_UNREAD)
    return best, found


def _picture_of(grey: NDArray[np.uint8], matrix: Matrix, area: Area, scale: float) -> NDArray[np.uint8]:
    if scale != 1.0:
        return rectify(grey, matrix, area, scale)
    x, y, width, height = map(round, area)
    return np.ascontiguousarray(grey[y : y + height, x : x + width])


def _scale_of(field: Area, read: Area, most: float) -> float:
    """Pixels a millimetre of the picture of a field: as many that the locator reduces it no more than it would without
    the room beside it."""
    scale = min(SCALE, most)
    factor = -(-field.width * scale // REDUCED_SIDE)
    return min(scale, factor * REDUCED_SIDE / read.width)


def _settings(share: float) -> LocateSettings:
    """The usual settings for a picture that is a part of a page: lengths times `share`."""
    lengths = {name: share * getattr(ON_PAPER, name) for name in _LENGTHS}
    return ON_PAPER._replace(**lengths | {"largest": min(0.95, lengths["largest"])})
