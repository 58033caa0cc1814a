"""The time from the start of a process to its first decision, with compiled kernels and without."""

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import BackendError

_PATIENCE = 1800.0  # seconds; compiling on the smallest board takes some minutes
# Monotonic time is the same for all processes, so the start of the interpreter is included.
_FIRST_DECISION = """
import json, sys, time
times = [float(sys.argv[1]), time.monotonic()]
from edge_lpdpl.numeral.recogniser import Recogniser
times.append(time.monotonic())
recogniser = Recogniser.load(*sys.argv[2:])
times.append(time.monotonic())
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import shipped_pictures
recogniser.recognise(read_picture(shipped_pictures()[0]))
times.append(time.monotonic())
from edge_lpdpl.measure.machine import peak_memory
print(json.dumps([times, peak_memory(), recogniser.backend]))
"""
_PARTS = ("interpreter_s", "import_s", "load_s", "first_decision_s")


def measure_starts(model: Path, backend: str, repeats: int, thorough: bool) -> dict[str, Any]:
    """Time starts of new processes.

    Args:
        thorough: also starts that take long or slow down other programs on this machine.

    Returns:
        `warm`: a start with compiled kernels, the median of `repeats`. If `thorough`, otherwise None: `compile`, the
        first start after an update, without kernels; and `cold`, with no file of the disk in memory, as after a boot
        (None also without the right to empty that memory).

    Raises:
        BackendError: a process fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) if thorough else None
        compile_first = start_once(model, backend, cache) if thorough else None
        warm = [start_once(model, backend, cache) for _ in range(repeats)]
        cold = start_once(model, backend, cache) if thorough and _forget_disk() else None
    return {"warm": sorted(warm, key=lambda one: one["total_s"])[repeats // 2], "compile": compile_first, "cold": cold}


def start_once(model: Path, backend: str, cache: Path | None) -> dict[str, Any]:
    """One start, with kernels from the folder `cache`, or from the usual folder.

    Returns:
        seconds of its parts, and its peak memory.

    Raises:
        BackendError: the process fails.
    """
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    variables |= {"NUMBA_CACHE_DIR": str(cache)} if cache else {}
    try:
        command = [sys.executable, "-c", _FIRST_DECISION, repr(time.monotonic()), str(model), backend]
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError) as error:
        raise BackendError(f"another Python cannot be started ({type(error).__name__})") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise BackendError(f"a start with {backend} failed: {lines[-1] if lines else done.returncode}")
    times, peak, used = json.loads(done.stdout)
    parts = {name: round(end - start, 4) for name, (start, end) in zip(_PARTS, pairwise(times), strict=True)}
    return parts | {"total_s": round(times[-1] - times[0], 4), "peak_bytes": peak, "backend": used}


def _forget_disk() -> bool:
    """Empty the file cache of the system, which only root may do; returns whether it was done."""
    try:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3")
    except OSError:
        return False
    return True
