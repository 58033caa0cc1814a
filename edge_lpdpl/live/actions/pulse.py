"""A pin that is switched on for a moment: a lamp, a relay, a buzzer."""

import threading

from edge_lpdpl.live.triggers.gpio import claim_pin


class Pulse:
    """A way to act, see `Way`: the pin is high for a time, and low otherwise. At the end of the service it is released.

    Args:
        pin: GPIO number.
        seconds: how long it is on.

    Raises:
        ConfigError: as for `claim_pin`.
    """

    def __init__(self, pin: int, seconds: float) -> None:
        self._output = claim_pin("action.gpio", pin, "DigitalOutputDevice")
        self._seconds = seconds
        self._closing = threading.Event()

    def act(self, line: bytes) -> None:
        try:
            self._output.on()
            if not self._closing.wait(self._seconds):  # otherwise it is being released
                self._output.off()
        except Exception as error:  # pin factories have no common error class
            raise OSError(f"GPIO {self._output.pin}: {error}") from error

    def close(self) -> None:
        self._closing.set()
        self._output.close()
