"""What was read in pictures, as a table for people; `edge_lpdpl.page.answer` makes the JSON for programs."""

from collections.abc import Iterable, Iterator, Sequence

from edge_lpdpl.files.text import columns_of, pad, printable
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.reader import Page
from edge_lpdpl.page.rejection import nothing_here, why

_WIDEST_NAME = 60  # columns; longer names push their line to the right
_COLUMNS = (
    ("read", 4, "<"),
    ("value", 11, ">"),
    ("confidence", 10, ">"),
    ("time us", 9, ">"),
    ("box x,y,w,h", 19, "<"),  # of four digits each, in pixels
)


class DecisionTable:
    """Lines of a table that can be printed one by one, because the widths of the columns are fixed.

    Args:
        files: the names of all pictures.

    >>> import numpy as np
    >>> table = DecisionTable(["5.png"])
    >>> print(table.head())
    file   read        value  confidence    time us  box x,y,w,h
    >>> five = Recognition("五", 5, 0.998, False, "三", np.zeros(0, np.float32), 24.04e-6)
    >>> print(table.line("5.png", five, Box(12, 30, 40, 44)))
    5.png  五              5       99.8%       24.0  12,30,40,44
    """

    def __init__(self, files: Sequence[str]) -> None:
        names = ["file", *map(printable, files)]
        self._width = min(_WIDEST_NAME, max(map(columns_of, names)))

    def head(self) -> str:
        """The names of the columns."""
        return self._join("file", (name for name, _, _ in _COLUMNS)).rstrip()

    def lines(self, file: str, page: Page) -> Iterator[str]:
        """A line for every numeral of a picture, or one that says why there is none."""
        for box, read in page.numerals:
            yield self.line(file, read, box)
        if not page.numerals:
            cells = ("-", "-", "-", f"{page.locate_us + page.recognise_us:.1f}", "-")
            yield f"{self._join(printable(file), cells)}  {nothing_here(one.reason for one in page.unread)}"

    def line(self, file: str, read: Recognition, box: Box) -> str:
        """The line of one numeral, with the reason where it is rejected."""
        cells = (
            read.label or "-",
            "-" if read.value is None else f"{read.value:,}",
            f"{read.confidence:.1%}",
            f"{read.elapsed * 1e6:.1f}",
            ",".join(map(str, box)),
        )
        note = f"rejected, {why(read.reason, read.label, read.runner_up, read.novelty)}" if read.reason else ""
        return f"{self._join(printable(file), cells)}  {note}".rstrip()

    def _join(self, file: str, cells: Iterable[str]) -> str:
        padded = (pad(cell, width, align) for cell, (_, width, align) in zip(cells, _COLUMNS, strict=True))
        return "  ".join((pad(file, self._width), *padded))
