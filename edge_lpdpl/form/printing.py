"""A form as PDF: marks in the corners, and a name and drop-out boxes for each field."""

import io
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from edge_lpdpl import __version__
from edge_lpdpl.errors import ConfigError, how_to_install
from edge_lpdpl.form.fields import MARGIN, Field
from edge_lpdpl.form.sheet import EDGE, LENGTH, PAPERS, QUIET, SIDE, Area, mark_areas

_POINT = 72 / 25.4
"""Points a millimetre."""
_LATIN, _CHINESE = "Helvetica", "STSong-Light"
"""Fonts that every viewer and printer has or replaces, so that none is embedded."""
_NAME, _HINT, _TITLE = 9.0, 7.0, 14.0
"""Sizes in points."""
_SIZES, _LEAST_TITLE = (_NAME, 8.0, 7.0, 6.0), 7.0
"""Sizes of names, the best one first, and the smallest one of titles."""
_ABOVE, _CAPITAL, _APART = 0.7, 0.26, 1.0
"""Millimetres from what is read with a field to its name; height of a capital letter, for a point; from a name to the
boxes of other fields."""
_LEAST_BOX = 4.0
"""Width of a box, in millimetres: narrower ones hold no digit that people write."""
_BOX = 0.72
"""Grey of boxes, which the camera sees fainter than any writing, and people see well."""
_RULE = 0.35
"""Width of their rules, in millimetres."""


def print_form(fields: Sequence[Field], paper: str = "A4", title: str = "") -> bytes:
    """The bytes of a PDF of one page.

    Args:
        fields: without faults, see `edge_lpdpl.form.fields.find_faults`.
        paper: one of `edge_lpdpl.form.sheet.PAPERS`.

    Raises:
        ConfigError: reportlab is not installed, a name holds characters that its fonts do not have or has no
            room, or boxes are too narrow.
    """
    try:
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.cidfonts import UnicodeCIDFont
        from reportlab.pdfgen.canvas import Canvas
    except ImportError as error:
        raise ConfigError(f"printing a form needs reportlab ({error}): {how_to_install('forms')}") from None
    pdfmetrics.registerFont(UnicodeCIDFont(_CHINESE))
    for number, field in enumerate(fields, 1):
        if field.boxes and (each := field.area.width / field.boxes) < _LEAST_BOX:
            raise ConfigError(
                f"field {number}: boxes is {field.boxes}, of {each:.1f} mm each; give {_LEAST_BOX:g} or more"
            )
    for text in (title, *(field.name for field in fields)):
        if unknown := [character for character in text if _font_of(character) is None]:
            raise ConfigError(f"{text!r} holds {unknown[0]!r}, which the fonts of a form do not have")
    width, height = PAPERS[paper]
    file = io.BytesIO()
    canvas = Canvas(file, (width * _POINT, height * _POINT), invariant=1)
    canvas.setTitle(title or "Form")
    canvas.setCreator(f"edge-lpdpl {__version__}")
    sheet = _Sheet(canvas, height)
    for mark in mark_areas(paper):
        sheet.fill(*mark)
    sheet.title(title, width)
    places = _places_of_names(sheet, fields, paper)
    for field, size in zip(fields, places, strict=True):
        sheet.field(field, size)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


