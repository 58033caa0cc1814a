"""The pace of frames that are all available at once, such as those of a recording."""

import time

_NS = 1_000_000_000
_SLICE = 0.2  # seconds: the longest wait, so that the service can be stopped


class Pace:
    """Tells when the next frame is due, `period` seconds after the last one. A delay is not caught up.

    Unpaced frames are due at once, but their times of exposure are as far apart as they were made: a trigger that waits
    until the scene is still would wait for ever otherwise.

    >>> pace, unpaced = Pace(), Pace(paced=False)
    >>> pace.wait(0.0) is None, pace.wait(9.0) is None
    (False, True)
    >>> first = unpaced.wait(2.5)
    >>> unpaced.wait(2.5) - first >= 2_500_000_000
    True
    """

    def __init__(self, *, paced: bool = True) -> None:
        self._paced, self._due, self._exposed = paced, time.monotonic(), 0

    def wait(self, period: float) -> int | None:
        """Wait until `period` seconds after the last frame was due, for a moment at most.

        Returns:
            The time of exposure by `time.monotonic_ns`; None means call again.
        """
        if not self._paced:
            self._exposed = max(time.monotonic_ns(), self._exposed + round(period * _NS))
            return self._exposed
        now = time.monotonic()
        due = max(self._due + period, now)
        time.sleep(min(due - now, _SLICE))
        if due - now > _SLICE:
            return None
        self._due = due
        return time.monotonic_ns()
