"""A push button on a GPIO pin, through gpiozero. It is debounced here, because not every pin factory of gpiozero does
that."""

import time

from edge_lpdpl.live.triggers.asked import AskedTrigger
from edge_lpdpl.live.triggers.gpio import claim_pin


class Debouncer:
    """Finds presses of contacts that bounce: a closing counts if the contacts were quiet before it.

    >>> button = Debouncer(quiet_ms=30)
    >>> [button.is_press(closed, ms * 1_000_000) for closed, ms in [(True, 0), (False, 1), (True, 2), (False, 90)]]
    [True, False, False, False]
    >>> button.is_press(True, 200_000_000)
    True
    """

    def __init__(self, quiet_ms: int) -> None:
        self._quiet_ns = quiet_ms * 1_000_000
        self._last_ns: int | None = None

    def is_press(self, closed: bool, now_ns: int) -> bool:
        """Whether an edge at this time is a new press."""
        quiet = self._last_ns is None or now_ns - self._last_ns >= self._quiet_ns
        self._last_ns = now_ns
        return closed and quiet


class ButtonTrigger(AskedTrigger):
    """Wants the first frame exposed after a press.

    Args:
        pin: GPIO number; the button connects it to ground.
        bounce_ms: how long its contacts bounce.

    Raises:
        ConfigError: as for `claim_pin`.
    """

    kind = "button"

    def __init__(self, pin: int, bounce_ms: int) -> None:
        super().__init__()
        self._contacts = Debouncer(bounce_ms)
        self._button = claim_pin("trigger.button_pin", pin, "Button", pull_up=True)
        self._button.when_pressed = lambda: self._edge(True)
        self._button.when_released = lambda: self._edge(False)

    def close(self) -> None:
        self._button.close()

    def _edge(self, closed: bool) -> None:
        now_ns = time.monotonic_ns()
        if self._contacts.is_press(closed, now_ns):
            self.ask(now_ns)
