"""The trigger that reads when somebody asks."""

import threading

from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.triggers.trigger import Trigger


class AskedTrigger(Trigger):
    """Wants the first frame exposed after a request. `ask` may be called in any thread.

    A frame answers all requests made before its exposure began. Of later requests only the last time is kept: one
    frame answers them all, and frequent requests delay no answer.
    """

    kind = "request"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._first_ns: int | None = None  # of the requests that are not answered yet
        self._last_ns = 0

    def ask(self, now_ns: int) -> None:
        """Request the first frame whose exposure begins at `now_ns` or later."""
        with self._lock:
            self._last_ns = now_ns if self._first_ns is None else max(self._last_ns, now_ns)
            self._first_ns = now_ns if self._first_ns is None else min(self._first_ns, now_ns)

    def wants(self, frame: Frame) -> bool:
        with self._lock:
            if self._first_ns is None or frame.exposed_ns < self._first_ns:
                return False
            self._first_ns = self._last_ns if frame.exposed_ns < self._last_ns else None
            return True

    def missed(self) -> None:
        self.ask(0)
