"""All measurements of one device, in order, as one file of JSON; `docs/devices` shows such files as a table."""

import datetime
import json
import os
import time
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from edge_lpdpl import __version__
from edge_lpdpl.errors import CameraError, ConfigError
from edge_lpdpl.files.atomic import write_result
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.files.text import Progress, printable, table
from edge_lpdpl.library.shipped import specimens
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.frames.pictures import fit_picture
from edge_lpdpl.live.frames.sources import CAMERA, open_frames
from edge_lpdpl.measure import timing
from edge_lpdpl.measure.bench import BUDGET_US
from edge_lpdpl.measure.machine import ROOT, board, board_state, machine, peak_memory, temperature, throttling
from edge_lpdpl.measure.starts import measure_starts
from edge_lpdpl.measure.timing import Picture, Tell, bench_pictures, calls_of, figures
from edge_lpdpl.number.pictures.confirming import ConfirmingReader
from edge_lpdpl.numeral.engine import STAGES
from edge_lpdpl.numeral.recogniser import Recogniser

SCHEMA = 1
KIND = "edge-lpdpl device report"


class Effort(NamedTuple):
    """How much is measured."""

    pictures: int
    frames: int
    starts: int
    thorough: bool
    """Also starts that compile, and starts from a cold disk."""
    seconds: float
    """Of decisions without a pause, which heat the board."""
    window: float
    """Seconds between two readings of the temperature."""


FULL = Effort(pictures=20_000, frames=2_000, starts=5, thorough=True, seconds=600, window=10)
CHECK = Effort(pictures=70, frames=3, starts=1, thorough=False, seconds=0.4, window=0.1)
"""Shows that everything works; its figures are not worth keeping."""


def is_raspberry_pi() -> bool:
    """Whether the figures of this machine belong into the table."""
    return (board() or "").startswith("Raspberry Pi")


def measure_device(model: Path, backend: str = "auto", effort: Effort | None = None) -> dict[str, Any]:
    """Measure everything: a quarter of an hour on a Raspberry Pi; elsewhere seconds, as a check of the measurements.

    Args:
        effort: default `FULL` on a Raspberry Pi and `CHECK` elsewhere.

    Returns:
        what `edge-lpdpl bench --device-report` writes.

    Raises:
        ModelError, BackendError: the model cannot be run here.
    """
    effort = effort or (FULL if is_raspberry_pi() else CHECK)
    recogniser = Recogniser.load(model, backend)
    recogniser.self_test()
    report: dict[str, Any] = {
        "kind": KIND,
        "schema": SCHEMA,
        "version": __version__,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "complete": effort == FULL,
        "effort": effort._asdict(),
        "machine": machine(),
        "model": recogniser.model.name,
        "backend": recogniser.backend,
        "before": board_state(),
    }
    with Progress("starts") as tell:
        tell(0)
        backends = dict.fromkeys((recogniser.backend, "numpy"))
        report["starts"] = {name: measure_starts(model, name, effort.starts, effort.thorough) for name in backends}
    with timing.one_core() as core, timing.no_collection():
        report["core"] = core
        with Progress("pictures") as tell:
            report["pictures"] = time_pictures(recogniser, effort.pictures, 64, tell)
        with Progress("frames") as tell:
            report["frames"] = time_frames(recogniser, effort.frames, tell)
        with Progress("heat") as tell:
            report["heat"] = time_minutes(recogniser, effort.seconds, effort.window, tell)
    p99 = report["pictures"]["total"]["p99_us"]
    return report | {
        "after": board_state(),
        "memory": {"peak_bytes": peak_memory()},
        "budget": {"us": BUDGET_US, "p99_us": p99, "within": p99 <= BUDGET_US},
    }


def time_pictures(recogniser: Recogniser, count: int, size: int, tell: Tell) -> dict[str, Any]:
    """Read `count` shipped pictures, each as a whole and then stage by stage; microseconds."""
    calls = [calls_of(recogniser, picture) for picture in bench_pictures(recogniser, size)]
    total, *stages = (figures(column) for column in timing.time_in_turn(calls, count, tell).T)
    return {"pictures": count, "size": size, "stages": dict(zip(STAGES, stages, strict=True)), "total": total}


