"""A push button on a GPIO pin, through gpiozero. What the contacts do when they bounce is sorted out here, because not
every pin factory of gpiozero does it."""

import errno
import time

from gpiozero import Button

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.triggers.asked import AskedTrigger


class Debouncer:
    """Presses from contacts that bounce: the first closing counts, until they have been quiet.

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
        """Whether an edge, seen now, is a new press."""
        quiet = self._last_ns is None or now_ns - self._last_ns >= self._quiet_ns
        self._last_ns = now_ns
        return closed and quiet


class ButtonTrigger:
    """The first frame that was exposed after a press, see `Trigger`.

    Args:
        pin: GPIO number; the button connects it to ground.
        bounce_ms: how long its contacts bounce.

    Raises:
        ConfigError: this machine has no such pin, or another program holds it, which may pass.
    """

    kind = "button"

    def __init__(self, pin: int, bounce_ms: int) -> None:
        self._pressed, self._contacts = AskedTrigger(), Debouncer(bounce_ms)
        self._button = _claim(pin)
        self._button.when_pressed = lambda: self._edge(True)
        self._button.when_released = lambda: self._edge(False)

    def wants(self, frame: Frame) -> bool:
        return self._pressed.wants(frame)

    def missed(self) -> None:
        self._pressed.missed()

    def look_again(self) -> None:
        """Nobody has pressed the button for that."""

    def close(self) -> None:
        self._button.close()

    def _edge(self, closed: bool) -> None:
        now_ns = time.monotonic_ns()
        if self._contacts.is_press(closed, now_ns):
            self._pressed.ask(now_ns)


def _claim(pin: int) -> Button:
    try:
        return Button(pin, pull_up=True)
    except Exception as error:  # what a pin factory raises has no common class: lgpio's is none of gpiozero's
        wrong, remedy, cause = f"trigger.button_pin {pin} cannot be used ({error})", "is this a Raspberry Pi?", error
        if "busy" in str(error).lower():  # all that lgpio tells; as the system would say it, `may_pass` knows it
            remedy, cause = "another program holds it: end that, or take another pin", OSError(errno.EBUSY, str(error))
        raise ConfigError(f"{wrong}; {remedy}") from cause
