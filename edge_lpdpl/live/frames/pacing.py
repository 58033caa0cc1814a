"""Frames that come at their own pace although they are all there already."""

import time


class Pace:
    """Waits so that frames come `period` seconds apart; what is late is not made up for.

    >>> pace = Pace()
    >>> pace.wait(0.0)
    """

    def __init__(self) -> None:
        self._due = time.monotonic()

    def wait(self, period: float) -> None:
        """Return `period` seconds after the last return, or now where that is over."""
        self._due = max(self._due + period, time.monotonic())
        time.sleep(max(0.0, self._due - time.monotonic()))
