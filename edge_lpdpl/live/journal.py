"""Lines for people on standard error: few enough not to fill a disk, and the service never waits for them."""

import contextlib
import os
import time
from collections.abc import Mapping

from edge_lpdpl.live.publish.outbox import Outbox

STANDARD_ERROR = 2
ERROR, WARNING, INFO = 3, 4, 6
"""Levels of syslog, which the journal reads at the beginning of a line."""
_CAPACITY = 256
_QUIET_SECONDS = 60.0
_MOST_KEPT = 64


class Journal(Outbox[bytes]):
    """Writes lines; a complaint of one kind once a minute at most, with the number of those that were kept back.

    Args:
        environment: names the stream that goes to the journal, whose lines begin with a level.

    >>> journal = Journal({}, descriptor=os.open(os.devnull, os.O_WRONLY))
    >>> journal.say("edge-lpdpl: reading")
    >>> journal.close()
    """

    def __init__(self, environment: Mapping[str, str] = os.environ, descriptor: int = STANDARD_ERROR) -> None:
        self._levels = environment.get("JOURNAL_STREAM", "") == _identity(descriptor)
        self._descriptor = descriptor
        super().__init__("journal", _CAPACITY, self._write)
        self._said: dict[str, tuple[float, int]] = {}

    def say(self, text: str, level: int = INFO) -> None:
        """Write a line."""
        line = " ".join(text.split())
        self.put(f"<{level}>{line}\n".encode() if self._levels else f"edge-lpdpl: {line}\n".encode())

    def complain(self, text: str, level: int = WARNING, kind: str | None = None) -> None:
        """Write a line, unless one of this kind was written within the last minute. Default kind: the text."""
        kind = text if kind is None else kind
        last, kept_back = self._said.get(kind, (-_QUIET_SECONDS, 0))
        now = time.monotonic()
        if now - last < _QUIET_SECONDS:
            self._said[kind] = (last, kept_back + 1)
            return
        if len(self._said) >= _MOST_KEPT:
            self._said.clear()
        self._said[kind] = (now, 0)
        self.say(f"{text} (and {kept_back} times more before)" if kept_back else text, level)

    def _write(self, line: bytes) -> None:
        with contextlib.suppress(OSError):  # nobody listens
            os.write(self._descriptor, line)


def _identity(descriptor: int) -> str | None:
    """Device and inode as systemd writes them; a program started by the service may have another standard error."""
    try:
        state = os.fstat(descriptor)
    except OSError:
        return None
    return f"{state.st_dev}:{state.st_ino}"
