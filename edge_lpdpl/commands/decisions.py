"""What was read in pictures, as a table for people; `edge_lpdpl.live.publish.answer` makes the JSON for programs."""

from collections.abc import Iterable, Iterator, Sequence

from edge_lpdpl.files.text import columns_of, pad, printable
from edge_lpdpl.number.reader import NUMBER_REASONS, Number, Reading
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.rejection import nothing_here, why

_WIDEST_NAME = 60  # columns; longer names push their line to the right
_COLUMNS = (
    ("read", 12, "<"),
    ("value", 11, ">"),
    ("confidence", 10, ">"),
    ("box x,y,w,h", 19, "<"),  # of four digits each, in pixels
)


class DecisionTable:
    """Lines of a table that can be printed one by one, because the widths of the columns are fixed.

    Args:
        files: the names of all pictures.

    >>> table = DecisionTable(["card.png"])
    >>> print(table.head())
    file      read              value  confidence  box x,y,w,h
    >>> print(table.line("card.png", Number("五十", 50, 0.998, None, Box(12, 30, 90, 44), (0, 1))))
    card.png  五十                 50       99.8%  12,30,90,44
    """

    def __init__(self, files: Sequence[str]) -> None:
        names = ["file", *map(printable, files)]
        self._width = min(_WIDEST_NAME, max(map(columns_of, names)))

    def head(self) -> str:
        """The names of the columns."""
        return self._join("file", (name for name, _, _ in _COLUMNS)).rstrip()

    def lines(self, file: str, reading: Reading) -> Iterator[str]:
        """A line for every number of a picture, or one that says why there is none."""
        for number in reading.numbers:
            reads = [reading.numerals[place].recognition for place in number.numerals]
            yield self.line(file, number, next((read for read in reads if read.reason == number.reason), None))
        if not reading.numbers:
            cells = ("-", "-", "-", "-")
            yield f"{self._join(printable(file), cells)}  {nothing_here(one.reason for one in reading.unread)}"

    def line(self, file: str, number: Number, doubtful: Recognition | None = None) -> str:
        """The line of one number, with the reason where it is rejected.

        Args:
            doubtful: the numeral with that reason, if any.
        """
        cells = (
            number.text,
            "-" if number.value is None else f"{number.value:,}",
            f"{number.confidence:.1%}",
            ",".join(map(str, number.box)),
        )
        note = ""
        if number.reason and doubtful:
            note = f"rejected, {why(number.reason, doubtful.label, doubtful.runner_up, doubtful.novelty)}"
        elif number.reason:
            note = f"rejected, {NUMBER_REASONS[number.reason]}"
        return f"{self._join(printable(file), cells)}  {note}".rstrip()

    def _join(self, file: str, cells: Iterable[str]) -> str:
        padded = (pad(cell, width, align) for cell, (_, width, align) in zip(cells, _COLUMNS, strict=True))
        return "  ".join((pad(file, self._width), *padded))
