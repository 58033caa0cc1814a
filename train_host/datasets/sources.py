"""A common interface to a folder, a zip and a single file: names of files, and their bytes up to a limit.

Nothing is unpacked to disk, so the names in a zip are never used as paths.
"""

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import NoReturn, Protocol

from edge_lpdpl.errors import DatasetError

MEBIBYTE = 1 << 20
LARGEST_FILE = 64 * MEBIBYTE
LARGEST_TOTAL = 2048 * MEBIBYTE
MOST_FILES = 200_000

_LITTER = {"__macosx", "thumbs.db", "desktop.ini"}
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods of which zipfile unpacks no more than is asked for; with other methods it unpacks everything."""


class Source(Protocol):
    """Files by name.

    Attributes:
        title: the name of the folder or file, without suffix.
        names: relative names of the files, sorted, with `/` as separator, without hidden files and litter.
    """

    title: str
    names: tuple[str, ...]

    def read(self, name: str, limit: int = LARGEST_FILE) -> bytes:
        """All bytes of one file.

        Raises:
            DatasetError: it cannot be read, or is longer than `limit`.
        """
        ...


class Folder:
    """A `Source` of all files in a folder, links followed, or of the given names in it.

    Raises:
        DatasetError: a part of the folder cannot be read or occurs twice through a link, or there are too many files.
    """

    def __init__(self, path: Path, names: tuple[str, ...] | None = None, *, title: str = "") -> None:
        self.title = title or path.resolve().name
        self.names = tuple(sorted(_walk(path) if names is None else names))
        self._path = path

    def read(self, name: str, limit: int = LARGEST_FILE) -> bytes:
        path = self._path / name
        if not path.is_file():  # a named pipe would block
            raise DatasetError(f"{name!r} is not there, or no ordinary file")
        try:
            with path.open("rb") as file:
                data = file.read(limit + 1)
        except OSError as error:
            raise DatasetError(f"{name!r} cannot be read: {error.strerror}") from error
        return checked_length(data, name, limit)


class Zip:
    """A `Source` of the files in a zip archive.

    Raises:
        DatasetError: a name occurs twice, or there are too many files or bytes.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.title = path.stem
        self._archive = archive
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in archive.infolist():
            stored = _member_name(member)
            name = str(PurePosixPath(stored))
            if not stored or stored.endswith("/") or is_litter(name):
                continue
            if name in self._members:
                raise DatasetError(f"the zip holds {name!r} twice; pack it again")
            self._members[name] = member
        if len(self._members) > MOST_FILES:
            raise DatasetError(f"the zip holds more than {MOST_FILES} files")
        if sum(member.file_size for member in self._members.values()) > LARGEST_TOTAL:
            raise DatasetError(f"the zip would unpack to more than {LARGEST_TOTAL // MEBIBYTE} MiB")
        self.names = tuple(sorted(self._members))

    def read(self, name: str, limit: int = LARGEST_FILE) -> bytes:
        member = self._members[name]
        if member.flag_bits & _ENCRYPTED:
            raise DatasetError(f"{name!r} is encrypted; pack the zip without a password")
        if member.compress_type not in _PACKED:
            raise DatasetError(f"{name!r} has another compression than deflate; pack the zip again with deflate")
        if member.file_size > limit:
            raise DatasetError(_too_long(name, limit))
        try:
            with self._archive.open(member) as file:  # ZipFile.read() would unpack everything first
                return file.read(member.file_size + 1)
        except Exception as error:  # zipfile raises EOFError, zlib.error, UnicodeDecodeError and more
            raise DatasetError(f"{name!r} is damaged inside the zip; fetch or pack the zip again") from error


@contextmanager
def open_zip(path: Path) -> Iterator[Zip]:
    """The archive at `path`, closed at the end.

    Raises:
        DatasetError: it is not a zip, is damaged, or would unpack to more than `LARGEST_TOTAL` bytes.
    """
    try:
        archive = zipfile.ZipFile(path)
    except Exception as error:  # BadZipFile, and other errors of its parser
        raise DatasetError("not a zip archive, or one cut short; fetch it again") from error
    with archive:
        yield Zip(path, archive)


def checked_length(data: bytes, name: str, limit: int) -> bytes:
    """`data`, after checking its length; the caller reads one byte more than `limit` at most.

    Raises:
        DatasetError: `data` is longer than `limit`.
    """
    if len(data) > limit:
        raise DatasetError(_too_long(name, limit))
    return data


def is_litter(name: str) -> bool:
    """Whether a file is hidden or is left behind by a desktop: `__MACOSX`, `Thumbs.db`.

    >>> is_litter("__MACOSX/05/._a.png"), is_litter("05/a.png")
    (True, False)
    """
    return any(part.startswith(".") or part.lower() in _LITTER for part in PurePosixPath(name).parts)


def _walk(path: Path) -> Iterator[str]:
    """Names of all files below a folder, links followed; a part that cannot be read is an error."""
    known: dict[tuple[int, int], str] = {}
    count = 0
    for folder, subfolders, files in os.walk(path, onerror=_refuse, followlinks=True):
        status, place = os.stat(folder), Path(folder).relative_to(path)
        first = known.setdefault((status.st_dev, status.st_ino), str(place))
        if first != str(place):
            raise DatasetError(f"{first!r} and {str(place)!r} are the same folder, through a link; leave one out")
        subfolders[:] = sorted(name for name in subfolders if not is_litter(name))
        for file in files:
            if is_litter(file):
                continue
            try:
                os.stat(os.path.join(folder, file))
            except OSError as error:  # a broken link may have been a class
                _refuse(error)
            count += 1
            if count > MOST_FILES:
                raise DatasetError(f"the folder holds more than {MOST_FILES} files; point at the data set itself")
            yield (place / file).as_posix()


def _refuse(error: OSError) -> NoReturn:
    raise DatasetError(f"{error.filename!r} cannot be read ({error.strerror}); repair or remove it") from error


def _member_name(member: zipfile.ZipInfo) -> str:
    """The name as its author saw it: macOS stores UTF-8 without the flag for it, some Windows tools backslashes."""
    name = member.filename
    if not member.flag_bits & _UTF8_NAME:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _too_long(name: str, limit: int) -> str:
    return f"{name!r} is longer than the {limit // MEBIBYTE} MiB that are read of one file"
