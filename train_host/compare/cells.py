"""A comparison is many independent cells. Results are kept by joblib.Memory, so a killed run can go on."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import joblib
from joblib import Memory, Parallel, delayed, parallel_config

from edge_lpdpl.errors import TrainingError
from train_host.progress import bar

Result = dict[str, Any]
"""The result of a cell, ready for JSON."""
IN_THE_KEY = ("samples", "datasets", "synthetic", "recipe", "splits", "baselines.methods")
"""Modules whose effect on a result a key already has, as digest of the samples or as settings: a new layout of drawn
numerals or a further method changes no result."""


class Cell(NamedTuple):
    """One piece of work and everything that its result depends on."""

    key: Mapping[str, Any]
    """Inputs, or digests of them, ready for JSON."""
    work: Callable[[], Result]

    @property
    def name(self) -> str:
        """The key as text. Equal keys have equal names.

        >>> Cell({"b": 2, "a": 1}, dict).name
        '{"a": 1, "b": 2}'
        """
        return json.dumps(self.key, sort_keys=True)


def _result(name: str, work: Callable[[], Result]) -> Result:
    # joblib.Memory forgets all results when the source of this function changes, so it calls what may change.
    return work()


def make_folder(folder: Path) -> None:
    """Make a folder of a comparison, if it is not there.

    Raises:
        TrainingError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TrainingError(f"{folder}: cannot be made ({error.strerror}); name another --folder") from error


class Cells:
    """Results in a folder, which is created if needed; None keeps nothing.

    Raises:
        TrainingError: the folder cannot be created.
    """

    def __init__(self, folder: Path | None) -> None:
        if folder is not None:
            make_folder(folder)
        self._kept = Memory(folder, verbose=0).cache(_result, ignore=["work"])

    def has(self, cell: Cell) -> bool:
        return bool(self._kept.check_call_in_cache(cell.name, cell.work))

    def result(self, cell: Cell) -> Result:
        """The kept result; without one, or with one that cannot be read, the cell is run."""
        return self._kept(cell.name, cell.work)

    def run(self, cells: Sequence[Cell], title: str = "cells") -> list[Result]:
        """Results of the cells, in their order. Missing cells are run, and each result is kept as soon as it is there.

        The caller chooses how many run at a time and where, with `joblib.parallel_config`.

        Args:
            title: name of the progress bar.
        """
        results = {at: self.result(cell) for at, cell in enumerate(cells) if self.has(cell)}
        missing = [at for at in range(len(cells)) if at not in results]
        with (
            Parallel(return_as="generator_unordered", max_nbytes="1M", pre_dispatch="2*n_jobs") as parallel,
            bar(title, total=len(cells), initial=len(results)) as done,
        ):
            for at, result in parallel(delayed(_run)(at, cells[at].work) for at in missing):
                # Kept here and not by the worker, which may be on another machine.
                results[at] = self.result(cells[at]._replace(work=partial(dict, result)))
                done.update()
        return [results[at] for at in range(len(cells))]


def _run(at: int, work: Callable[[], Result]) -> tuple[int, Result]:
    # Work inside a cell stays in the process of the cell: a worker of a cluster must not wait for the cluster.
    with parallel_config(backend="threading", n_jobs=1):
        return at, work()


def source_digest(*modules: str) -> str:
    """Digest of the source of modules and of what they import from `train_host` at top level, recursively.

    What a key already has (`IN_THE_KEY`) is left out.

    >>> source_digest("train_host.method.lpdpl") != source_digest("train_host.method.refine")
    True
    """
    sources: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in sources or name.removeprefix("train_host.").startswith(IN_THE_KEY):
            continue
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise TrainingError(f"module {name} has no source")
        sources[name] = Path(spec.origin).read_text()
        waiting += re.findall(r"^from (train_host[\w.]*) import", sources[name], re.MULTILINE)
    return joblib.hash(sorted(sources.items()))
