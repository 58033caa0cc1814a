"""Read a log while the service writes it.

The file is not believed, because the user of the service may write it: only our own table is read, a few rows at a
time, each within bounds, with every key larger than the one before. Root reads it with the rights of its owner.
"""

import contextlib
import json
import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from edge_lpdpl.errors import LogError
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.log.database import has_table

_MOST_ROW = 2 << 20  # bytes; SQLite refuses longer ones
_NEXT_ROWS = "SELECT id, time, message, width, height, crop FROM decisions WHERE id > ? ORDER BY id LIMIT 16"
_BEFORE_ALL = -(1 << 63)
_PATIENCE = 5.0  # seconds for a lock
_LARGEST_SIDE = 4096
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_AGO = re.compile(r"(\d{1,9})([smhd])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_FOREIGN = "is no log of this program, or its beginning is damaged; name another file, or move this one away"
_DAMAGED = "is damaged; move it away, and the service begins another"


class Kept(NamedTuple):
    """A decision of the log."""

    id: int
    """Larger for later ones."""
    message: dict[str, Any]
    """As it was published; its keys are not checked."""
    crop: tuple[int, int, bytes] | None
    """Height, width and pixels; None without a crop."""


def read_log(path: Path, since: str = "") -> Iterator[Kept]:
    """The decisions of a log, the oldest first.

    Args:
        since: the first time, as from `parse_since`; default: all.

    Raises:
        LogError: there is no such file, it is no log, or it is damaged.
    """
    name = printable(str(path))
    with contextlib.ExitStack() as opened:
        connection, last = None, _BEFORE_ALL
        while True:
            try:
                with _rights_of_owner(path):
                    connection = connection or opened.enter_context(contextlib.closing(_open(path)))
                    rows = _rows_behind(connection, path, last)
            except OSError as error:
                raise LogError(f"{name}: cannot be read ({error.strerror}); check the path and who you are") from error
            except sqlite3.OperationalError as error:
                raise LogError(f"{name}: cannot be read ({printable(str(error))}); check who you are") from error
            except (sqlite3.Error, UnicodeError) as error:  # an error of SQLite may quote any bytes
                if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
                    raise LogError(f"{name}: {_FOREIGN}") from error
                raise LogError(f"{name}: {_DAMAGED} ({printable(str(error))})") from error
            for row in rows:
                if (kept := _checked(row)) is None or kept.id <= last:  # a file may lead in circles
                    raise LogError(f"{name}: {_DAMAGED} (behind decision {max(last, 0)})")
                last = kept.id
                if row[1] >= since:
                    yield kept
            if not rows:
                return


def parse_since(text: str, now: datetime | None = None) -> str:
    """A time as messages have it, from a date, a date and a time, or how long ago: `2026-11-20T10:15`, `90m`, `7d`.

    Args:
        text: without a zone it is the time of this machine.
        now: default: the time of the clock.

    Raises:
        LogError: it is none of these.

    >>> parse_since("90m", datetime(2026, 11, 20, 12, tzinfo=UTC))
    '2026-11-20T10:30:00.000Z'
    >>> parse_since("2026-11-20T10:15+01:00")
    '2026-11-20T09:15:00.000Z'
    """
    try:
        if ago := _AGO.fullmatch(text):
            then = (now or datetime.now(UTC)) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        else:
            then = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        shown = printable(text)[:60]
        raise LogError(f"{shown}: is no time; give 2026-11-20, 2026-11-20T10:15, or 30s, 90m, 12h or 7d ago") from None
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _open(path: Path) -> sqlite3.Connection:
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise LogError(f"{printable(str(path))}: is no ordinary file; name a file")
    address = f"file:{quote(os.path.abspath(path))}?mode=ro"
    connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_ROW)
        for setting in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


def _rows_behind(connection: sqlite3.Connection, path: Path, last: int) -> list[tuple[Any, ...]]:
    """The next rows, all of them at once, so that no lock stays behind."""
    return connection.execute(_NEXT_ROWS, (last,)).fetchall() if has_table(connection, path) else []


@contextlib.contextmanager
def _rights_of_owner(path: Path) -> Iterator[None]:
    """Root opens nothing with its own rights where somebody else may put links and locks."""
    folder = os.stat(path.parent)
    owner = folder if folder.st_uid else os.lstat(path)
    if os.geteuid() or not owner.st_uid:
        yield
        return
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(owner.st_gid)
    os.seteuid(owner.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def _checked(row: tuple[Any, ...]) -> Kept | None:
    """A row as a decision; None if it is none."""
    number, time, text, width, height, crop = row
    if not (isinstance(number, int) and isinstance(time, str) and _TIME.fullmatch(time)):
        return None
    if not (isinstance(text, str) and isinstance(crop, bytes)):
        return None
    if not all(isinstance(side, int) and 0 <= side <= _LARGEST_SIDE for side in (width, height)):
        return None
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or len(crop) != width * height:
        return None
    return Kept(number, message, (height, width, crop) if crop else None)
