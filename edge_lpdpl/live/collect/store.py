"""The folder of collected numerals: one PNG each, whose name tells what was read, how doubtful it is, and its label.

There is no index beside the pictures: to label one renames its file, so a power cut leaves the old name or the new one.
Nothing that root runs reads this folder.
"""

import os
import re
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.atomic import sync_folder, write_atomically
from edge_lpdpl.files.places import folder_of
from edge_lpdpl.files.regular import read_regular

MOST_PICTURES = 20_000
LARGEST_PICTURE = 1 << 20
"""Bytes of one file."""
LONGEST_LABEL = 8
"""Characters."""
MOST_DOUBT = 2000
NOTHING = {"pictures": 0, "labelled": 0, "size": 0}
"""Counts of a folder that is empty, or not there."""

_NAME = re.compile(r"([0-9]{16})\.([0-9a-f]{2,64}|-)\.([0-9]{4})\.([0-9a-f]{2,64}|-)\.png")
_BLOCK = 4096  # bytes; a file takes whole blocks of the card
_DAY = 24 * 3600


class Collected(NamedTuple):
    """One picture of the folder."""

    id: str
    """16 digits: milliseconds since 1970, and the place of the numeral in its decision."""
    read: str | None
    """What was read."""
    doubt: int
    """1000 (1 - confidence), and 1000 more where it was rejected: the larger, the more a label is worth."""
    label: str | None = None
    """What a person says it is."""
    size: int = 0
    """Bytes that the file takes."""

    @property
    def name(self) -> str:
        """Of its file.

        >>> Collected("1700000000000003", "七", 1158).name
        '1700000000000003.e4b883.1158.-.png'
        """
        return f"{self.id}.{_spelt(self.read)}.{self.doubt:04}.{_spelt(self.label)}.png"


def collect_folder() -> Path:
    """The folder of this user's pictures, `COLLECT_DIRECTORY` for the service."""
    return folder_of("collected", "COLLECT_DIRECTORY")


class CollectStore:
    """The pictures of a folder, which is made with the first one. May be used in several threads.

    Args:
        quota: bytes that the pictures may take; for new ones the oldest without a label go first.
        days: after which a picture goes, with or without a label.

    >>> import tempfile
    >>> store = CollectStore(Path(tempfile.mkdtemp(), "collected"), 1 << 20, 30)
    >>> one = Collected(f"{time.time_ns() // 10**6:013}000", "七", 1158)
    >>> store.add([(one, b"...")])
    >>> store.label(one.id, "亿")
    >>> [(found.read, found.label) for found in store.pictures(labelled=True)]
    [('七', '亿')]
    """

    def __init__(self, folder: Path, quota: int, days: int) -> None:
        self.folder, self._quota, self._days = folder, quota, days
        self._lock = threading.Lock()
        self._known = {one.id: one for one in _found(folder)}
        self._bytes = sum(one.size for one in self._known.values())

    def counts(self) -> dict[str, int]:
        """How many pictures there are, how many have a label, and the bytes of all."""
        with self._lock:
            labelled = sum(one.label is not None for one in self._known.values())
            return {"pictures": len(self._known), "labelled": labelled, "size": self._bytes}

    def pictures(self, *, labelled: bool) -> list[Collected]:
        """Those with a label, the newest first; or those without, the most doubtful first."""
        with self._lock:
            self._forget_old()
            chosen = [one for one in self._known.values() if (one.label is not None) == labelled]
        newest = sorted(chosen, key=lambda one: one.id, reverse=True)
        return newest if labelled else sorted(newest, key=lambda one: -one.doubt)

    def data(self, one: Collected) -> bytes:
        """The bytes of a picture.

        Raises:
            EdgeError: it is gone, or no picture of ours.
        """
        return read_regular(self.folder / one.name, LARGEST_PICTURE, EdgeError, os.O_NOFOLLOW)

    def add(self, new: Iterable[tuple[Collected, bytes]]) -> None:
        """Write pictures; the oldest go for them.

        Raises:
            OSError: the folder cannot be written; pictures before that one are kept.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for one, data in new:
            taken = one._replace(size=_on_disk(len(data)))
            with self._lock:
                self._forget_old()
                if one.id in self._known or taken.size > self._quota:
                    continue
                self._make_room(taken.size)
                write_atomically(self.folder / one.name, data)
                self._known[one.id] = taken
                self._bytes += taken.size

    def label(self, identity: str, label: str | None) -> None:
        """Say what a picture is; None takes it back.

        Raises:
            EdgeError: there is no such picture, or the folder cannot be written.
        """
        with self._lock:
            old = self._one(identity)
            new = old._replace(label=label)
            try:
                os.replace(self.folder / old.name, self.folder / new.name)
                sync_folder(self.folder)
            except OSError as error:
                raise EdgeError(f"it cannot be labelled ({error.strerror}); check folder and free space") from error
            self._known[identity] = new

    def discard(self, identities: Sequence[str] | None) -> None:
        """Delete pictures; None: all of them.

        Raises:
            EdgeError: there is no such picture.
        """
        with self._lock:
            for one in [self._one(each) for each in (self._known if identities is None else identities)]:
                self._delete(one)

    def _one(self, identity: str) -> Collected:
        if identity not in self._known:
            raise EdgeError("there is no such picture; it may have made room for newer ones")
        return self._known[identity]

    def _make_room(self, size: int) -> None:
        oldest = sorted(self._known.values(), key=lambda one: (one.label is not None, one.id))
        for one in oldest:
            if self._bytes + size <= self._quota and len(self._known) < MOST_PICTURES:
                return
            self._delete(one)

    def _forget_old(self) -> None:
        first = f"{int(1000 * (time.time() - self._days * _DAY)):013}000"
        for one in [one for one in self._known.values() if one.id < first]:
            self._delete(one)

    def _delete(self, one: Collected) -> None:
        (self.folder / one.name).unlink(missing_ok=True)
        del self._known[one.id]
        self._bytes -= one.size


def _found(folder: Path) -> list[Collected]:
    """The pictures of a folder; files with other names are left alone."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                one = _parsed(entry.name)
                if one is not None and entry.is_file(follow_symlinks=False):
                    found.append(one._replace(size=_on_disk(entry.stat(follow_symlinks=False).st_size)))
    except OSError:  # nothing was collected yet, or it cannot be read: then writing says why
        return []
    return sorted(found, key=lambda one: one.id)[-MOST_PICTURES:]


def _parsed(name: str) -> Collected | None:
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    try:
        read, label = (None if text == "-" else bytes.fromhex(text).decode() for text in match.group(2, 4))
    except ValueError:
        return None
    return Collected(match[1], read, int(match[3]), label)


def _spelt(label: str | None) -> str:
    """A label in a name: its UTF-8 in hex, because it may be any character.

    >>> _spelt("七"), _spelt(None)
    ('e4b883', '-')
    """
    return "-" if label is None else label.encode().hex()


def _on_disk(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK
