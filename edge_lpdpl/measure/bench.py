"""The time of a decision on this machine, as a whole and by stages, against the budget of one millisecond."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.text import Progress, table
from edge_lpdpl.measure.machine import machine, peak_memory
from edge_lpdpl.measure.timing import Picture, bench_pictures, calls_of, figures, no_collection, time_in_turn
from edge_lpdpl.numeral.engine import STAGES
from edge_lpdpl.numeral.recogniser import Recogniser

BUDGET_US = 1000

WARM_ROUNDS, FEWEST_ROUNDS, MOST_ROUNDS = 3, 3, 10_000

_SHOWN = ("p50_us", "p99_us", "max_us")


def run_bench(
    recogniser: Recogniser, path: Path, *, image_size: int = 64, rounds: int | None = None, seconds: float = 2.0
) -> dict[str, Any]:
    """Time a model on the shipped pictures, each scaled to `image_size` pixels a side.

    One round recognises every picture once as a whole and then once by stages, and times each stage alone. Nothing is
    subtracted: every figure includes the call itself and reading the clock, so the stages add up to more than the
    total. Garbage collection is off.

    The budget is met if the slowest picture meets it, in the median of its rounds. This is a property of the program
    on this processor. The 99th percentile of all calls also depends on what else runs at the same time.

    Args:
        recogniser: has `path` loaded.
        path: the model file, whose size is reported.
        rounds: default: as many as fit into `seconds`.

    Returns:
        what `edge-lpdpl bench --json` prints; times in microseconds.

    Raises:
        ImageError: the size is out of range, or too small for any picture to be read.
    """
    pictures = bench_pictures(recogniser, image_size)
    times = _time_rounds(recogniser, pictures, rounds, seconds)
    slowest_us = round(float(np.median(times[:, :, 0], axis=0).max()) / 1000, 2)
    total, *stages = (figures(times[:, :, column], _SHOWN) for column in range(len(STAGES) + 1))
    return {
        "stages": dict(zip(STAGES, stages, strict=True)),
        "total": total,
        "budget_us": BUDGET_US,
        "within_budget": slowest_us <= BUDGET_US,
        "model_bytes": path.stat().st_size,
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


def bytes_touched(recogniser: Recogniser, pictures: Sequence[Picture]) -> int:
    """Bytes of weights that one decision reads, the mean over the pictures.

    A row of the projection counts if its feature is not zero, and a row of the vectors if its input is not zero,
    because the classifier skips the others. Of the weights that detect non-numerals, those of one class count. All
    other weights always count.
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
    """Median microseconds of the whole decision on one picture, as `total`, and of every stage that runs.

    If the picture is empty, the only stage is `binarise`. The buffers are left as one call of `Recogniser.recognise`
    leaves them, so that a caller can look at the steps.
    """
    nothing = recogniser.recognise(picture, polarity).label is None
    names = ("total", *STAGES[: 1 if nothing else None])
    times = time_in_turn([calls_of(recogniser, picture, polarity)[: len(names)]], calls)
    return dict(zip(names, map(float, np.median(times, axis=0) / 1000), strict=True))


def report(result: dict[str, Any]) -> str:
    """The result for people."""
    rows = [["stage", "p50 us", "p99 us", "max us"]]
    for name, values in [*result["stages"].items(), ("total", result["total"])]:
        rows.append([name, *(f"{values[key]:.1f}" for key in _SHOWN)])
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
    """One line: whether the budget is met, by how much, and whether other work disturbed the measurement."""
    slowest, p99, budget = result["slowest_picture_us"], result["total"]["p99_us"], result["budget_us"]
    met = "met" if result["within_budget"] else "missed"
    share = f"{slowest / budget:.0%} of it"
    text = f"budget  {budget} us: {met}, the slowest picture takes {slowest:.0f} us in the median ({share})"
    if result["within_budget"] and p99 > budget:
        return f"{text}; one decision in 100 waited for other work, {p99:,.0f} us or more"
    return f"{text}; 99 of 100 decisions at most {p99:,.0f} us"


def _time_rounds(
    recogniser: Recogniser, pictures: Sequence[Picture], rounds: int | None, seconds: float
) -> NDArray[np.int64]:
    """Nanoseconds (rounds, pictures, total and stages); the first rounds warm up and do not count."""
    calls = [calls_of(recogniser, picture) for picture in pictures]
    for _ in range(WARM_ROUNDS):
        spent = time_in_turn(calls, len(calls)).sum() / 1e9
    rounds = rounds or int(np.clip(seconds / spent, FEWEST_ROUNDS, MOST_ROUNDS))
    with no_collection(), Progress("timing") as progress:
        return time_in_turn(calls, rounds * len(calls), progress).reshape(rounds, len(calls), -1)
