"""Many pictures, many frames, and minutes without a pause: how long a decision takes, and how long it stays so."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.bench import bench_pictures, calls_of, time_each
from edge_lpdpl.config import load_config
from edge_lpdpl.device.board import throttling
from edge_lpdpl.engine import STAGES
from edge_lpdpl.errors import CameraError, ConfigError
from edge_lpdpl.live.frames.frame import EndOfFrames, FrameSource
from edge_lpdpl.live.frames.sources import CAMERA, open_frames
from edge_lpdpl.machine import ROOT, temperature
from edge_lpdpl.page import PageReader
from edge_lpdpl.pictures import read_picture
from edge_lpdpl.recognise import Recogniser
from edge_lpdpl.specimens import specimens

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
