"""Estimates what a comparison would take: kept and missing cells, and the time that similar cells took."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from train_host.compare.bench import Bench
from train_host.compare.table import table_cells
from train_host.recipe import Recipe


def plan_table(bench: Bench, methods: list[str], recipe: Recipe) -> list[dict[str, Any]]:
    """One row per method: count of cells, count of missing cells, and the seconds that the missing ones should take.

    The estimate for a cell is the median of the method's kept cells, on any data. Seconds are None where the method has
    no kept cells.
    """
    kept = _seconds_of_kept(bench.folder / "cells")
    cells = table_cells(bench, methods, recipe)
    each = len(cells) // len(methods)
    rows = []
    for number, method in enumerate(methods):
        own = cells[number * each : (number + 1) * each]
        missing = sum(not (bench.folder / "cells" / f"{cell.digest}.json").is_file() for cell in own)
        seconds = missing * float(np.median(kept[method])) if method in kept else None
        rows.append({"method": method, "cells": each, "missing": missing, "seconds": seconds if missing else 0.0})
    return rows


def _seconds_of_kept(folder: Path) -> dict[str, list[float]]:
    """Seconds of training and deciding of all kept cells, by method."""
    taken: dict[str, list[float]] = {}
    for path in sorted(folder.glob("[!.]*.json")):
        try:
            cell = json.loads(path.read_bytes())
            seconds = cell["result"]["train_seconds"] + cell["result"]["decide_seconds"]
            taken.setdefault(cell["key"]["method"], []).append(seconds)
        except (OSError, ValueError, KeyError, TypeError):
            continue  # damaged, or another kind of cell
    return taken
