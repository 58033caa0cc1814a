"""Time several functions against each other so that a noisy machine treats all of them alike.

The contestants take turns in short bursts (A B C A B C ...): when something else wakes up, all of them suffer in that
round, not only the one that happened to be measured. Each burst begins with calls that are not counted, because the one
before has emptied the caches.
"""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

WARM_CALLS = 5  # before every burst: caches, branch predictors, clock
FEWEST, MOST = 3, 200  # timed calls in a burst


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """One thing to time: `call` handles one image, the next at every call."""

    name: str
    settings: str
    call: Callable[[], object]


@dataclass(frozen=True)
class Figures:
    """Microseconds an image."""

    p50: float
    least: float
    p99: float
    calls: int

    @classmethod
    def of(cls, nanoseconds: np.ndarray) -> "Figures":
        """
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
    """The figures of each contestant, in their order, after so many rounds; `progress` hears of each round done."""
    lengths = [_burst_length(c.call, burst_ms) for c in contestants]
    times: list[list[int]] = [[] for _ in contestants]
    collecting = gc.isenabled()
    gc.disable()  # a collection belongs to nobody's image
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
    """What reading the clock itself adds to every figure, in microseconds (it is not subtracted)."""
    taken: list[int] = []
    _burst(lambda: None, 2000, taken)
    return float(np.median(taken)) / 1000


def _burst(call: Callable[[], object], length: int, taken: list[int]) -> None:
    """Call without the clock, then with it, and append the nanoseconds of each timed call."""
    now = time.perf_counter_ns
    for _ in range(WARM_CALLS):
        call()
    for _ in range(length):
        start = now()
        call()
        taken.append(now() - start)


def _burst_length(call: Callable[[], object], burst_ms: float) -> int:
    """How many calls fill a burst; the calls made to find out also compile and allocate what is made lazily."""
    trial: list[int] = []
    _burst(call, 10, trial)
    return int(np.clip(burst_ms * 1e6 / max(np.median(trial), 1), FEWEST, MOST))
