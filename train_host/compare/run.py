"""Runs comparisons and writes their records: the work of `lpdpl-train compare`.

`experiments.toml` has the comparisons of docs/results.md by name.
"""

import hashlib
import json
import re
import shlex
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib

import edge_lpdpl
from edge_lpdpl.errors import EdgeError, TrainingError, how_to_install
from edge_lpdpl.files.atomic import write_atomically
from edge_lpdpl.measure.machine import machine, version
from train_host.baselines.methods import find_method
from train_host.compare import KINDS, studies
from train_host.compare.bench import Bench
from train_host.compare.cells import make_folder
from train_host.compare.latency import time_methods
from train_host.compare.table import compare_methods
from train_host.recipe import Recipe

_ALL_HAVE = {"kind", "key", "run", "written", "recipe", "seed", "command", "machine", "version"}
_COMPARED_HAVE = _ALL_HAVE | {"data", "digest", "protocol", "splits_digest", "labels"}
_HAVE = {"table": _COMPARED_HAVE | {"rows", "truth", "pictures", "objective"}, "stream": _ALL_HAVE | {"tests"}}
"""Keys that a record of a kind must have. Records of all other kinds must have `points`."""
EXPERIMENTS_FILE, ALL = Path(__file__).with_name("experiments.toml"), "all"
PACKAGES = ("scipy", "scikit-learn", "joblib", "torch", "torchvision")


def run_comparison(bench: Bench, methods: list[str], recipe: Recipe, kinds: list[str]) -> list[dict[str, Any]]:
    """Make a record of each kind. Each is written to `bench.folder`/records as soon as it is done.

    Raises:
        TrainingError: there is no such method or kind.
        DatasetError: the data set lacks something that the protocol needs.
    """
    for method in methods:
        find_method(method)
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise TrainingError(f"there is no {unknown[0]!r} to compare: use {', '.join(KINDS)}")
    return [_record(bench, methods, recipe, kind) for kind in kinds]


def _record(bench: Bench, methods: list[str], recipe: Recipe, kind: str) -> dict[str, Any]:
    start = time.perf_counter()
    if kind == "table":
        found = compare_methods(bench, methods, recipe)
    elif kind == "latency":
        found = time_methods(bench, methods, recipe)
    else:
        found = getattr(studies, kind)(bench, studies.curve_methods(methods), recipe)
    about = {
        "data": bench.dataset.name,
        "digest": bench.dataset.digest,
        "pictures_of": len(bench.dataset),
        "labels": [label.character for label in bench.dataset.labels],
        "protocol": bench.protocol.title,
        "splits_digest": bench.splits_digest(recipe.seed),
        "seconds": time.perf_counter() - start,
    }
    assert bench.folder is not None, "records need a folder"
    copies = "" if recipe.jitter is None else "-copies"
    name = f"{bench.dataset.name}-{bench.protocol.title}-{recipe.profile.name}{copies}-{kind}-{recipe.seed}"
    inputs = about["digest"], about["protocol"], about["splits_digest"]
    return keep_record(bench.folder, name, found | about, recipe, inputs, methods)


def keep_record(
    folder: Path, name: str, found: dict[str, Any], recipe: Recipe, inputs: Sequence[Any], methods: Sequence[str] = ()
) -> dict[str, Any]:
    """Write a result to `folder`/records, with what is needed to reproduce it. Returns the whole record.

    The file name has a digest of everything that the result depends on, and one of the methods. So only the same
    comparison overwrites it.

    Args:
        name: start of the file name.
        found: the result.
        inputs: what the result depends on besides recipe and methods; compared by `repr`.

    Raises:
        TrainingError: the folder cannot be created.
    """
    key = _short_digest(recipe, *inputs)
    run = f"{key}-{_short_digest(*methods)}"
    record = found | {
        "key": key,
        "run": run,
        "written": time.time(),
        "recipe": recipe.to_json(),
        "seed": recipe.seed,
        "command": shlex.join(["lpdpl-train", *sys.argv[1:]]),
        "machine": machine() | {package: version(package) for package in PACKAGES},
        "version": edge_lpdpl.__version__,
    }
    records = folder / "records"
    make_folder(records)
    path = records / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}-{run}.json"
    write_atomically(path, json.dumps(record, ensure_ascii=False).encode())
    return record


