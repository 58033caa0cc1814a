"""The lane for aarch64: everything is computed on this processor and on two emulated cores, and compared."""

import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pytest
from arm.machine import (
    NATIVE,
    cache,
    command,
    compile_kernels,
    environment,
    interpreter,
    make_machines,
    run,
)
from lane_pictures import lane_pictures
from project import PROJECT
from small_models import small_model

from edge_lpdpl.jit.store import kernel_digest, shipped_path
from edge_lpdpl.model.files import write_model
from edge_lpdpl.model.settings import EDGE, PAPER
from edge_lpdpl.number import finder
from edge_lpdpl.numeral import engine
from edge_lpdpl.page import searcher

Result = TypeVar("Result")

CORES = ("cortex-a53", "cortex-a72")
MACHINES = (*CORES, NATIVE)
NEWEST = "cortex-a76"
ENTRIES = (engine.ENTRIES, searcher.ENTRIES, finder.ENTRIES)
BITS = Path(__file__).with_name("bits.py")
UNIT_TESTS = ("numeral/test_recogniser", "model/test_model", "model/test_files", "files/test_atomic")
"""Tests of what depends on the machine and is not too slow under an emulator."""


class Compiling(NamedTuple):
    """Compilation for each machine, in progress."""

    folder: Path
    """Folder of the machine code of the newest core. The code of other cores goes into their caches."""
    jobs: dict[str, Future]
    """By machine."""


class Lane(NamedTuple):
    """Results of all machines."""

    numbers: dict[str, dict[str, np.ndarray]]
    """By machine (`native` or a core) and by the names of `bits.py`."""
    folder: Path
    """Folder of the models that each machine wrote."""
    unit_tests: str
    """Output of pytest on the smallest core."""


@pytest.fixture(scope="session")
def machines() -> None:
    """Sets up what emulated cores need."""
    try:
        make_machines()
    except SystemExit as failure:
        pytest.fail(str(failure), pytrace=False)


@pytest.fixture(scope="session")
def both() -> Iterator[Executor]:
    """Runs two jobs at a time, in order."""
    with ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.fixture(scope="session")
def compiling(machines, both, tmp_path_factory) -> Compiling:
    """The compile jobs, started."""
    folder = tmp_path_factory.mktemp("kernels")
    jobs = {machine: both.submit(compile_kernels, machine) for machine in MACHINES}
    modules = engine.__name__, searcher.__name__, finder.__name__
    cross = [sys.executable, "-m", "edge_lpdpl.jit.cross", NEWEST, str(folder), *modules]
    jobs[NEWEST] = both.submit(run, cross, os.environ | {"PYTHONPATH": str(PROJECT)})
    return Compiling(folder, jobs)


@pytest.fixture(scope="session")
def kernels(compiling) -> Path:
    """Machine code for every core, as in the package. The lane itself computes with the code of most cores."""
    for job in compiling.jobs.values():
        result_of(job)
    for core in CORES:
        for entries in ENTRIES:
            (file,) = (cache(core) / f"kernels-{kernel_digest()}").glob(f"{entries.room}-*.kernels")
            shutil.copy(file, shipped_path(entries, core, compiling.folder))
    return compiling.folder


@pytest.fixture(scope="session")
def lane(compiling, both, tmp_path_factory) -> Lane:
    """All numbers, computed on every machine from pictures and models made here."""
    folder = tmp_path_factory.mktemp("lane")
    inputs = folder / "inputs"
    inputs.mkdir()
    np.savez(inputs / "pictures.npz", **lane_pictures())
    for profile in (EDGE, PAPER):
        write_model(inputs / f"random-{profile.name}.safetensors", small_model(profile))

    def compute(machine: str) -> dict[str, np.ndarray]:
        compiling.jobs[machine].result()
        output = folder / f"{machine}.npz"
        run(command(machine, [str(BITS), str(inputs), str(output)]), environment(machine))
        with np.load(output) as written:
            return dict(written)

    def run_unit_tests() -> str:
        options = ["-q", "-p", "no:cacheprovider", "-k", "not nothing_grows and not one_recogniser_a_thread"]
        files = [str(PROJECT / f"tests/unit/edge_lpdpl/{name}.py") for name in UNIT_TESTS]
        smallest = CORES[0]
        compiling.jobs[smallest].result()
        return run([str(interpreter(smallest)), "-m", "pytest", *options, *files], environment(smallest))

    longest = both.submit(run_unit_tests)
    numbers = {machine: both.submit(compute, machine) for machine in MACHINES}
    return Lane({machine: result_of(job) for machine, job in numbers.items()}, folder, result_of(longest))


def result_of(job: Future[Result]) -> Result:
    """The result of a job, or a failure of the test that waits for it."""
    try:
        return job.result()
    except SystemExit as failure:
        pytest.fail(str(failure), pytrace=False)


@pytest.fixture(params=CORES)
def core(request, machines) -> str:
    """Each emulated core in turn."""
    return request.param
