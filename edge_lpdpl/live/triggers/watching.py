"""When to read a frame: something new is at rest, a button was pressed, time has passed, or somebody asked."""

from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.scene import LEAST_BLOCKS, View, changed_blocks, view_of


class ChangeTrigger:
    """Something that was not there at the last reading has come to rest: one reading, until something else has.

    Args:
        sensitivity: grey levels by which an 8x8 block has to change.
        still_ms: for how long nothing may have moved.
    """

    kind = "change"
    _DRIFT = 0.02  # share of the difference that the remembered view gives way to, a frame: the sun moves

    def __init__(self, sensitivity: int, still_ms: int) -> None:
        self._sensitivity, self._still_ns = sensitivity, still_ms * 1_000_000
        self._before: View | None = None
        self._known: View | None = None
        self._moved_ns = 0

    def wants(self, frame: Frame) -> bool:
        view, before = view_of(frame.grey), self._before
        self._before = view
        if before is None or changed_blocks(view, before, self._sensitivity) >= LEAST_BLOCKS:
            self._moved_ns = frame.exposed_ns
            return False
        if frame.exposed_ns - self._moved_ns < self._still_ns:
            return False
        if self._known is not None and changed_blocks(view, self._known, self._sensitivity) < LEAST_BLOCKS:
            self._known = self._known.towards(view, self._DRIFT)
            return False
        self._known = view
        return True

    def missed(self) -> None:
        self._known = None

    def look_again(self) -> None:
        self._known = None

    def close(self) -> None:
        """Nothing was taken."""


class IntervalTrigger:
    """So much time has passed since the last reading.

    >>> import numpy as np
    >>> trigger = IntervalTrigger(interval_ms=100)
    >>> [trigger.wants(Frame(np.zeros((8, 8), np.uint8), 0, ms * 1_000_000)) for ms in (0, 60, 120, 180, 210)]
    [True, False, True, False, True]
    """

    kind = "interval"

    def __init__(self, interval_ms: int) -> None:
        self._interval_ns = interval_ms * 1_000_000
        self._due_ns: int | None = None

    def wants(self, frame: Frame) -> bool:
        if self._due_ns is not None and frame.exposed_ns < self._due_ns:
            return False
        late = self._due_ns is None or frame.exposed_ns >= self._due_ns + self._interval_ns
        self._due_ns = (frame.exposed_ns if late or self._due_ns is None else self._due_ns) + self._interval_ns
        return True

    def missed(self) -> None:
        self._due_ns = None

    def look_again(self) -> None:
        self._due_ns = None

    def close(self) -> None:
        """Nothing was taken."""
