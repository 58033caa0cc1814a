"""Counts and times of the service: written by its loop only, read by any thread."""

import time
from collections import deque
from typing import Any

import numpy as np

WINDOW = 1000
"""Number of decisions that the percentile covers."""
_SPAN = 2.0  # seconds that the rate covers
_COUNTS = ("frames", "stale", "faults", "readings", "held_back", "decisions", "reloads", "refused_reloads")


class Statistics:
    """Counts and times since the start.

    >>> statistics = Statistics()
    >>> statistics.frame(age_ms=12.0)
    >>> statistics.decision(total_us=900.0)
    >>> statistics.snapshot()["p99_us"]
    900.0
    """

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.frames = 0
        """Frames that were checked by the triggers."""
        self.stale = 0
        """Frames that were too old."""
        self.faults = 0
        """Frames on which something failed."""
        self.readings = 0
        """Frames that were read."""
        self.held_back = 0
        """Readings that were not published, because a decision stands."""
        self.decisions = 0
        """Decisions that were published."""
        self.reloads = self.refused_reloads = 0
        self._age_ms: float | None = None
        self._times_us: deque[float] = deque(maxlen=WINDOW)
        self._rate: float | None = None
        self._span_start, self._span_frames = self.started, 0

    def frame(self, age_ms: float) -> None:
        """Count a frame."""
        self.frames += 1
        self._age_ms = age_ms
        now = time.monotonic()
        if now - self._span_start >= _SPAN:
            self._rate = (self.frames - self._span_frames) / (now - self._span_start)
            self._span_start, self._span_frames = now, self.frames

    def decision(self, total_us: float) -> None:
        """Count a decision that was handed to the publishers `total_us` after its trigger."""
        self.decisions += 1
        self._times_us.append(total_us)

    def rate(self) -> float | None:
        """Frames a second over the last two seconds; None before they have passed."""
        waited = time.monotonic() - self._span_start
        if waited > 2 * _SPAN:  # no frame came
            return (self.frames - self._span_frames) / waited
        return self._rate

    def p99_us(self) -> float | None:
        """Microseconds from trigger to publishers that 99 of 100 decisions need at most; None before the first."""
        times = list(self._times_us)
        return float(np.percentile(times, 99)) if times else None

    def snapshot(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        return counts | {
            "uptime_s": round(time.monotonic() - self.started, 1),
            "fps": _rounded(self.rate(), 2),
            "frame_age_ms": _rounded(self._age_ms, 2),
            "p99_us": _rounded(self.p99_us(), 1),
        }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
