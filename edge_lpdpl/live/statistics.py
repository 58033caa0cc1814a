"""What the service counts: written by its loop alone, read by any thread."""

import time
from collections import deque
from typing import Any

import numpy as np

WINDOW = 1000
"""Decisions that the percentile is over."""
_SPAN = 2.0  # seconds that the rate is over


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
        """Frames that were looked at."""
        self.stale = 0
        """Frames that were too old to be looked at."""
        self.faults = 0
        """Frames on which something failed."""
        self.readings = 0
        """Frames that were read."""
        self.held_back = 0
        """Readings that were not published because a decision stands."""
        self.decisions = 0
        """Decisions that were published."""
        self.reloads = self.refused_reloads = 0
        self._age_ms: float | None = None
        self._times_us: deque[float] = deque(maxlen=WINDOW)
        self._rate: float | None = None
        self._span_start, self._span_frames = self.started, 0

    def frame(self, age_ms: float) -> None:
        """A frame was looked at."""
        self.frames += 1
        self._age_ms = age_ms
        now = time.monotonic()
        if now - self._span_start >= _SPAN:
            self._rate = (self.frames - self._span_frames) / (now - self._span_start)
            self._span_start, self._span_frames = now, self.frames

    def decision(self, total_us: float) -> None:
        """A decision was handed to the publishers, `total_us` after its trigger."""
        self.decisions += 1
        self._times_us.append(total_us)

    def rate(self) -> float | None:
        """Frames a second over the last seconds; None before they are over."""
        waited = time.monotonic() - self._span_start
        if waited > 2 * _SPAN:  # nothing came
            return (self.frames - self._span_frames) / waited
        return self._rate

    def p99_us(self) -> float | None:
        """What 99 of 100 decisions took at most, from trigger to publishers; None before the first."""
        times = list(self._times_us)
        return float(np.percentile(times, 99)) if times else None

    def snapshot(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        rate, p99, age = self.rate(), self.p99_us(), self._age_ms
        return {
            "uptime_s": round(time.monotonic() - self.started, 1),
            "frames": self.frames,
            "fps": None if rate is None else round(rate, 2),
            "frame_age_ms": None if age is None else round(age, 2),
            "stale": self.stale,
            "faults": self.faults,
            "readings": self.readings,
            "held_back": self.held_back,
            "decisions": self.decisions,
            "p99_us": None if p99 is None else round(p99, 1),
            "reloads": self.reloads,
            "refused_reloads": self.refused_reloads,
        }
