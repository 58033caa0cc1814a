"""Files that are either the old one or the new one, wherever the power went."""

import contextlib
import errno
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

from edge_lpdpl.errors import EdgeError


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` under `path`: written beside it, flushed to the disk, renamed over it, and the folder flushed.

    Whoever opens `path` meanwhile gets all of the old file or all of the new one, and a mapping of the old file stays
    valid. A failure leaves the old file as it was and nothing beside it. The new file has the permissions that the
    umask gives; a symbolic link to a file is replaced, not followed.

    Raises:
        OSError: the folder is missing, closed to us or full, or there is something that is no file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder, "a"), b"first")
    ...     write_atomically(Path(folder, "a"), b"second")
    ...     Path(folder, "a").read_bytes(), len(os.listdir(folder))
    (b'second', 1)
    """
    target = Path(path)
    check_kind(target)
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    file = part.open("xb")  # fails rather than follow what somebody else put there
    try:
        with file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    _sync_folder(target.parent)


def write_result(path: str | os.PathLike[str], data: bytes) -> None:
    """`write_atomically` for a file that a person named, who is told in one line why it is not there.

    Raises:
        EdgeError: it cannot be written.

    >>> write_result("/none/a.png", b"")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.EdgeError: /none/a.png: cannot be written (No such file or directory); check folder and free space
    """
    with _blaming(path):
        write_atomically(path, data)


def check_place(path: str | os.PathLike[str], *inputs: str | os.PathLike[str]) -> None:
    """See before long work whether `write_result` may put its result there.

    Args:
        inputs: what the result is made from, see `spare_inputs`.

    Raises:
        EdgeError: a file cannot be written there, or would be among the inputs.
    """
    spare_inputs(path, *inputs)
    with _blaming(path):
        check_kind(Path(path))
        with tempfile.TemporaryFile(dir=Path(path).parent):
            pass


def spare_inputs(path: str | os.PathLike[str], *inputs: str | os.PathLike[str]) -> None:
    """Refuse a place that is among what the result is made from, which would be lost, or read as data the next time.

    Args:
        inputs: files and folders; what is not there, such as a word for data, is passed over.

    Raises:
        EdgeError: the place is an input, or lies in one.

    >>> spare_inputs("/tmp/mine.safetensors", "synthetic", "/tmp")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.EdgeError: /tmp/mine.safetensors: belongs to /tmp, which is read; name another place
    """
    from edge_lpdpl.files.text import printable

    place = Path(os.path.realpath(path))
    for given in inputs:
        if os.path.exists(given) and place.is_relative_to(os.path.realpath(given)):
            shown, read = (printable(os.fsdecode(one)) for one in (path, given))
            raise EdgeError(f"{shown}: belongs to {read}, which is read; name another place")


def check_kind(path: Path) -> None:
    """See that a file renamed to `path` would take the place of a file at most.

    Raises:
        OSError: a folder, a device, a pipe or a socket is there, or a link to one.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no ordinary file")


@contextlib.contextmanager
def _blaming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the system says into one line about the file."""
    try:
        yield
    except (OSError, ValueError) as error:
        from edge_lpdpl.files.text import printable

        reason = getattr(error, "strerror", None) or error
        shown = printable(os.fsdecode(path))
        raise EdgeError(f"{shown}: cannot be written ({reason}); check folder and free space") from error


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot; there is nothing more to be done
            raise
    finally:
        os.close(handle)
