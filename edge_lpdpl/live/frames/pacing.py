"""Frames that come at their own pace although they are all there already."""

import time

_SLICE = 0.2  # seconds: whoever takes frames looks so often whether it is to end


class Pace:
    """Tells when frames are due that come `period` seconds apart; what is late is not made up for.

    >>> pace = Pace()
    >>> pace.wait(0.0), pace.wait(9.0)
    (True, False)
    """

    def __init__(self) -> None:
        self._last = time.monotonic()

    def wait(self, period: float) -> bool:
        """Wait until `period` seconds after a frame was due last, but for a moment only: False means ask again."""
        now = time.monotonic()
        due = max(self._last + period, now)
        time.sleep(min(due - now, _SLICE))
        if due - now > _SLICE:
            return False
        self._last = due
        return True
