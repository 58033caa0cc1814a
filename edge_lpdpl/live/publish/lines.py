"""JSON lines on standard output."""

import os
import select

from edge_lpdpl.live.publish.message import Message
from edge_lpdpl.live.publish.outbox import Outbox

STANDARD_OUTPUT = 1


class LinesPublisher:
    """Writes every message as a line to a file descriptor, which stays open."""

    name = "stdout"

    def __init__(self, capacity: int, descriptor: int = STANDARD_OUTPUT) -> None:
        self._descriptor = descriptor
        self._outbox = Outbox(self.name, capacity, self._write)

    @property
    def dropped(self) -> int:
        return self._outbox.dropped

    @property
    def broken(self) -> OSError | None:
        """Why nothing is written any more: nobody reads on, say."""
        return self._outbox.broken

    def publish(self, message: Message, line: bytes) -> None:
        self._outbox.put(line)

    def close(self) -> None:
        self._outbox.close()

    def _write(self, line: bytes) -> None:
        while line:
            try:
                line = line[os.write(self._descriptor, line) :]
            except BlockingIOError:  # somebody who shares the other end has set it so
                select.select((), (self._descriptor,), ())
