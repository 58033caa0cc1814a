"""A bounded queue that a thread empties: the loop of the service puts lines or jobs into it and never waits."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Outbox(Generic[Item]):
    """Lines on their way to one reader. If more than `capacity` lines wait, the oldest are dropped and counted.

    They may be anything else that has to be done one after the other.

    Args:
        capacity: lines that may wait.
        deliver: called with every line in the thread of the outbox; may be slow. An OSError ends the outbox.

    >>> delivered = []
    >>> outbox = Outbox("list", 4, delivered.append)
    >>> outbox.put(b"five")
    >>> outbox.close()
    >>> delivered, outbox.dropped
    ([b'five'], 0)
    """

    def __init__(self, name: str, capacity: int, deliver: Callable[[Item], object]) -> None:
        self.name = name
        self.dropped = 0
        self.broken: OSError | None = None
        """The error that ended it."""
        self._capacity, self._deliver = capacity, deliver
        self._lines: deque[Item] = deque()
        self._change = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name=f"outbox {name}", daemon=True)
        self._thread.start()

    def put(self, line: Item) -> None:
        """Add a line; never waits."""
        with self._change:
            if self.broken or self._closing:
                self.dropped += 1
                return
            if len(self._lines) == self._capacity:
                self._lines.popleft()
                self.dropped += 1
            self._lines.append(line)
            self._change.notify()

    def close(self, patience: float = 1.0) -> None:
        """Deliver the lines that wait, for `patience` seconds at most, and end."""
        with self._change:
            self._closing = True
            self._change.notify()
        self._thread.join(patience)
        with self._change:
            self.dropped += len(self._lines)
            self._lines.clear()

    def _work(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._lines or self._closing)
                if not self._lines:
                    return
                line = self._lines.popleft()
            try:
                self._deliver(line)
            except OSError as error:
                with self._change:
                    self.broken = error
                    self.dropped += 1 + len(self._lines)
                    self._lines.clear()
                return
