"""JSON lines on standard output."""

import os
import select

from edge_lpdpl.live.publish.message import Message
from edge_lpdpl.live.publish.outbox import Outbox

STANDARD_OUTPUT = 1


class LinesPublisher(Outbox[bytes]):
    """A publisher, see `Publisher`: writes every message as a line to a file descriptor, which stays open."""

    def __init__(self, capacity: int, descriptor: int = STANDARD_OUTPUT) -> None:
        self._descriptor = descriptor
        super().__init__("stdout", capacity, self._write)

    def publish(self, message: Message, line: bytes) -> None:
        self.put(line)

    def _write(self, line: bytes) -> None:
        while line:
            try:
                line = line[os.write(self._descriptor, line) :]
            except BlockingIOError:  # another program that shares the descriptor made it non-blocking
                select.select((), (self._descriptor,), ())
