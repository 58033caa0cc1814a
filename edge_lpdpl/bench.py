"""How long a decision takes here: every stage, and the whole call, against the budget of one millisecond."""

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.engine import STAGES
from edge_lpdpl.errors import ImageError
from edge_lpdpl.grey import LARGEST_SIDE, SMALLEST_SIDE
from edge_lpdpl.machine import machine, peak_memory
from edge_lpdpl.pictures import read_picture
from edge_lpdpl.recognise import POLARITIES, Recogniser
from edge_lpdpl.specimens import specimens
from edge_lpdpl.terminal import Progress, table

BUDGET_US = 1000
DEFAULT_SECONDS = 2.0
WARM_ROUNDS, FEWEST_ROUNDS, MOST_ROUNDS = 3, 3, 10_000
_LARGEST_SET = 64 << 20  # bytes of all pictures together

Picture = NDArray[np.uint8]


def run_bench(
    recogniser: Recogniser,
    path: str | os.PathLike[str],
    *,
    image_size: int = 64,
    rounds: int | None = None,
    seconds: float = DEFAULT_SECONDS,
) -> dict[str, Any]:
    """Time a model on the shipped pictures, each scaled to `image_size` pixels a side.

    One round recognises every picture once as a whole and then once by stages, each of them timed alone. Nothing is
    subtracted: every figure holds the price of the call itself and of reading the clock, so the stages add up to more
    than the total. The garbage collector is off meanwhile.

    The budget is met where the slowest picture meets it, in the median of its rounds. That is a property of the program
    on this processor; the 99th percentile of all calls, beside it, is also one of whatever else runs meanwhile.

    Args:
        recogniser: has `path` loaded.
        path: the model file, whose size is reported.
        rounds: as many as fit into `seconds` when left out.

    Returns:
        what `edge-lpdpl bench --json` prints; times in microseconds.

    Raises:
        ImageError: the size is out of range, or too small for anything to be read.
    """
    pictures = bench_pictures(recogniser, image_size)
    times = _time_rounds(recogniser, pictures, rounds, seconds)
    slowest_us = round(float(np.median(times[:, :, 0], axis=0).max()) / 1000, 2)
    total, *stages = (_figures(times[:, :, column].ravel()) for column in range(len(STAGES) + 1))
    return {
        "stages": dict(zip(STAGES, stages, strict=True)),
        "total": total,
        "budget_us": BUDGET_US,
        "within_budget": slowest_us <= BUDGET_US,
        "model_bytes": os.stat(path).st_size,
        "bytes_touched": bytes_touched(recogniser, pictures),
        "machine": machine(),
        "slowest_picture_us": slowest_us,
        "memory": {"peak_bytes": peak_memory()},
        "backend": recogniser.backend,
        "model": recogniser.model.name,
        "image_size": image_size,
        "images": len(pictures),
        "rounds": len(times),
    }


