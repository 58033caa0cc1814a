"""The trigger that reads when somebody asks."""

import threading

from edge_lpdpl.live.frames.frame import Frame


class AskedTrigger:
    """Somebody asked: the first frame that was exposed after that. `ask` may be called in any thread.

    A frame answers all who asked before it. Of those who asked later the last time is kept alone: who asks all the time
    delays nobody, and one frame answers them together.
    """

    kind = "request"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._first_ns: int | None = None  # of those who are not answered yet
        self._last_ns = 0

    def ask(self, now_ns: int) -> None:
        """Have the first frame read whose exposure begins at `now_ns` or later."""
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

    def look_again(self) -> None:
        """Nobody asked for that; who has asked and waits is answered."""

    def close(self) -> None:
        """Nothing was taken."""
