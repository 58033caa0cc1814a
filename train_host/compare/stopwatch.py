"""Times several functions in turns, so that a busy machine slows all of them alike.

The functions take turns in short bursts (A B C A B C ...). If another program runs for a while, it slows all of them in
that round, not only the one that is being measured. Each burst begins with calls that are not counted, because the
previous function has emptied the caches.
"""

import gc
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from edge_lpdpl.measure.timing import no_collection, time_each
from train_host.progress import bar

WARM_CALLS = 5  # calls before every burst that do not count, for caches, branch predictors and clock rate
FEWEST, MOST = 3, 200  # timed calls in a burst

Call = Callable[[], object]
"""Handles the next image."""


class Figures(NamedTuple):
    """Microseconds per image, and the count of timed calls."""

    p50: float
    least: float
    p99: float
    calls: int


def race(calls: Mapping[str, Call], *, rounds: int, burst_ms: float = 2.0) -> dict[str, Figures]:
    """Figures of each function, by its name.

    Args:
        rounds: bursts of each function.
        burst_ms: approximate length of a burst in milliseconds.
    """
    lengths = {name: _burst_length(call, burst_ms) for name, call in calls.items()}
    times: dict[str, list[int]] = {name: [] for name in calls}
    with no_collection():  # the time of a collection belongs to no image
        for _ in bar("rounds", range(rounds)):
            for name, call in calls.items():
                times[name] += _burst(call, lengths[name])
            gc.collect()
    return {name: figures_of(np.array(taken)) for name, taken in times.items()}


def figures_of(nanoseconds: np.ndarray) -> Figures:
    """Figures of times (calls,) in nanoseconds.

    >>> figures_of(np.array([1000, 2000, 9000]))
    Figures(p50=2.0, least=1.0, p99=8.86, calls=3)
    """
    p50, p99 = np.percentile(nanoseconds, (50, 99)) / 1000
    return Figures(round(float(p50), 3), float(nanoseconds.min()) / 1000, round(float(p99), 3), len(nanoseconds))


def _burst(call: Call, length: int) -> list[int]:
    """Nanoseconds of `length` calls, after those that do not count."""
    return time_each([call] * (WARM_CALLS + length))[WARM_CALLS:]


def _burst_length(call: Call, burst_ms: float) -> int:
    """Count of timed calls in a burst. The trial calls also trigger lazy compilation and allocation."""
    return int(np.clip(burst_ms * 1e6 / max(np.median(_burst(call, 10)), 1), FEWEST, MOST))
