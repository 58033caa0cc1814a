"""Where hands are kept: by name in a folder of the person or of the service, or in a file that is named.

Nothing that root runs believes these files; whoever reads one checks it (`edge_lpdpl.numeral.hand`).
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from edge_lpdpl.errors import HandError
from edge_lpdpl.files.atomic import blaming
from edge_lpdpl.files.locks import take_lock
from edge_lpdpl.files.places import folder_of
from edge_lpdpl.files.text import printable

if TYPE_CHECKING:  # the page in the browser checks the name of a hand, and its process has little memory
    from edge_lpdpl.numeral.hand import Hand

AUTO, OFF = "auto", "off"
_NAMED_AUTO = "mine"
_NAME = re.compile(r"[a-z0-9-]{1,32}")
_SUFFIX = ".hand"
_PATIENCE = 10.0
"""Seconds to wait for somebody else who changes a hand."""


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


@contextlib.contextmanager
def changing(setting: str) -> Iterator[Path]:
    """The file of a hand, which nobody else changes in this block: load it in there, and keep it, or what another one
    teaches meanwhile is lost.

    Raises:
        HandError: the setting is `off`, the file is a link, its folder cannot be made, or somebody else changes it for
            too long.
    """
    path = hand_file(setting)
    if path is None:
        raise HandError("the hand is switched off; give auto, a name or a file (--hand, or model.hand of the service)")
    if path.is_symlink():
        raise HandError(f"{printable(str(path))}: is a link, which would be replaced; name the file that it leads to")
    with blaming(path, HandError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)  # the file itself is replaced
    try:
        with blaming(path, HandError):
            is_locked = take_lock(folder, _PATIENCE)
        if not is_locked:
            raise HandError(f"{printable(str(path))}: another program is changing it; try again")
        yield path
    finally:
        os.close(folder)


def check_clearable(path: Path) -> None:
    """Check that a file is a hand before everything in it is forgotten; by its name, because it may be damaged.

    Raises:
        HandError: it is another file.
    """
    from edge_lpdpl.numeral.hand import read_hand

    if path.suffix != _SUFFIX and os.path.lexists(path):
        try:
            read_hand(path)
        except HandError as error:
            raise HandError(f"{error}; it is not cleared, because its name does not end in {_SUFFIX} either") from None


def hand_names(folder: Path | None = None) -> list[str]:
    """Names of the hands in a folder, sorted.

    >>> hand_names(Path("/nowhere"))
    []
    """
    place = hands_folder() if folder is None else folder
    return sorted(path.stem for path in place.glob(f"*{_SUFFIX}") if _NAME.fullmatch(path.stem))
