"""When to read a frame: something new is at rest, a button was pressed, time has passed, or somebody asked."""

import threading
from collections.abc import Callable
from typing import Protocol

from edge_lpdpl.config.sections import TriggerConfig
from edge_lpdpl.errors import ConfigError
from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.scene import View, changed_blocks, view_of

LEAST_BLOCKS = 2
"""So many 8x8 blocks have to differ: a numeral covers more, a dead pixel or a fly fewer."""


class Trigger(Protocol):
    """Looks at every frame, and says of some that they are to be read."""

    kind: str

    def wants(self, frame: Frame) -> bool:
        """True where this frame is to be read."""

    def missed(self) -> None:
        """The frame that was wanted last could not be read: want another."""

    def look_again(self) -> None:
        """What is in view was read by another model: it counts as new, unless somebody has to ask for it."""

    def close(self) -> None:
        """Give back what was taken."""


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


def make_trigger(settings: TriggerConfig) -> Trigger:
    """The trigger that the configuration names.

    Raises:
        ConfigError: a button on a machine that has none.
    """
    makers: dict[str, Callable[[], Trigger]] = {
        "change": lambda: ChangeTrigger(settings.sensitivity, settings.still_ms),
        "interval": lambda: IntervalTrigger(settings.interval_ms),
        "request": AskedTrigger,
        "button": lambda: _button(settings),
    }
    return makers[settings.kind]()


def _button(settings: TriggerConfig) -> Trigger:
    try:
        from edge_lpdpl.live.button import ButtonTrigger
    except ImportError as error:
        raise ConfigError(
            f"a button needs gpiozero ({error}): sudo apt install python3-gpiozero python3-lgpio, or set trigger.kind"
        ) from None
    return ButtonTrigger(settings.button_pin, settings.bounce_ms)
