"""Read a file that somebody else wrote: an ordinary one, of a bounded size, without waiting."""

import os
import stat

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.text import printable


def read_regular(
    path: str | os.PathLike[str], most: int, kind: type[EdgeError], flags: int = 0, *, safe: bool = False
) -> bytes:
    """All bytes of a regular file.

    Args:
        most: bytes that it may have.
        kind: of the errors.
        flags: for `os.open`, such as O_NOFOLLOW.
        safe: refuse a file that anybody but root and this user can write to.

    Raises:
        EdgeError: of that kind, one line: `FILE: what is wrong; what to do`.

    >>> read_regular("/dev/zero", 1 << 20, EdgeError)
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.EdgeError: /dev/zero: is no ordinary file; name a file
    """
    name = printable(os.fsdecode(path)) or "''"
    try:
        # A named pipe must not make us wait.
        with open(path, "rb", opener=lambda name, mode: os.open(name, mode | os.O_NONBLOCK | flags)) as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise kind(f"{name}: is no ordinary file; name a file")
            if safe and (state.st_uid not in (0, os.geteuid()) or state.st_mode & 0o022):
                raise kind(f"{name}: somebody else can write to it; make it root's: chown root, chmod 644")
            data = file.read(most + 1)
    except IsADirectoryError:
        raise kind(f"{name}: is a folder; name a file") from None
    except (OSError, ValueError) as error:
        if isinstance(error, EdgeError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise kind(f"{name}: cannot be opened ({reason}); check the path") from error
    if len(data) > most:
        size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
        raise kind(f"{name}: is larger than {size}; give a smaller one")
    return data
