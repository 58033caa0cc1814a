"""All measurements of one device, in order, as one file of JSON; `docs/devices` shows such files as a table."""

import datetime
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from edge_lpdpl import __version__
from edge_lpdpl.files.atomic import write_result
from edge_lpdpl.files.text import Progress, printable, table
from edge_lpdpl.measure.bench import BUDGET_US, no_collection, time_frames, time_minutes, time_pictures
from edge_lpdpl.measure.machine import board, board_state, machine, one_core, peak_memory
from edge_lpdpl.measure.starts import measure_starts
from edge_lpdpl.numeral.recogniser import Recogniser

SCHEMA = 1
KIND = "edge-lpdpl device report"


class Effort(NamedTuple):
    """How much is measured."""

    pictures: int
    frames: int
    starts: int
    thorough: bool
    """Also starts that compile, and from a cold disk."""
    seconds: float
    """Without a pause, for the heat."""
    window: float
    """Seconds between two looks at the temperature."""


FULL = Effort(pictures=20_000, frames=2_000, starts=5, thorough=True, seconds=600, window=10)
CHECK = Effort(pictures=70, frames=3, starts=1, thorough=False, seconds=0.4, window=0.1)
"""Shows that everything works, and measures nothing worth keeping."""


def is_raspberry_pi() -> bool:
    """Whether this machine is one whose figures belong into the table."""
    return (board() or "").startswith("Raspberry Pi")


def measure_device(model: Path, backend: str = "auto", effort: Effort | None = None) -> dict[str, Any]:
    """Measure everything; on a Raspberry Pi a quarter of an hour, elsewhere seconds, as a check of the measuring.

    Args:
        effort: `FULL` on a Raspberry Pi and `CHECK` elsewhere when left out.

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
    with _progress("starts"):
        report["starts"] = {
            name: measure_starts(model, name, effort.starts, effort.thorough)
            for name in dict.fromkeys((recogniser.backend, "numpy"))
        }
    with one_core() as core, no_collection():
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
        lines.insert(1, "A check that everything can be measured, and no measurement: this is no Raspberry Pi.")
    return "\n".join(lines)


@contextmanager
def _progress(name: str) -> Iterator[None]:
    if sys.stderr.isatty():
        print(f"{name} ...", file=sys.stderr, flush=True)
    yield
