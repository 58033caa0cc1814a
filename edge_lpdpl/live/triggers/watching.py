"""Triggers that need nobody to ask: one watches the scene, the other the clock."""

from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.scene import LEAST_BLOCKS, Sight, View, changed_blocks, view_of
from edge_lpdpl.live.triggers.trigger import Trigger


class ChangeTrigger(Trigger):
    """Wants one frame when something new is in view, or something has moved, and all is still; and one now and then
    while nothing comes to rest.

    What has moved may have left less than can be seen here: a finger with a pen, a point. Another picture counts as
    movement.

    Args:
        sensitivity: grey levels by which an 8x8 block has to change.
        still_ms: for how long nothing may have moved.
    """

    kind = "change"
    _DRIFT = 0.02  # share by which the remembered view approaches the current one, per frame: daylight moves
    _PATIENCE_NS = 10_000_000_000  # for how long nothing may come to rest

    def __init__(self, sensitivity: int, still_ms: int) -> None:
        self._sensitivity, self._still_ns = sensitivity, still_ms * 1_000_000
        self._before: View | None = None
        self._known: View | None = None
        self._file: str | None = None
        self._moved_ns = 0
        self._restless_since_ns: int | None = None

    def wants(self, frame: Frame) -> bool:
        view = view_of(frame.grey)
        if self._moves(frame, view):
            self._moved_ns = frame.exposed_ns
            if self._restless_since_ns is None:
                self._restless_since_ns = frame.exposed_ns
            return self._has_waited(frame.exposed_ns)
        if frame.exposed_ns - self._moved_ns < self._still_ns:
            return False
        has_moved = self._restless_since_ns is not None
        if self._known is not None and not has_moved and not changed_blocks(view, self._known, self._sensitivity):
            self._known = self._known.towards(view, self._DRIFT)
            return False
        self._known, self._restless_since_ns = view, None
        self.sight = Sight(has_moved)
        return True

    def missed(self) -> None:
        self._known = None

    look_again = missed

    def _moves(self, frame: Frame, view: View) -> bool:
        """Whether this frame differs from the one before."""
        before, file = self._before, self._file
        self._before, self._file = view, frame.file
        if before is None or file != frame.file:
            return True
        return changed_blocks(view, before, self._sensitivity) >= LEAST_BLOCKS

    def _has_waited(self, now_ns: int) -> bool:
        """Whether nothing has come to rest for so long that what was read before may be old."""
        if self._restless_since_ns is None or now_ns - self._restless_since_ns < self._PATIENCE_NS:
            return False
        self._restless_since_ns, self.sight = now_ns, Sight(has_moved=True, is_moving=True)
        return True


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
