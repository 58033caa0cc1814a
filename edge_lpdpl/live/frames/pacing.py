"""The pace and the times of frames that are all available at once, such as those of a recording."""

import time

_NS = 1_000_000_000
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


class Times:
    """Times of exposure. Those of frames that come faster than they were made are at least as far apart as they were:
    a trigger that waits until the scene is still would wait for ever otherwise.

    >>> times = Times()
    >>> first = times.next(0.0)
    >>> times.next(2.5) - first >= 2_500_000_000
    True
    """

    def __init__(self) -> None:
        self._last = 0

    def next(self, least: float) -> int:
        """Now, by `time.monotonic_ns`, but at least `least` seconds after the last one."""
        self._last = max(time.monotonic_ns(), self._last + round(least * _NS))
        return self._last