class _Sheet:
    """A canvas in millimetres from the top left corner."""

    def __init__(self, canvas: Any, height: float) -> None:
        self._canvas, self._height = canvas, height

    def fill(self, x: float, y: float, width: float, height: float) -> None:
        self._canvas.setFillGray(0)
        self._canvas.rect(*self._place(x, y + height), width * _POINT, height * _POINT, stroke=0, fill=1)

    def title(self, text: str, width: float) -> None:
        """The title in the middle between the marks at the top, in smaller letters where it is long.

        Raises:
            ConfigError: it is too long.
        """
        room = width - 2 * (EDGE + LENGTH + QUIET)
        size = min(_TITLE, _TITLE * room / max(self.length_of(text, _TITLE), 1))
        if size < _LEAST_TITLE:
            raise ConfigError(f"title is too long to stand between the marks: {text[:60]!r}; shorten it")
        self.write(text, width / 2, EDGE + 0.8 * SIDE, size, middle=True)

    def length_of(self, text: str, size: float) -> float:
        """How long a text is, in millimetres."""
        runs = ((str(font), "".join(part)) for font, part in groupby(text, _font_of))
        return float(sum(self._canvas.stringWidth(run, font, size) for font, run in runs)) / _POINT

    def name_area(self, field: Field, size: float) -> Area:
        """Where the name of a field stands in letters of that size, with what is known about its number and a gap."""
        hint = _hint(field)
        long = self.length_of(field.name, size) + (2 + self.length_of(hint, _HINT / _NAME * size) if hint else 0)
        foot = field.area.y - MARGIN - _ABOVE
        return Area(field.area.x, foot - _CAPITAL * size, long + _APART, _CAPITAL * size)

    def field(self, field: Field, size: float) -> None:
        """Its boxes, and above them, where it is not read, its name and what is known about its number."""
        x, y, width, height = field.area
        count = max(field.boxes, 1)
        self._canvas.setStrokeGray(_BOX)
        self._canvas.setLineWidth(_RULE * _POINT)
        self._canvas.rect(*self._place(x, y + height), width * _POINT, height * _POINT, stroke=1, fill=0)
        for number in range(1, count):
            across = x + number * width / count
            self._canvas.line(*self._place(across, y), *self._place(across, y + height))
        end = self.write(field.name, x, y - MARGIN - _ABOVE, size)
        self.write(_hint(field), end + 2, y - MARGIN - _ABOVE, _HINT / _NAME * size, grey=0.45)

    def write(self, text: str, x: float, y: float, size: float, *, grey: float = 0.0, middle: bool = False) -> float:
        """Write from x on, or around it; returns where the text ends, in millimetres."""
        runs = [(str(font), "".join(part)) for font, part in groupby(text, _font_of)]
        widths = [self._canvas.stringWidth(run, font, size) for font, run in runs]
        left, foot = self._place(x, y)
        left -= sum(widths) / 2 if middle else 0
        self._canvas.setFillGray(grey)
        for (font, run), wide in zip(runs, widths, strict=True):
            self._canvas.setFont(font, size)
            self._canvas.drawString(left, foot, run)
            left += wide
        return float(left / _POINT)

    def _place(self, x: float, y: float) -> tuple[float, float]:
        return x * _POINT, (self._height - y) * _POINT


def _places_of_names(sheet: _Sheet, fields: Sequence[Field], paper: str) -> list[float]:
    """The size of the name of each field, in points: smaller where its neighbours leave less room.

    Raises:
        ConfigError: there is no room for one. It would be read as writing of another field, or hide its name.
    """
    width, _ = PAPERS[paper]
    marks = [mark.grown(1.0) for mark in mark_areas(paper)]
    boxes = [field.area.grown(_APART) for field in fields]
    names = [sheet.name_area(field, _SIZES[-1]) for field in fields]
    chosen = list[float]()
    for place, field in enumerate(fields):
        others = [*marks, *(one[other] for one in (boxes, names) for other in range(len(fields)) if other != place)]
        for size in _SIZES:
            area = sheet.name_area(field, size)
            if area.right <= width - MARGIN and area.y >= 0 and not any(area.overlaps(other) for other in others):
                break
        else:
            remedy = "shorten it, or leave 7 mm above the field and more beside it"
            raise ConfigError(f"field {place + 1}: name {field.name!r} has no room above its boxes; {remedy}")
        chosen.append(size)
        names[place] = area
    return chosen


def _hint(field: Field) -> str:
    """What people are told about a field's number.

    >>> from edge_lpdpl.form.sheet import Area
    >>> from edge_lpdpl.number.constraints import Constraints
    >>> _hint(Field("score", Area(0, 0, 36, 12), Constraints(maximum=100)))
    'up to 100'
    """
    limits = field.constraints
    if limits is None or (limits.minimum is None and limits.maximum is None):
        return ""
    if limits.minimum is None:
        return f"up to {limits.maximum}"
    return f"from {limits.minimum}" if limits.maximum is None else f"{limits.minimum} to {limits.maximum}"


def _font_of(character: str) -> str | None:
    """The font that has a character, None where none has."""
    return next((font for font, coded in ((_LATIN, "cp1252"), (_CHINESE, "gbk")) if _has(character, coded)), None)


def _has(character: str, coded: str) -> bool:
    try:
        return bool(character.encode(coded))
    except UnicodeEncodeError:
        return False
