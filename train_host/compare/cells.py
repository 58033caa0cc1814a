"""A comparison is many independent cells. Each result is kept by a digest of its inputs, so a killed run can go on."""

import contextlib
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from edge_lpdpl.errors import TrainingError
from edge_lpdpl.files.atomic import write_atomically

Result = dict[str, Any]
"""The result of a cell, ready for JSON."""


class Cell(NamedTuple):
    """One piece of work and everything that its result depends on."""

    key: Mapping[str, Any]
    """Inputs, or digests of them, ready for JSON."""
    work: Callable[..., Result]
    arguments: tuple[Any, ...]

    @property
    def digest(self) -> str:
        """Name of the file with the result: a digest of `key`, 32 hexadecimal digits.

        >>> Cell({"a": 1, "b": 2}, dict, ()).digest == Cell({"b": 2, "a": 1}, dict, ()).digest
        True
        """
        text = json.dumps(self.key, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def run_cells(
    cells: Sequence[Cell], folder: Path, *, jobs: int = 1, title: str = "cells", progress: bool = False
) -> list[Result]:
    """Results of the cells, in their order.

    Kept results are read. The other cells are run, and each result is kept as soon as it is there. The caller chooses
    where jobs run, with `joblib.parallel_config`. A cell whose kept result cannot be read is run again.

    Args:
        folder: where results are kept; it is created if needed.
        jobs: cells that run at the same time.
        title: name of the progress bar.

    Raises:
        TrainingError: the folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TrainingError(f"{folder}: cannot be made ({error.strerror}); name another --folder") from error
    results = {index: kept for index, cell in enumerate(cells) if (kept := _read(_path(folder, cell))) is not None}
    missing = [index for index in range(len(cells)) if index not in results]
    with tqdm(total=len(cells), initial=len(results), desc=title, disable=None if progress else True) as bar:
        for index, result in _work_off(cells, missing, jobs):
            path = _path(folder, cells[index])
            write_atomically(path, json.dumps({"key": dict(cells[index].key), "result": result}).encode())
            results[index] = result
            bar.update()
    return [results[index] for index in range(len(cells))]


def _work_off(cells: Sequence[Cell], missing: list[int], jobs: int) -> Iterator[tuple[int, Result]]:
    if not missing:
        return
    with Parallel(n_jobs=jobs, return_as="generator_unordered", max_nbytes="1M", pre_dispatch="2*n_jobs") as parallel:
        yield from parallel(delayed(_one)(index, cells[index].work, cells[index].arguments) for index in missing)


def _one(index: int, work: Callable[..., Result], arguments: tuple[Any, ...]) -> tuple[int, Result]:
    # Work inside a cell stays in the process of the cell: a worker of a cluster must not wait for the cluster.
    with parallel_config(backend="threading", n_jobs=1):
        return index, work(*arguments)


def _path(folder: Path, cell: Cell) -> Path:
    return folder / f"{cell.digest}.json"


def _read(path: Path) -> Result | None:
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        result = json.loads(path.read_bytes())["result"]
        return result if isinstance(result, dict) else None
    return None


def source_digest(*modules: str) -> str:
    """Digest of the source of modules and of all `train_host` modules that they import at top level, recursively.

    >>> source_digest("train_host.method.lpdpl") != source_digest("train_host.method.refine")
    True
    """
    sources: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in sources:
            continue
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise TrainingError(f"module {name} has no source")
        sources[name] = Path(spec.origin).read_text()
        waiting += re.findall(r"^from (train_host[\w.]*) import", sources[name], re.MULTILINE)
    return hashlib.sha256(json.dumps(sorted(sources.items())).encode()).hexdigest()
