"""The shipped pictures as specimens: which numeral each shows, for the demo, the bench and the labels in drawings."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from edge_lpdpl.labels import ARABIC_INDIC, CHINESE, LATIN, Label
from edge_lpdpl.shipped import shipped_pictures

SCRIPTS = {"arabic": ARABIC_INDIC, "chinese": CHINESE, "latin": LATIN}
LOOKS = ("screen", "paper")
"""Light ink on black, as scans are; dark ink on paper, as a camera sees it."""

_LABELS = {(script, label.value): label for script, labels in SCRIPTS.items() for label in labels}


class Specimen(NamedTuple):
    """One shipped picture."""

    path: Path
    label: Label
    """What it shows."""
    look: str
    """One of `LOOKS`."""


def specimens(labels: Iterable[Label] | None = None) -> list[Specimen]:
    """Shipped pictures of these labels, or all, by script, look and value.

    >>> [specimen.path.name for specimen in specimens([Label("五", 5)])]
    ['chinese_5_screen.png', 'chinese_5_paper.png']
    """
    wanted = None if labels is None else {character for character, _ in labels}
    known = [specimen for path in shipped_pictures() if (specimen := _specimen(path))]
    chosen = [specimen for specimen in known if wanted is None or specimen.label.character in wanted]
    return sorted(chosen, key=_place)


def _specimen(path: Path) -> Specimen | None:
    """What a file's name `SCRIPT_VALUE_LOOK.png` says, None where it is not such a name."""
    script, _, rest = path.stem.partition("_")
    value, _, look = rest.partition("_")
    label = _LABELS.get((script, int(value))) if value.isdecimal() else None
    return Specimen(path, label, look) if label and look in LOOKS else None


def _place(specimen: Specimen) -> tuple[str, int, int]:
    script = specimen.path.stem.partition("_")[0]
    return script, LOOKS.index(specimen.look), specimen.label.value
