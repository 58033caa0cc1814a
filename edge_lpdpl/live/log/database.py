"""The SQLite file of the log, as it is written: one row a decision, within a quota.

WAL lets others read while it is written, and costs the card one write a batch. After a power cut the file is whole; the
last batches may be missing, because nothing waits for the card (`synchronous = NORMAL`).
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from edge_lpdpl.errors import LogError
from edge_lpdpl.files.text import printable

SCHEMA = (
    "CREATE TABLE decisions (id INTEGER PRIMARY KEY, time TEXT NOT NULL, message TEXT NOT NULL, "
    "width INTEGER NOT NULL, height INTEGER NOT NULL, crop BLOB NOT NULL)"
)
"""The only content of a log; a file with another is not read. `crop` is height x width bytes of grey, or empty."""
PAGE = 4096  # bytes
BESIDE = 4 << 20
"""Bytes of the quota for the files beside the database, those of its WAL."""
MOST_BATCH = 1 << 20
"""Bytes of entries in one batch."""

_WAL_PAGES, _MOST_WAL = 128, 3 << 19  # it is emptied at the first, and nothing is written beyond the second (bytes)
_DELETED_TOGETHER = 16  # rows
_SPARE = 16  # pages that lead to others
_PATIENCE = 5.0  # seconds for a lock
_ROW = 128  # bytes of a row beside message and crop, and more


class Entry(NamedTuple):
    """A decision to keep."""

    time: str
    line: bytes
    """The message, as from `message.as_line`."""
    width: int = 0
    height: int = 0
    crop: bytes = b""

    @property
    def size(self) -> int:
        """Bytes that it takes in memory, about."""
        return len(self.line) + len(self.crop) + _ROW

    @property
    def pages(self) -> float:
        """Pages of the file that it takes at most: of rows of more than half a page, each page holds one."""
        return self.size / PAGE + min(self.size / PAGE, 1)


class LogDatabase:
    """Adds entries to a file, and deletes the oldest for them. Used in one thread. After an error it may be used again.

    Args:
        path: of the file; it is made if it is missing, and so is its folder.
        quota: bytes that the file and those beside it may take together; 8 MiB at least.
    """

    def __init__(self, path: Path, quota: int) -> None:
        self._path, self._name, self._most_pages = path, printable(str(path)), (quota - BESIDE) // PAGE
        self._connection: sqlite3.Connection | None = None

    def add(self, entries: Sequence[Entry]) -> None:
        """Add entries, all of them or none.

        Raises:
            LogError: the file is none of ours, somebody keeps it locked, or the system or SQLite refuses.
        """
        try:
            connection = self._connection or self._open()
            self._check_wal(connection)
            self._make_room(connection, sum(one.pages for one in entries))
            with _transaction(connection):
                connection.executemany(
                    "INSERT INTO decisions (time, message, width, height, crop) VALUES (?, ?, ?, ?, ?)",
                    [(one.time, one.line.decode().rstrip("\n"), *one[2:]) for one in entries],
                )
        except (sqlite3.Error, OSError, UnicodeError) as error:
            self.close()
            raise LogError(f"{self._name}: {getattr(error, 'strerror', None) or error}") from error
        except LogError:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; the next `add` opens it again."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if not self._path.exists():
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))  # what people wrote is nobody else's business
        self._connection = connection = sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)
        connection.execute(f"PRAGMA page_size = {PAGE}")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # of a new file
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {setting}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_PAGES * PAGE}")
        connection.execute(f"PRAGMA max_page_count = {self._most_pages}")
        if not has_table(connection, self._path):
            connection.execute(SCHEMA)
        return connection

    def _check_wal(self, connection: sqlite3.Connection) -> None:
        """Somebody who reads without an end keeps the WAL from being emptied, and it would fill the disk."""
        wal = f"{self._path}-wal"
        if os.path.exists(wal) and os.path.getsize(wal) > _MOST_WAL:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            if os.path.getsize(wal) > _MOST_WAL:
                raise LogError(f"{self._name}: another program has been reading it for too long; end that program")

    def _make_room(self, connection: sqlite3.Connection, pages: float) -> None:
        """Delete the oldest entries until so many more pages fit, and give back those beyond the quota."""
        while self._used(connection) + pages + _SPARE > self._most_pages:
            oldest = f"SELECT id FROM decisions ORDER BY id LIMIT {_DELETED_TOGETHER}"
            if connection.execute(f"DELETE FROM decisions WHERE id IN ({oldest})").rowcount < 1:
                break
            self._check_wal(connection)
        if (beyond := _number(connection, "page_count") - self._most_pages) > 0:  # the quota was larger once
            connection.executescript(f"PRAGMA incremental_vacuum({beyond})")
            connection.execute(f"PRAGMA max_page_count = {self._most_pages}")

    def _used(self, connection: sqlite3.Connection) -> int:
        return _number(connection, "page_count") - _number(connection, "freelist_count")


def has_table(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether a database holds the table of a log, rather than nothing yet.

    Raises:
        LogError: it holds anything else, such as a view, a trigger or a table that computes.
    """
    found = connection.execute("SELECT type, name, sql FROM sqlite_master LIMIT 2").fetchall()
    if found not in ([], [("table", "decisions", SCHEMA)]):
        raise LogError(f"{printable(str(path))}: is no log of this program; name another file")
    return bool(found)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