def bench_pictures(recogniser: Recogniser, size: int) -> list[Picture]:
    """The shipped pictures, `size` pixels a side, in which there is something to read; fewer where they are large.

    Raises:
        ImageError: the size is out of range, or too small for anything to be read.
    """
    if not SMALLEST_SIDE <= size <= LARGEST_SIDE:
        raise ImageError(f"an image size of {size} is outside {SMALLEST_SIDE}..{LARGEST_SIDE}")
    paths = [specimen.path for specimen in specimens()]
    step = max(1, -(-len(paths) * size * size // _LARGEST_SET))
    pictures = [_scaled(read_picture(path), size) for path in paths[::step]]
    readable = [picture for picture in pictures if recogniser.recognise(picture).label is not None]
    if not readable:
        raise ImageError(f"at {size} pixels a side nothing can be read in the shipped pictures; take a larger size")
    return readable


def bytes_touched(recogniser: Recogniser, pictures: Sequence[Picture]) -> int:
    """Bytes of weights that one decision goes through, the mean over the pictures.

    A row of the projection counts where its feature is not zero, a row of the vectors where its input is not, because
    the classifier passes over the others; of the check for what is no numeral, one class does; the rest always counts.
    """
    weights = recogniser.engine.weights
    projection, vectors = (rows.nbytes // max(1, len(rows)) for rows in (weights.projection, weights.vectors))
    novelty = weights.novelty_means, weights.novelty_weights, weights.novelty_factors
    of_a_class = sum(array[:1].nbytes for array in novelty)
    touched = len(pictures) * (weights.offset.nbytes + weights.squares.nbytes + weights.linears.nbytes + of_a_class)
    for picture in pictures:
        recogniser.recognise(picture)
        touched += vectors * int(np.count_nonzero(recogniser.engine.responses.inputs))
        touched += projection * int(np.count_nonzero(recogniser.engine.buffers.features))
    return round(touched / len(pictures))


def stage_times(recogniser: Recogniser, picture: Picture, polarity: str = "auto", calls: int = 30) -> dict[str, float]:
    """Median microseconds of the whole call on one picture, as `total`, and of every stage that it goes through.

    Where there is nothing to read that is `binarise` alone. The buffers are left as one call of `Recogniser.recognise`
    leaves them, for whoever wants to look at the steps.
    """
    nothing = recogniser.recognise(picture, polarity).label is None
    names = ("total", *STAGES[: 1 if nothing else None])
    steps = calls_of(recogniser, picture, polarity)[: len(names)]
    times = np.array([time_each(steps) for _ in range(calls)])
    return dict(zip(names, map(float, np.median(times, axis=0) / 1000), strict=True))


def report(result: dict[str, Any]) -> str:
    """The result for people."""
    rows = [["stage", "p50 us", "p99 us", "max us"]]
    for name, figures in [*result["stages"].items(), ("total", result["total"])]:
        rows.append([name, *(f"{figures[key]:.1f}" for key in ("p50_us", "p99_us", "max_us"))])
    size, place = result["image_size"], result["machine"]
    runs = f"{result['rounds']} rounds of {result['images']} pictures of {size}x{size}"
    peak = result["memory"]["peak_bytes"]
    return "\n".join(
        [
            f"{result['model']} with {result['backend']}, {runs}",
            "",
            table(rows, "<>>>"),
            "",
            verdict(result),
            f"model   {result['model_bytes']:,} bytes; a decision goes through {result['bytes_touched']:,} of weights",
            f"memory  {'unknown' if peak is None else f'{peak / 1e6:.0f} MB'} at most",
            f"on      {place['board'] or place['cpu']}, {place['arch']}, governor {place['governor'] or 'none'}, "
            f"Python {place['python']}, numba {place['numba'] or 'none'}",
        ]
    )


def verdict(result: dict[str, Any]) -> str:
    """One line: is the budget met, by how much, and did other work get in the way?"""
    slowest, p99, budget = result["slowest_picture_us"], result["total"]["p99_us"], result["budget_us"]
    met = "met" if result["within_budget"] else "missed"
    text = f"budget  {budget} us: {met}, the slowest picture takes {slowest:.0f} us ({slowest / budget:.0%} of it)"
    if result["within_budget"] and p99 > budget:
        return f"{text}; one decision in 100 waited for other work, {p99:,.0f} us or more"
    return f"{text}; 99 of 100 decisions at most {p99:,.0f} us"


def _scaled(picture: Picture, size: int) -> Picture:
    return np.array(Image.fromarray(picture).resize((size, size), Image.Resampling.LANCZOS))


def _time_rounds(
    recogniser: Recogniser, pictures: Sequence[Picture], rounds: int | None, seconds: float
) -> NDArray[np.int64]:
    """Nanoseconds (rounds, pictures, total and stages); the first rounds warm up and are not among them."""
    steps = [calls_of(recogniser, picture) for picture in pictures]
    for _ in range(WARM_ROUNDS):
        spent = sum(sum(time_each(calls)) for calls in steps) / 1e9
    rounds = rounds or int(np.clip(seconds / spent, FEWEST_ROUNDS, MOST_ROUNDS))
    times = np.empty((rounds, len(pictures), len(STAGES) + 1), np.int64)
    with no_collection(), Progress("timing") as progress:
        for done in range(rounds):
            for index, calls in enumerate(steps):
                times[done, index] = time_each(calls)
            progress((done + 1) / rounds)
    return times


def calls_of(recogniser: Recogniser, picture: Picture, polarity: str = "auto") -> list[Callable[[], object]]:
    """The whole call, then the stages: in this order, so that no stage has fetched the weights for the whole."""
    stages = recogniser.engine.stages(picture, POLARITIES[polarity])
    return [lambda: recogniser.recognise(picture, polarity), *(stages[name] for name in STAGES)]


def time_each(calls: Sequence[Callable[[], object]]) -> list[int]:
    """Nanoseconds of each call, one after the other."""
    now, taken = time.perf_counter_ns, []
    for call in calls:
        start = now()
        call()
        taken.append(now() - start)
    return taken


@contextmanager
def no_collection() -> Iterator[None]:
    """Without garbage collection meanwhile, which no decision needs."""
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _figures(nanoseconds: NDArray[np.int64]) -> dict[str, float]:
    p50, p99, most = np.percentile(nanoseconds, (50, 99, 100)) / 1000
    return {"p50_us": round(float(p50), 2), "p99_us": round(float(p99), 2), "max_us": round(float(most), 2)}
