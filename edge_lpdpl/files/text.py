"""Text for people in columns, JSON for programs, and a progress line on terminals."""

import json
import sys
import time
import unicodedata
from collections.abc import Sequence

from edge_lpdpl.errors import EdgeError

_REFRESH = 0.1  # seconds between two states of the progress line
_CELLS = 30


def tell(text: str, end: str = "\n") -> None:
    """Print text on standard output and flush it, so that a failure is noticed here.

    Raises:
        EdgeError: it cannot be written, for example because a disk is full.
        BrokenPipeError: the reader has closed the pipe.

    >>> tell("3 images")
    3 images
    """
    try:
        print(text, end=end, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise EdgeError(f"standard output: cannot be written ({reason}); check where it goes and free space") from error


def print_json(value: object) -> None:
    """Print one JSON value on one line. Characters are escaped only if the output is not UTF-8."""
    utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not utf8, allow_nan=False)
    if any("\ud800" <= character <= "\udfff" for character in text):  # a file name that is not UTF-8
        text = json.dumps(value, allow_nan=False)
    tell(text)


def columns_of(text: str) -> int:
    """Columns that a text takes on a terminal, where Chinese characters take two.

    >>> columns_of("五 5")
    4
    """
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def pad(text: str, columns: int, align: str = "<") -> str:
    """`text` padded with spaces to a number of columns, on the right (`<`) or on the left (`>`).

    >>> pad("五", 4) + "|", pad("5", 4, ">")
    ('五  |', '   5')
    """
    space = " " * (columns - columns_of(text))
    return text + space if align == "<" else space + text


def table(rows: Sequence[Sequence[str]], aligns: str) -> str:
    """Rows of cells as lines with aligned columns; `aligns` has a `<` or `>` for every column.

    >>> print(table([["stage", "p50"], ["hog", "9.1"]], "<>"))
    stage  p50
    hog    9.1
    """
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(pad(*cell) for cell in zip(row, widths, aligns, strict=True)).rstrip() for row in rows)


def print_result(as_json: bool, value: object, text: str) -> None:
    """Print the result of a command: `value` for programs, or `text` for people.

    >>> print_result(False, {"images": 3}, "3 images")
    3 images
    """
    if as_json:
        print_json(value)
    else:
        tell(text)


def remark(text: str) -> None:
    """Print a line on standard error that is no fault; nothing where that is closed."""
    if sys.stderr is not None:
        print(f"edge-lpdpl: {text}", file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """`text` without characters that control a terminal or break a line.

    >>> printable("five.png"), printable("five\\x1b[2J.png")
    ('five.png', "'five\\\\x1b[2J.png'")
    """
    return text if text.isprintable() else ascii(text)


class Progress:
    """A progress line on standard error; nothing if standard error is not a terminal.

    Args:
        title: of what takes long.
        minutes: it may take minutes, so say it once where there is no terminal: in a journal or a file.

    >>> with Progress("timing") as progress:
    ...     progress(0.5)
    """

    def __init__(self, title: str, *, minutes: bool = False) -> None:
        self._title, self._minutes = title, minutes
        self._watched = sys.stderr is not None and sys.stderr.isatty()
        self._next = 0.0

    def __enter__(self) -> "Progress":
        if self._minutes and not self._watched:
            remark(f"{self._title}; this may take minutes")
        return self

    def __exit__(self, *_: object) -> None:
        if self._watched:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def __call__(self, share: float) -> None:
        """Show that `share` (0..1) of the work is done; calls that come too often are ignored."""
        if self._watched and time.monotonic() >= self._next:
            self._next = time.monotonic() + _REFRESH
            done = round(_CELLS * share)
            bar = "=" * done + "." * (_CELLS - done)
            print(f"\r{self._title}  [{bar}] {share:4.0%}", end="", file=sys.stderr, flush=True)
