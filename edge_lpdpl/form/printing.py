"""A form as PDF: marks in the corners, and a name and drop-out boxes for each field."""

import io
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from edge_lpdpl import __version__
from edge_lpdpl.errors import ConfigError, how_to_install
from edge_lpdpl.form.fields import MARGIN, Field
from edge_lpdpl.form.sheet import EDGE, PAPERS, SIDE, mark_areas

_POINT = 72 / 25.4
"""Points a millimetre."""
_LATIN, _CHINESE = "Helvetica", "STSong-Light"
"""Fonts that every viewer and printer has or replaces, so that none is embedded."""
_NAME, _HINT, _TITLE = 9.0, 7.0, 14.0
"""Sizes in points."""
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
        ConfigError: reportlab is not installed, or a name holds characters that its fonts do not have.
    """
    try:
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.cidfonts import UnicodeCIDFont
        from reportlab.pdfgen.canvas import Canvas
    except ImportError as error:
        raise ConfigError(f"printing a form needs reportlab ({error}): {how_to_install('forms')}") from None
    pdfmetrics.registerFont(UnicodeCIDFont(_CHINESE))
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
    sheet.write(title, width / 2, EDGE + 0.8 * SIDE, _TITLE, middle=True)
    for field in fields:
        sheet.field(field)
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

    def field(self, field: Field) -> None:
        """Its boxes, and above them, where it is not read, its name and what is known about its number."""
        x, y, width, height = field.area
        count = max(field.boxes, 1)
        self._canvas.setStrokeGray(_BOX)
        self._canvas.setLineWidth(_RULE * _POINT)
        self._canvas.rect(*self._place(x, y + height), width * _POINT, height * _POINT, stroke=1, fill=0)
        for number in range(1, count):
            across = x + number * width / count
            self._canvas.line(*self._place(across, y), *self._place(across, y + height))
        end = self.write(field.name, x, y - MARGIN - 0.7, _NAME)
        self.write(_hint(field), end + 2, y - MARGIN - 0.7, _HINT, grey=0.45)

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
