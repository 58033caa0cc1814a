"""Restricts the process to one core and one thread, before NumPy, OpenCV or LiteRT are loaded.

Maths libraries read their thread count from the environment once, when they are loaded. So `settle` must run before the
first of them is imported. Pinning keeps the scheduler from moving the process to a core with cold caches.
"""

import os
import platform
import sys
from importlib import metadata

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def settle() -> int | None:
    """Pin this process to one core and every library to one thread.

    Returns:
        The number of the core, or None where the system cannot pin processes.

    Raises:
        RuntimeError: NumPy is already imported.
    """
    if "numpy" in sys.modules:
        raise RuntimeError("settle() must run before NumPy is imported")
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))  # the last one: interrupts and background programs prefer the first
    os.sched_setaffinity(0, {core})
    return core


def machine(core: int | None, packages: tuple[str, ...]) -> dict[str, object]:
    """Processor, system, Python and versions of packages, for a reader of the figures."""
    return {
        "cpu": _cpu_model(),
        "architecture": platform.machine(),
        "core": core,
        "system": platform.system() + " " + platform.release(),
        "python": platform.python_version(),
        "packages": {name: version for name in packages if (version := _version(name))},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _cpu_model() -> str:
    """Name of the processor: from the device tree on a Raspberry Pi, from cpuinfo on x86."""
    for path, key in (("/proc/device-tree/model", ""), ("/proc/cpuinfo", "model name")):
        try:
            with open(path, encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    if line.startswith(key):
                        return line.removeprefix(key).strip(" \t:\n\0")
        except OSError:
            continue
    return platform.processor() or "unknown"
