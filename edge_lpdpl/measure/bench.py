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

from edge_lpdpl.errors import CameraError, ConfigError, ImageError
from edge_lpdpl.files.grey import LARGEST_SIDE, POLARITIES, SMALLEST_SIDE
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.files.text import Progress, table
from edge_lpdpl.library.shipped import specimens
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.frames.frame import EndOfFrames, FrameSource
from edge_lpdpl.live.frames.sources import CAMERA, open_frames
from edge_lpdpl.measure.machine import ROOT, machine, peak_memory, temperature, throttling
from edge_lpdpl.numeral.engine import STAGES
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.page.reader import PageReader

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


PERCENTILES = {"p50_us": 50, "p99_us": 99, "p99_9_us": 99.9, "max_us": 100}

Tell = Callable[[float], None]
"""Is told what share is done."""


def time_pictures(recogniser: Recogniser, count: int, size: int, tell: Tell) -> dict[str, Any]:
    """Read `count` shipped pictures, each as a whole and then stage by stage; microseconds."""
    pictures = bench_pictures(recogniser, size)
    calls = [calls_of(recogniser, picture) for picture in pictures]
    times = np.empty((count, len(STAGES) + 1), np.int64)
    for index in range(count):
        times[index] = time_each(calls[index % len(calls)])
        tell((index + 1) / count)
    total, *stages = (figures(column) for column in times.T)
    return {"pictures": count, "size": size, "stages": dict(zip(STAGES, stages, strict=True)), "total": total}


def time_frames(recogniser: Recogniser, count: int, tell: Tell) -> dict[str, Any]:
    """Read `count` frames of the camera, or of a drawn sheet where there is none.

    Returns:
        `source`, which says why when it is not the camera; `locate`, `recognise` and `page`, which is both; and
        `exposure_to_decision` of a camera, from the beginning of the exposure on, which holds the exposure itself.
    """
    config = load_config((), {"frames": {"source": CAMERA}})
    try:
        source, name = open_frames(config, lambda complaint: None), CAMERA
    except (ConfigError, CameraError) as error:
        source, name = None, f"drawn, as there is no camera: {error}"
    height, width = (source.height, source.width) if source else (config.frames.height, config.frames.width)
    reader = PageReader(recogniser, height, width)
    try:
        times, seen = _read_frames(reader, source, drawn_frame(recogniser, height, width), count, tell)
    finally:
        if source:
            source.close()
    names = ("locate", "recognise", "page", "exposure_to_decision")[: 4 if source else 3]
    found = {name: figures(column) for name, column in zip(names, times.T, strict=False)}
    return {"source": name, "frames": len(times), "size": [width, height], "numerals": seen, **found}


def time_minutes(recogniser: Recogniser, seconds: float, window: float, tell: Tell) -> dict[str, Any]:
    """Decide without a pause, and note times, temperature and throttling once in a `window` of seconds.

    Returns:
        `windows`, and `slowdown`: the median of the last third over that of the first.
    """
    calls = [calls_of(recogniser, picture)[:1] for picture in bench_pictures(recogniser, 64)]
    start, number = time.monotonic(), 0
    windows: list[dict[str, Any]] = []
    while (elapsed := time.monotonic() - start) < seconds:
        taken: list[int] = []
        while time.monotonic() - start < min(elapsed + window, seconds) or not taken:
            taken += time_each(calls[number % len(calls)])
            number += 1
        now = {"second": round(time.monotonic() - start, 1), "celsius": temperature(ROOT), "throttled": throttling()}
        windows.append({**now, "decisions": len(taken), **figures(np.array(taken))})
        tell(min(1.0, (time.monotonic() - start) / seconds))
    medians = [one["p50_us"] for one in windows]
    third = max(1, len(medians) // 3)
    slowdown = float(np.median(medians[-third:]) / np.median(medians[:third]))
    return {"seconds": round(time.monotonic() - start, 1), "slowdown": round(slowdown, 3), "windows": windows}


def figures(nanoseconds: NDArray[np.int64]) -> dict[str, float]:
    """Percentiles in microseconds.

    >>> figures(np.array([1000, 3000, 2000]))
    {'p50_us': 2.0, 'p99_us': 2.98, 'p99_9_us': 3.0, 'max_us': 3.0}
    """
    values = np.percentile(nanoseconds, list(PERCENTILES.values())) / 1000
    return {name: round(float(value), 2) for name, value in zip(PERCENTILES, values, strict=True)}


def drawn_frame(recogniser: Recogniser, height: int, width: int) -> NDArray[np.uint8]:
    """A sheet of paper with one of the model's numerals: the shipped picture with the most ink, on its own paper."""
    shown = [specimen.path for specimen in specimens(recogniser.model.labels) if specimen.look == "paper"]
    pictures = [read_picture(path) for path in shown or [specimen.path for specimen in specimens()]]
    picture = max((one for one in pictures if one.shape[0] <= height and one.shape[1] <= width), key=np.std)
    frame = np.full((height, width), int(np.median(picture)), np.uint8)
    top, left = (height - picture.shape[0]) // 2, (width - picture.shape[1]) // 2
    frame[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return frame


def _read_frames(
    reader: PageReader, source: FrameSource | None, drawn: NDArray[np.uint8], count: int, tell: Tell
) -> tuple[NDArray[np.int64], float]:
    """Nanoseconds (frames, 4) of locate, recognise, page, exposure to decision; mean number of numerals."""
    times, numerals = np.zeros((count, 4), np.int64), 0
    for index in range(count):
        frame = None
        while source and frame is None:
            try:
                frame = source.take()
            except EndOfFrames:
                return times[:index], numerals / max(index, 1)
        page = reader.read(frame.grey if frame else drawn)
        if frame:
            times[index, 3] = time.monotonic_ns() - frame.exposed_ns
        times[index, :3] = np.array([page.locate_us, page.recognise_us, page.locate_us + page.recognise_us]) * 1000
        numerals += len(page.numerals)
        tell((index + 1) / count)
    return times, numerals / count
