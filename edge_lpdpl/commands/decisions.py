"""A decision as a program reads it and as a person does."""

from collections.abc import Iterator, Sequence
from typing import Any

from edge_lpdpl.files.text import columns_of, pad, printable
from edge_lpdpl.numeral.recogniser import Recognition

_WIDEST_NAME = 60  # columns; longer names push their line to the right
_COLUMNS = (
    ("read", 4, "<"),
    ("value", 11, ">"),
    ("confidence", 10, ">"),
    ("time us", 9, ">"),
    ("box x,y,w,h", 19, "<"),  # of four digits each, in pixels
)


def as_json(file: str, decision: Recognition, box: Sequence[int] | None = None) -> dict[str, Any]:
    """What `edge-lpdpl recognise --json` prints of one picture, or of one numeral of a page, which has a box.

    >>> import numpy as np
    >>> as_json("5", Recognition("五", 5, 0.998, False, "三", np.zeros(0, np.float32), 24.04e-6))
    {'file': '5', 'label': '五', 'value': 5, 'confidence': 0.998, 'rejected': False, 'elapsed_us': 24.0}
    """
    shown = {
        "file": file,
        "label": decision.label,
        "value": decision.value,
        "confidence": round(decision.confidence, 6),
        "rejected": decision.rejected,
        "elapsed_us": round(decision.elapsed * 1e6, 1),
    }
    return shown if box is None else {**shown, "box": list(box)}


class DecisionTable:
    """Lines of a table that can be printed one by one, because the widths are known before.

    >>> import numpy as np
    >>> lines = DecisionTable(["5.png"])
    >>> print(lines.head())
    file   read        value  confidence    time us  box x,y,w,h
    >>> five = Recognition("五", 5, 0.998, False, "三", np.zeros(0, np.float32), 24.04e-6)
    >>> print(lines.line("5.png", five))
    5.png  五              5       99.8%       24.0  -
    >>> print(lines.line("5.png", five, (12, 30, 40, 44)))
    5.png  五              5       99.8%       24.0  12,30,40,44
    """

    def __init__(self, files: Sequence[str]) -> None:
        names = ["file", *map(printable, files)]
        self._width = min(_WIDEST_NAME, max(map(columns_of, names)))

    def head(self) -> str:
        """The names of the columns."""
        return self._join("file", (name for name, _, _ in _COLUMNS)).rstrip()

    def line(self, file: str, decision: Recognition, box: Sequence[int] | None = None) -> str:
        """Line of one picture, or of one numeral of a page, which has a box; a note where it is not to be relied on."""
        found = decision.label is not None
        cells = (
            decision.label or "-",
            f"{decision.value:,}" if decision.value is not None else "-",
            f"{decision.confidence:.1%}" if found else "-",
            f"{decision.elapsed * 1e6:.1f}",
            ",".join(map(str, box)) if box is not None else "-",
        )
        note = "" if found else "nothing here"
        if found and decision.rejected:
            strange = not decision.novelty <= 1
            note = f"rejected, unlike any {decision.label}" if strange else f"rejected, or else {decision.runner_up}"
        return f"{self._join(printable(file), cells)}  {note}".rstrip()

    def _join(self, file: str, cells: Iterator[str] | Sequence[str]) -> str:
        padded = (pad(cell, width, align) for cell, (_, width, align) in zip(cells, _COLUMNS, strict=True))
        return "  ".join((pad(file, self._width), *padded))
