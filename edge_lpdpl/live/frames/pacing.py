"""The pace of frames that are all available at once, such as those of a recording."""

import time

_SLICE = 0.2  # seconds: the longest wait, so that the service can be stopped


class Pace:
    """Tells when the next frame is due, `period` seconds after the last one. A delay is not caught up.

    >>> pace = Pace()
    >>> pace.wait(0.0), pace.wait(9.0)
    (True, False)
    """

    def __init__(self) -> None:
        self._last = time.monotonic()

    def wait(self, period: float) -> bool:
        """Wait until `period` seconds after the last frame was due, for a moment at most; False means call again."""
        now = time.monotonic()
        due = max(self._last + period, now)
        time.sleep(min(due - now, _SLICE))
        if due - now > _SLICE:
            return False
        self._last = due
        return True