def _short_digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


def read_records(folder: Path) -> list[dict[str, Any]]:
    """All records of a folder, in the order of their file names.

    Raises:
        TrainingError: there are no records, or one cannot be read or is not in the form that this version writes.
    """
    try:
        paths = sorted(path for path in (folder / "records").iterdir() if path.suffix == ".json")
    except FileNotFoundError:
        paths = []
    except OSError as error:
        raise TrainingError(f"{error.filename}: cannot be read ({error.strerror}); name another --folder") from error
    if not paths:
        raise TrainingError(f"{folder}: nothing was compared here yet; run lpdpl-train compare first")
    records = []
    for path in paths:
        try:
            record = json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            raise TrainingError(f"{path}: cannot be read ({error}); remove it and compare again") from error
        if not _is_record(record):
            raise TrainingError(f"{path}: is not a record of this version; remove it and compare again")
        records.append(record)
    return records


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        return False
    return record.keys() >= _HAVE.get(record["kind"], _COMPARED_HAVE | {"points"})


@contextmanager
def workers(jobs: int, backend: str, scheduler: str | None) -> Iterator[None]:
    """Choose how many jobs run at a time and where: on this machine's cores, or on a dask.distributed cluster.

    Args:
        jobs: -1 is one per core.
        backend: `local` or `dask`.
        scheduler: address of the cluster's scheduler, for `dask`.

    Raises:
        TrainingError: backend and scheduler do not fit together, dask is not installed, or no scheduler answers.
    """
    if backend == "local":
        if scheduler:
            raise TrainingError("--scheduler needs --backend dask: give both, or leave it out")
        with joblib.parallel_config(n_jobs=jobs):
            yield
        return
    if not scheduler:
        raise TrainingError("--backend dask needs --scheduler ADDRESS, such as tcp://host:8786")
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise TrainingError(f"--backend dask needs dask.distributed: {how_to_install('cluster')}") from error
    try:
        client = Client(scheduler, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise TrainingError(f"{scheduler}: no dask scheduler answers ({error})") from error
    with client, joblib.parallel_config(backend="dask", n_jobs=jobs):
        yield


def read_experiments() -> dict[str, dict[str, Any]]:
    """Name to options of `lpdpl-train compare`.

    >>> read_experiments()["usps"]["protocol"]
    'standard'
    """
    return tomllib.loads(EXPERIMENTS_FILE.read_text())


def experiment_words(only: str, folder: Path) -> Iterator[list[str]]:
    """Arguments of `lpdpl-train compare` for the named experiments.

    Args:
        only: name of an experiment, `all`, or NAME/METHOD for one row.
        folder: of the data sets.

    Raises:
        EdgeError: there is no such experiment or row.

    >>> list(experiment_words("usps/dpl", Path("data")))
    [['data/usps.h5', '--protocol', 'standard', '--no-copies', '--seed', '0', '--methods', 'dpl']]
    """
    experiments = read_experiments()
    name, _, method = only.partition("/")
    if name != ALL and name not in experiments:
        raise EdgeError(f"there is no experiment {name!r}: use {', '.join([*experiments, ALL])}")
    for options in experiments.values() if name == ALL else [experiments[name]]:
        if method:
            known = options.get("methods", [method])
            if method not in known:
                raise EdgeError(f"experiment {name} has no row {method!r}: use {', '.join(known)}")
            options = options | {"methods": [method]}
        yield list(_words(options, folder))


def _words(options: dict[str, Any], folder: Path) -> Iterator[str]:
    for key, value in options.items():
        if key == "data":
            yield value if value.startswith("synthetic:") else str(folder / value)
        elif value is True:
            yield f"--{key}"
        else:
            yield from (f"--{key}", ",".join(value) if isinstance(value, list) else str(value))
