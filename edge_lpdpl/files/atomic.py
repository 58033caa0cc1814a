"""Atomic writing: after a power cut a file is either the old one or the new one."""

import contextlib
import errno
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.text import printable

DRAWN = b"drawn by edge-lpdpl"
"""Text near the beginning of every PNG file that is drawn here."""
_HEAD = 256


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path` as `replacing` does.

    Raises:
        OSError: the folder is missing, not writable or full, or the path is not a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder, "a"), b"first")
    ...     write_atomically(Path(folder, "a"), b"second")
    ...     Path(folder, "a").read_bytes(), len(os.listdir(folder))
    (b'second', 1)
    """
    with replacing(path) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write that replaces `path` when the block ends: flushed to the disk, renamed, and the folder flushed.

    A program that opens `path` meanwhile gets all of the old file or all of the new one, and a mapping of the old file
    stays valid. If the block fails, the old file stays as it was, and nothing is left beside it; an error behind the
    rename says that the file was replaced. The new file has the permissions that the umask gives. A symbolic link to a
    file is replaced, not followed.

    Raises:
        OSError: as for `write_atomically`.
    """
    target = Path(path)
    check_kind(target)
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    file = part.open("xb")  # fails if somebody else put a file or a link there
    try:
        yield file
        file.flush()
        os.fsync(file.fileno())
        file.close()
        os.replace(part, target)
    except BaseException:
        for tidy in (file.close, part.unlink):
            with contextlib.suppress(OSError):
                tidy()
        raise
    try:
        sync_folder(target.parent)
    except OSError as error:
        raise OSError(error.errno, f"it was replaced, but not made safe from a power cut: {error.strerror}") from error


def write_result(path: str | os.PathLike[str], data: bytes) -> None:
    """`write_atomically` for a file that a person named: an error is one line for that person.

    Raises:
        EdgeError: it cannot be written.

    >>> write_result("/none/a.png", b"")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.EdgeError: /none/a.png: cannot be written (No such file or directory); check folder and free space
    """
    with blaming(path):
        write_atomically(path, data)


def check_new(path: Path) -> None:
    """Refuse to write over what exists, because nothing could bring it back; an empty folder whose
    name has no suffix is nothing.

    Raises:
        EdgeError: there is something.

    >>> check_new(Path("/"))
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.EdgeError: /: exists, and is not overwritten; name another one
    """
    with blaming(path):
        is_taken = any(path.iterdir()) if path.is_dir() and not path.suffix else os.path.lexists(path)
    if is_taken:
        raise EdgeError(f"{printable(str(path))}: exists, and is not overwritten; name another one")


def check_place(path: str | os.PathLike[str], *inputs: str | os.PathLike[str]) -> None:
    """Check before long work whether `write_result` can write its result there.

    Args:
        inputs: what the result is computed from, see `spare_inputs`.

    Raises:
        EdgeError: a file cannot be written there, or would be among the inputs.
    """
    spare_inputs(path, *inputs)
    with blaming(path):
        check_kind(Path(path))
        with tempfile.TemporaryFile(dir=Path(path).parent):
            pass


def check_drawing(path: str | os.PathLike[str], *inputs: str | os.PathLike[str]) -> None:
    """As `check_place`, for a drawing. It may replace another drawing, which `DRAWN` marks, and nothing else: whoever
    takes `--explain` for a flag names a picture there.

    Raises:
        EdgeError: its name does not end in .png, it cannot be written there, it would be among the inputs, or another
            file is there.
    """
    shown = printable(os.fsdecode(path))
    if Path(path).suffix.lower() != ".png":
        raise EdgeError(f"{shown}: is written as PNG; give it a name that ends in .png")
    check_place(path, *inputs)
    with blaming(path):
        if not os.path.exists(path):
            return
        with open(path, "rb") as file:
            is_drawing = DRAWN in file.read(_HEAD)
    if not is_drawing:
        raise EdgeError(f"{shown}: exists, and is no drawing of edge-lpdpl; it is not overwritten; name another one")


def spare_inputs(path: str | os.PathLike[str], *inputs: str | os.PathLike[str]) -> None:
    """Refuse a place among the inputs: writing there would destroy an input, or would be read as data the next time.

    Args:
        inputs: files and folders; names that do not exist, such as the name of a data set, are ignored.

    Raises:
        EdgeError: the place is an input, or inside one.

    >>> spare_inputs("/tmp/mine.safetensors", "synthetic", "/tmp")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.EdgeError: /tmp/mine.safetensors: belongs to /tmp, which is read; name another place
    """
    place = Path(os.path.realpath(path))
    for given in inputs:
        if os.path.exists(given) and place.is_relative_to(os.path.realpath(given)):
            shown, read = (printable(os.fsdecode(one)) for one in (path, given))
            raise EdgeError(f"{shown}: belongs to {read}, which is read; name another place")


def check_kind(path: Path) -> None:
    """Check that `path` is a file or does not exist, so that a renamed file replaces nothing else.

    Raises:
        OSError: it is a folder, a device, a pipe or a socket, or a link to one.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no ordinary file")


@contextlib.contextmanager
def blaming(path: str | os.PathLike[str], kind: type[EdgeError] = EdgeError) -> Iterator[None]:
    """Turn an error of the system into one line about a file that cannot be written."""
    try:
        yield
    except (OSError, ValueError) as error:
        fault = f"cannot be written ({getattr(error, 'strerror', None) or error}); check folder and free space"
        raise kind(f"{printable(os.fsdecode(path))}: {fault}") from error


def link_atomically(path: str | os.PathLike[str], target: str) -> None:
    """Make `path` a symbolic link to `target`; after a power cut it is what it was, or this link.

    Raises:
        OSError: the folder is missing, not writable or full, or the path is a folder. The link may be there already, or
            may be left beside it as `.*.part`.
    """
    part = Path(path).with_name(f".{secrets.token_hex(8)}.part")
    part.symlink_to(target)
    sync_folder(part.parent)
    os.replace(part, path)
    sync_folder(part.parent)


def make_folder(path: Path) -> None:
    """Make a folder if it is missing; it survives a power cut.

    Raises:
        OSError: it cannot be made.
    """
    with contextlib.suppress(FileExistsError):
        path.mkdir()
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the rename survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that does not support it
            raise
    finally:
        os.close(handle)
