"""How calls are timed: the shipped pictures, the stages of each decision, one core, and no garbage collection."""

import gc
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.errors import ImageError
from edge_lpdpl.files.grey import LARGEST_SIDE, POLARITIES, SMALLEST_SIDE
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import specimens
from edge_lpdpl.measure.machine import ROOT, read
from edge_lpdpl.numeral.engine import STAGES
from edge_lpdpl.numeral.recogniser import Recogniser

PERCENTILES = {"p50_us": 50, "p99_us": 99, "p99_9_us": 99.9, "max_us": 100}

_LARGEST_SET = 64 << 20  # bytes of all pictures together

Picture = NDArray[np.uint8]
Calls = Sequence[Callable[[], object]]
Tell = Callable[[float], None]
"""Is told which share of the work is done."""


def bench_pictures(recogniser: Recogniser, size: int) -> list[Picture]:
    """The shipped pictures that can be read at `size` pixels a side; only some of them if they are large.

    Raises:
        ImageError: the size is out of range, or too small for any picture to be read.
    """
    if not SMALLEST_SIDE <= size <= LARGEST_SIDE:
        raise ImageError(f"an image size of {size} is outside {SMALLEST_SIDE}..{LARGEST_SIDE}")
    paths = [specimen.path for specimen in specimens()]
    step = max(1, -(-len(paths) * size * size // _LARGEST_SET))
    shipped = (Image.fromarray(read_picture(path)) for path in paths[::step])
    pictures = [np.array(picture.resize((size, size), Image.Resampling.LANCZOS)) for picture in shipped]
    readable = [picture for picture in pictures if recogniser.recognise(picture).label is not None]
    if not readable:
        raise ImageError(f"at {size} pixels a side nothing can be read in the shipped pictures; take a larger size")
    return readable


def calls_of(recogniser: Recogniser, picture: Picture, polarity: str = "auto") -> Calls:
    """The whole decision, then its stages. The whole comes first, so that no stage has loaded the weights for it."""
    stages = recogniser.engine.stages(picture, POLARITIES[polarity])
    return [lambda: recogniser.recognise(picture, polarity), *(stages[name] for name in STAGES)]


def time_each(calls: Calls) -> list[int]:
    """Nanoseconds of each call, one after the other."""
    now, taken = time.perf_counter_ns, []
    for call in calls:
        start = now()
        call()
        taken.append(now() - start)
    return taken


def time_in_turn(pictures: Sequence[Calls], count: int, tell: Tell = lambda share: None) -> NDArray[np.int64]:
    """Nanoseconds (count, calls of a picture) of the calls of `count` pictures, which repeat."""
    times = np.empty((count, len(pictures[0])), np.int64)
    for index in range(count):
        times[index] = time_each(pictures[index % len(pictures)])
        tell((index + 1) / count)
    return times


def figures(nanoseconds: NDArray[np.int64], names: Iterable[str] = PERCENTILES) -> dict[str, float]:
    """Percentiles in microseconds.

    >>> figures(np.array([1000, 3000, 2000]))
    {'p50_us': 2.0, 'p99_us': 2.98, 'p99_9_us': 3.0, 'max_us': 3.0}
    """
    return {name: round(float(np.percentile(nanoseconds, PERCENTILES[name])) / 1000, 2) for name in names}


@contextmanager
def no_collection() -> Iterator[None]:
    """Switch garbage collection off until the block ends; no decision needs it."""
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def one_core(root: Path = ROOT) -> Iterator[dict[str, Any]]:
    """Keep this process on one core until the block ends: the last one that the kernel isolates, or else the last one.

    Yields:
        `core`, None if the system does not allow it, and whether it is `isolated` from all other work.
    """
    allowed = os.sched_getaffinity(0)
    isolated = _numbers(read(root / "sys/devices/system/cpu/isolated") or "") & set(range(os.cpu_count() or 1))
    chosen = max(isolated or allowed)
    try:
        os.sched_setaffinity(0, {chosen})
    except OSError:
        yield {"core": None, "isolated": False}
        return
    try:
        yield {"core": chosen, "isolated": chosen in isolated}
    finally:
        os.sched_setaffinity(0, allowed)


def _numbers(text: str) -> set[int]:
    """Numbers of a list that the kernel writes as `2-3,6`.

    >>> sorted(_numbers("2-3,6"))
    [2, 3, 6]
    """
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        found.update(range(int(first), int(last or first) + 1))
    return found
