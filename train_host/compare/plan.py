"""Estimates what a comparison would take: missing cells, and the time that the kept cells of the same table took."""

from typing import Any

import numpy as np

from train_host.compare.bench import Bench
from train_host.compare.table import table_cells
from train_host.recipe import Recipe


def plan_table(bench: Bench, methods: list[str], recipe: Recipe) -> list[dict[str, Any]]:
    """One row per method: count of cells, count of missing cells, and the seconds that the missing ones should take.

    The estimate for a cell is the median of the method's kept cells of this table. Seconds are None where none is kept.
    """
    cells = table_cells(bench, methods, recipe)
    each = len(cells) // len(methods)
    rows = []
    for number, method in enumerate(methods):
        own = cells[number * each : (number + 1) * each]
        kept = [bench.cells.result(cell) for cell in own if bench.cells.has(cell)]
        missing = each - len(kept)
        taken = [result["train_seconds"] + result["decide_seconds"] for result in kept]
        seconds = missing * float(np.median(taken)) if taken else None
        rows.append({"method": method, "cells": each, "missing": missing, "seconds": seconds})
    return rows