def time_frames(recogniser: Recogniser, count: int, tell: Tell) -> dict[str, Any]:
    """Read `count` frames of the camera, or of a drawn sheet if there is no camera.

    Returns:
        `source`, which gives the reason if it is not the camera; `locate`, `recognise`, and `page` for both together;
        and for a camera `exposure_to_decision`, from the beginning of the exposure, so that it includes the exposure.
    """
    config = load_config((), {"frames": {"source": CAMERA}})
    try:
        camera, name = open_frames(config, lambda complaint: None), CAMERA
    except (ConfigError, CameraError) as error:
        camera, name = None, f"drawn, as there is no camera: {error}"
    height, width = (camera.height, camera.width) if camera else (config.frames.height, config.frames.width)
    reader, drawn = ConfirmingReader(recogniser, height, width), drawn_frame(recogniser, height, width)
    times, numerals = list[list[float]](), 0
    with closing(camera) if camera else nullcontext():
        while len(times) < count:
            frame = camera.take() if camera else None
            if camera and frame is None:
                continue
            reading = reader.read(frame.grey if frame else drawn)
            since_exposure_us = [frame.age_ms() * 1000] if frame else []
            parts_us = [reading.locate_us, reading.recognise_us]
            times.append([*parts_us, sum(parts_us), *since_exposure_us])
            numerals += len(reading.numerals)
            tell(len(times) / count)
    columns = (np.array(times) * 1000).astype(np.int64).T
    found = dict(zip(("locate", "recognise", "page", "exposure_to_decision"), map(figures, columns), strict=False))
    return {"source": name, "frames": count, "size": [width, height], "numerals": numerals / count, **found}


def time_minutes(recogniser: Recogniser, seconds: float, window: float, tell: Tell) -> dict[str, Any]:
    """Decide without a pause; note times, temperature and throttling once in `window` seconds.

    Returns:
        `windows`, and `slowdown`: the median of the last third divided by that of the first third.
    """
    calls = [calls_of(recogniser, picture)[:1] for picture in bench_pictures(recogniser, 64)]
    start, number = time.monotonic(), 0
    windows: list[dict[str, Any]] = []
    while (elapsed := time.monotonic() - start) < seconds:
        taken: list[int] = []
        while time.monotonic() - start < min(elapsed + window, seconds) or not taken:
            taken += timing.time_each(calls[number % len(calls)])
            number += 1
        now = {"second": round(time.monotonic() - start, 1), "celsius": temperature(ROOT), "throttled": throttling()}
        windows.append({**now, "decisions": len(taken), **figures(np.array(taken))})
        tell(min(1.0, (time.monotonic() - start) / seconds))
    medians = [one["p50_us"] for one in windows]
    third = max(1, len(medians) // 3)
    slowdown = float(np.median(medians[-third:]) / np.median(medians[:third]))
    return {"seconds": round(time.monotonic() - start, 1), "slowdown": round(slowdown, 3), "windows": windows}


def drawn_frame(recogniser: Recogniser, height: int, width: int) -> Picture:
    """A sheet of paper with one numeral of the model: the shipped picture with the most ink, on its own paper."""
    shown = [specimen.path for specimen in specimens(recogniser.model.labels) if specimen.look == "paper"]
    pictures = [read_picture(path) for path in shown or [specimen.path for specimen in specimens()]]
    return fit_picture(max(pictures, key=np.std), height, width)


def write_report(report: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write it whole or not at all.

    Raises:
        EdgeError: it cannot be written.
    """
    write_result(path, (json.dumps(report, indent=2, ensure_ascii=False) + "\n").encode())


def summary(report: dict[str, Any], path: str | os.PathLike[str]) -> str:
    """The report for people."""
    pictures, frames, heat = (report[name] for name in ("pictures", "frames", "heat"))
    starts = report["starts"][report["backend"]]
    compiling = f", {starts['compile']['total_s']:.1f} s where kernels are compiled first" if starts["compile"] else ""
    rows = [["", "p50 us", "p99 us", "p99.9 us", "max us"]]
    timed = {**pictures["stages"], "decision": pictures["total"], "frame": frames["page"]}
    rows += [[name, *(f"{value:.1f}" for value in values.values())] for name, values in timed.items()]
    budget, place = report["budget"], report["machine"]
    verdict = "met" if budget["within"] else "missed"
    lines = [
        f"{place['board'] or place['cpu']}, {report['model']} with {report['backend']}",
        "",
        table(rows, "<>>>>"),
        "",
        f"budget  {budget['us']} us: {verdict}, 99 of 100 decisions take at most {budget['p99_us']:.0f} us",
        f"start   {starts['warm']['total_s']:.2f} s to the first decision{compiling}",
        f"heat    after {heat['seconds']:.0f} s a decision takes {heat['slowdown']:.2f} times as long as at first",
        f"frames  {frames['source']}",
        f"written to {printable(os.fsdecode(path))}",
    ]
    if not report["complete"]:
        lines.insert(1, "This is not a Raspberry Pi: the figures only show that everything can be measured.")
    return "\n".join(lines)
