"""Triggers that need nobody to ask: one watches the scene, the other the clock."""

from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.scene import LEAST_BLOCKS, View, changed_blocks, view_of
from edge_lpdpl.live.triggers.trigger import Trigger


class ChangeTrigger(Trigger):
    """Wants one frame when something new is in view and has stopped moving.

    Args:
        sensitivity: grey levels by which an 8x8 block has to change.
        still_ms: for how long nothing may have moved.
    """

    kind = "change"
    _DRIFT = 0.02  # share by which the remembered view approaches the current one, per frame: daylight moves

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

    look_again = missed


class IntervalTrigger(Trigger):
    """Wants a frame each time the interval has passed.

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
        due = frame.exposed_ns if self._due_ns is None else self._due_ns
        if frame.exposed_ns < due:
            return False
        late = frame.exposed_ns >= due + self._interval_ns
        self._due_ns = (frame.exposed_ns if late else due) + self._interval_ns
        return True

    def missed(self) -> None:
        self._due_ns = None

    look_again = missed
