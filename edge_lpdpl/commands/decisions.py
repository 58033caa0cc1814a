"""Answers for people: what was read in pictures as a table or for spreadsheets, and what the service reads as lines.

Both are made from the answer for programs, see `edge_lpdpl.live.publish.answer`.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from math import inf
from typing import Any

from edge_lpdpl.files.text import columns_of, pad, printable
from edge_lpdpl.number.line_reader import NUMBER_REASONS
from edge_lpdpl.page.boxes import ANOTHER_FORM
from edge_lpdpl.page.rejection import REASONS, nothing_here, why

_WIDEST_NAME = 60  # columns; longer names push their line to the right
_COLUMNS = (
    ("read", 12, "<"),
    ("value", 13, ">"),
    ("confidence", 10, ">"),
    ("box x,y,w,h", 19, "<"),  # of four digits each, in pixels
)

Answer = dict[str, Any]
CSV_COLUMNS = ("text", "value", "confidence", "rejected", "reason", "x", "y", "width", "height", "field")
"""Columns of `csv_rows` behind the first."""
_SECOND_SHEET = "a second sheet of the form is in view, and is not read; show one at a time"


class DecisionTable:
    """Lines of a table that can be printed one by one, because the widths of the columns are fixed.

    Args:
        files: the names of all pictures.

    >>> table = DecisionTable(["card.png"])
    >>> print(table.head())
    file      read                  value  confidence  box x,y,w,h
    >>> digits = [{"label": label, "confidence": 0.999, "rejected": False, "box": [12, 30, 20, 44]} for label in "07"]
    >>> number = {"text": "07", "value": 7, "confidence": 0.998, "rejected": False, "box": [12, 30, 60, 44]}
    >>> answer = {"numbers": [number | {"numerals": [0, 1]}], "numerals": digits, "unread": []}
    >>> print("\\n".join(table.lines("card.png", answer)))
    card.png  07                        7       99.8%  12,30,60,44
                0                               99.9%  12,30,20,44
                7                               99.9%  12,30,20,44
    """

    def __init__(self, files: Sequence[str]) -> None:
        names = ["file", *map(printable, files)]
        self._width = min(_WIDEST_NAME, max(map(columns_of, names)))

    def head(self) -> str:
        """The names of the columns."""
        return self._join("file", (name for name, _, _ in _COLUMNS))

    def lines(self, file: str, answer: Answer) -> Iterator[str]:
        """A line for each number of a picture and for its numerals, and what is said beside them (`_notes`).

        A number of one numeral has no other line.
        """
        names, empty = _fields_of(answer)
        for place, number in enumerate(answer["numbers"]):
            numerals = [answer["numerals"][place] for place in number["numerals"]]
            value = "-" if number["value"] is None else f"{number['value']:,}"
            doubt = f"rejected, {_why_rejected(number, numerals)}" if number["rejected"] else ""
            note = ": ".join(filter(None, (names.get(place), doubt)))
            yield self._join(printable(file), _cells(number["text"], value, number), note)
            for numeral in numerals if len(numerals) > 1 else ():
                yield self._join("", _cells(f"  {numeral['label']}", "", numeral), _doubt(numeral))
        for note in _notes(answer, empty):
            yield self._join(printable(file), "-" * len(_COLUMNS), note)

    def _join(self, file: str, cells: Iterable[str], note: str = "") -> str:
        padded = (pad(cell, width, align) for cell, (_, width, align) in zip(cells, _COLUMNS, strict=True))
        return "  ".join((pad(file, self._width), *padded, note)).rstrip()


def decision_lines(message: Answer) -> Iterator[str]:
    """A message of the service: a line for each number with its numerals, and what is said beside them (`_notes`). The
    time is that of this machine, as for `edge-lpdpl log --since`.

    >>> five = {"label": "五", "confidence": 0.998, "rejected": False}
    >>> number = {"text": "五", "value": 5, "confidence": 0.998, "rejected": False, "numerals": [0]}
    >>> message = {"time": "2026-11-20T22:49:40.123Z", "trigger": "change", "numbers": [number], "numerals": [five]}
    >>> message["unread"] = []
    >>> [line[19:] for line in decision_lines(message)]
    ['  change    五 = 5 (99.8%)']
    """
    time = datetime.fromisoformat(message["time"]).astimezone()
    head = f"{time:%Y-%m-%d %H:%M:%S}  {message['trigger']:8}  "
    names, empty = _fields_of(message)
    for place, number in enumerate(message["numbers"]):
        numerals = [message["numerals"][place] for place in number["numerals"]]
        name = f"{names[place]}: " if place in names else ""
        yield printable(head + name + _number_text(number, numerals))
        head = " " * len(head)
    for note in _notes(message, empty):
        yield printable(head + note)
        head = " " * len(head)


def _notes(answer: Answer, empty: Sequence[str]) -> Iterator[str]:
    """What is said beside the numbers: fields without one, a second sheet, and why there is no number at all."""
    reasons = [one["reason"] for one in answer["unread"]]
    yield from (f"{name}: nothing read" for name in empty)
    if ANOTHER_FORM in reasons:
        yield _SECOND_SHEET
    if not (answer["numbers"] or empty):
        yield nothing_here(reasons)


def _fields_of(answer: Answer) -> tuple[dict[int, str], list[str]]:
    """The names of fields by the places of their numbers, and those of empty fields, if the form was found."""
    fields, names = answer.get("fields") or {}, dict[int, str]()
    for name, number in fields.items():
        if number is not None:
            names[answer["numbers"].index(number)] = printable(name)
    missing = any(one["reason"] == "no_marks" for one in answer["unread"]) if fields else True
    return names, [] if missing else [printable(name) for name, number in fields.items() if number is None]


def _number_text(number: Answer, numerals: Sequence[Answer]) -> str:
    """A number and its numerals; what is the same is not told twice.

    >>> digits = [{"label": label, "confidence": 0.99, "rejected": False} for label in "42"]
    >>> _number_text({"text": "42", "value": 42, "confidence": 0.98, "rejected": False}, digits)
    '42 (98.0%): 4 (99.0%), 2 (99.0%)'
    >>> _number_text({"text": "42", "value": 42, "confidence": 0.6, "rejected": True, "reason": "unsure"}, digits)
    '42 (60.0%, rejected, unsure of its numerals): 4 (99.0%), 2 (99.0%)'
    """
    told = f"{number['confidence']:.1%}"
    if number["rejected"]:
        text = f"{number['text']} ({told}, rejected, {_why_rejected(number, numerals)})"
    else:
        value = "" if number["text"] == str(number["value"]) else f" = {number['value']:,}"
        text = f"{number['text']}{value} ({told})"
    if len(numerals) == 1:
        return text
    return f"{text}: {', '.join(map(_numeral_text, numerals))}"


def _numeral_text(numeral: Answer) -> str:
    doubt = _doubt(numeral)
    return f"{numeral['label']} ({numeral['confidence']:.1%}{', ' if doubt else ''}{doubt})"


def _cells(text: str, value: str, one: Answer) -> tuple[str, ...]:
    return text, value, f"{one['confidence']:.1%}", ",".join(map(str, one["box"]))


def _why_rejected(number: Answer, numerals: Sequence[Answer]) -> str:
    """Why a number is rejected. Where one of several numerals is in doubt, the doubt is told with that numeral."""
    reason = number["reason"]
    if reason in REASONS and len(numerals) == 1:
        return _why(reason, numerals[0])
    return {**dict.fromkeys(REASONS, "a numeral is in doubt"), **NUMBER_REASONS}[reason]


def _doubt(numeral: Answer) -> str:
    """Why a numeral by itself is rejected; nothing where it is not."""
    return _why(numeral["reason"], numeral) if numeral["rejected"] else ""


def _why(reason: str, numeral: Answer) -> str:
    novelty = inf if numeral["novelty"] is None else numeral["novelty"]
    others = [other["label"] for other in numeral["alternatives"]] or [None]
    return why(reason, numeral["label"], others[0], novelty)


def csv_rows(file: str, answer: Answer) -> Iterator[Sequence[object]]:
    """A row for each number and for each empty field; one for a picture without any, with the usual reason why its ink
    was left out.

    >>> list(csv_rows("blank.png", {"numbers": [], "numerals": [], "unread": [], "reason": "no_ink"}))
    [('blank.png', '', '', '', '', 'no_ink', '', '', '', '', '')]
    """
    names, empty = _fields_of(answer)
    for place, one in enumerate(answer["numbers"]):
        told = (one["value"], one["confidence"], str(one["rejected"]).lower(), one["reason"])
        yield (file, one["text"], *("" if each is None else each for each in told), *one["box"], names.get(place, ""))
    for name in empty:
        yield (file, "", "", "", "", "", "", "", "", "", name)
    if not (answer["numbers"] or empty):
        usual = Counter(one["reason"] for one in answer["unread"]).most_common(1)
        reason = usual[0][0] if usual else answer.get("reason", "")
        for name in map(printable, answer.get("fields") or [""]):  # of a form without its marks
            yield (file, "", "", "", "", reason, "", "", "", "", name)


def csv_text(rows: Sequence[Sequence[object]]) -> str:
    """Rows as lines of CSV.

    >>> csv_text([("a, b", 1)])
    '"a, b",1\\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
