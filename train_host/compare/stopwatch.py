"""Times several functions in turns, so that a busy machine slows all of them alike.

The contestants take turns in short bursts (A B C A B C ...). If another program runs for a while, it slows all of them
in that round, not only the one that is being measured. Each burst begins with calls that are not timed, because the
previous contestant has emptied the caches.
"""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

WARM_CALLS = 5  # untimed calls before every burst, for caches, branch predictors and clock rate
FEWEST, MOST = 3, 200  # timed calls in a burst


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """One function to time. Each `call` handles the next image."""

    name: str
    settings: str
    call: Callable[[], object]


@dataclass(frozen=True)
class Figures:
    """Microseconds per image, and the count of timed calls."""

    p50: float
    least: float
    p99: float
    calls: int

    @classmethod
    def of(cls, nanoseconds: np.ndarray) -> "Figures":
        """Figures of times (calls,) in nanoseconds.

        >>> Figures.of(np.array([1000, 2000, 9000]))
        Figures(p50=2.0, least=1.0, p99=8.86, calls=3)
        """
        p50, p99 = np.percentile(nanoseconds, (50, 99)) / 1000
        return cls(round(float(p50), 3), float(nanoseconds.min()) / 1000, round(float(p99), 3), len(nanoseconds))


def race(
    contestants: Sequence[Contestant],
    *,
    rounds: int,
    burst_ms: float = 2.0,
    progress: Callable[[int], None] = lambda done: None,
) -> list[Figures]:
    """Figures of each contestant, in their order.

    Args:
        rounds: bursts of each contestant.
        burst_ms: approximate length of a burst in milliseconds.
        progress: is called with the count of finished rounds after each round.
    """
    lengths = [_burst_length(c.call, burst_ms) for c in contestants]
    times: list[list[int]] = [[] for _ in contestants]
    collecting = gc.isenabled()
    gc.disable()  # the time of a collection belongs to no image
    try:
        for done in range(1, rounds + 1):
            for contestant, length, taken in zip(contestants, lengths, times, strict=True):
                _burst(contestant.call, length, taken)
            gc.collect()
            progress(done)
    finally:
        if collecting:
            gc.enable()
    return [Figures.of(np.array(taken)) for taken in times]


def clock_us() -> float:
    """Microseconds that reading the clock adds to every figure. They are not subtracted."""
    taken: list[int] = []
    _burst(lambda: None, 2000, taken)
    return float(np.median(taken)) / 1000


def _burst(call: Callable[[], object], length: int, taken: list[int]) -> None:
    """Make the untimed calls, then `length` timed ones, and append the nanoseconds of each to `taken`."""
    now = time.perf_counter_ns
    for _ in range(WARM_CALLS):
        call()
    for _ in range(length):
        start = now()
        call()
        taken.append(now() - start)


def _burst_length(call: Callable[[], object], burst_ms: float) -> int:
    """Count of timed calls in a burst. The trial calls also trigger lazy compilation and allocation."""
    trial: list[int] = []
    _burst(call, 10, trial)
    return int(np.clip(burst_ms * 1e6 / max(np.median(trial), 1), FEWEST, MOST))
