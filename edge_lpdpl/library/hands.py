"""Where hands are kept: by name in a folder of the person or of the service, or in a file that is named.

Nothing that root runs believes these files; whoever reads one checks it (`edge_lpdpl.numeral.hand`).
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from edge_lpdpl.errors import HandError
from edge_lpdpl.files.atomic import blaming
from edge_lpdpl.files.places import folder_of
from edge_lpdpl.files.text import printable

if TYPE_CHECKING:  # the page in the browser checks the name of a hand, and its process has little memory
    from edge_lpdpl.numeral.hand import Hand

AUTO, OFF = "auto", "off"
_NAMED_AUTO = "mine"
_NAME = re.compile(r"[a-z0-9-]{1,32}")
_SUFFIX = ".hand"


def hands_folder() -> Path:
    """The folder of this user's hands, `HANDS_DIRECTORY` for the service."""
    return folder_of("hands", "HANDS_DIRECTORY")


def hand_file(setting: str, folder: Path | None = None) -> Path | None:
    """The file of a hand; None for `off`.

    Args:
        setting: `auto` is the hand called `mine`; a name of a-z, 0-9 and -; or a file, with a dot or a slash in it.
        folder: of the names; default: as from `hands_folder`.

    Raises:
        HandError: it is neither.

    >>> hand_file("anna", Path("/hands")), hand_file("./anna.hand"), hand_file("off")
    (PosixPath('/hands/anna.hand'), PosixPath('anna.hand'), None)
    """
    if setting == OFF:
        return None
    if "/" in setting or "." in setting:
        return Path(setting)
    name = _NAMED_AUTO if setting == AUTO else setting
    if not _NAME.fullmatch(name):
        fault = "is no hand: name a file, or give 1 to 32 of a-z, 0-9 and -"
        raise HandError(f"{printable(setting)[:60]}: {fault}")
    return (hands_folder() if folder is None else folder) / f"{name}{_SUFFIX}"


def load_hand(setting: str, must_exist: bool = False) -> "Hand":
    """The hand of a setting; empty for `off`, and where nothing was taught yet.

    Args:
        must_exist: refuse a name or a file of which there is no hand, because somebody may have mistyped it.

    Raises:
        HandError: its file cannot be read or is not valid, or is not there.
    """
    from edge_lpdpl.numeral.hand import Hand, read_hand

    path = hand_file(setting)
    if path is not None and os.path.lexists(path):
        return read_hand(path)
    if must_exist and setting not in (AUTO, OFF):
        raise HandError(f"{printable(str(path))}: is not there; check the name, or make it: edge-lpdpl teach")
    return Hand()


def keep_hand(setting: str, hand: "Hand") -> Path:
    """Write the hand of a setting; returns its file.

    Raises:
        HandError: the setting is `off`, or the file cannot be written.
    """
    from edge_lpdpl.numeral.hand import write_hand

    path = hand_file(setting)
    if path is None:
        raise HandError("the hand is switched off; set model.hand to auto, a name or a file")
    with blaming(path, HandError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_hand(path, hand)
    return path


def hand_names(folder: Path | None = None) -> list[str]:
    """Names of the hands in a folder, sorted.

    >>> hand_names(Path("/nowhere"))
    []
    """
    place = hands_folder() if folder is None else folder
    return sorted(path.stem for path in place.glob(f"*{_SUFFIX}") if _NAME.fullmatch(path.stem))
