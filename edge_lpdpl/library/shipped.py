"""The models and pictures that come with the package. The project drew the pictures itself."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from edge_lpdpl.errors import ModelError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, Label

_FOLDER = Path(__file__).parent


def shipped_models() -> list[str]:
    """Names of the shipped models.

    >>> "chinese15" in shipped_models()
    True
    """
    return sorted(path.stem for path in (_FOLDER / "shipped_models").glob("*.safetensors"))


def shipped_model(name: str) -> Path:
    """File of the shipped model `name`.

    Raises:
        ModelError: no such model is shipped.
    """
    path = _FOLDER / "shipped_models" / f"{name}.safetensors"
    if not path.is_file():
        raise ModelError(f"no model {name!r} is shipped: there are {', '.join(shipped_models())}")
    return path


def shipped_pictures() -> list[Path]:
    """Pictures to try a model on, named `SCRIPT_VALUE_LOOK.png`."""
    return sorted((_FOLDER / "shipped_pictures").glob("*.png"))


SCRIPTS = {
    "arabic": ARABIC_INDIC,
    "cheque": tuple(label for label in CHEQUE if label not in CHINESE),
    "chinese": CHINESE,
    "latin": LATIN,
}
"""What the pictures show. A cheque's 零, 万 and 亿 are the same as the everyday ones."""

LOOKS = ("screen", "paper")
"""Light ink on black, as in a scan; dark ink on paper, as in a camera's frame."""

_LABELS = {(script, label.value): label for script, labels in SCRIPTS.items() for label in labels}


class Specimen(NamedTuple):
    """One shipped picture."""

    path: Path
    label: Label
    """The numeral in the picture."""
    look: str
    """One of `LOOKS`."""


def specimens(labels: Iterable[Label] | None = None) -> list[Specimen]:
    """Shipped pictures of these labels, or all, by script, look and value.

    >>> [specimen.path.name for specimen in specimens([Label("五", 5)])]
    ['chinese_5_screen.png', 'chinese_5_paper.png']
    """
    wanted = None if labels is None else {character for character, _ in labels}
    known = filter(None, map(_specimen, shipped_pictures()))
    return sorted((one for one in known if wanted is None or one.label.character in wanted), key=_place)


def _specimen(path: Path) -> Specimen | None:
    """The specimen of a file named `SCRIPT_VALUE_LOOK.png`, None where the name is another."""
    script, _, rest = path.stem.partition("_")
    value, _, look = rest.partition("_")
    label = _LABELS.get((script, int(value))) if value.isdecimal() else None
    return Specimen(path, label, look) if label and look in LOOKS else None


def _place(specimen: Specimen) -> tuple[str, int, int]:
    script = specimen.path.stem.partition("_")[0]
    return script, LOOKS.index(specimen.look), specimen.label.value
