"""What this machine is: read from /proc and /sys, where there may be nothing to read.

Every function takes the folder that stands for `/`, so that a test can show it a Raspberry Pi.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path("/")

_CPUINFO_KEYS = ("model name", "Model")  # what x86 calls it, and what Raspberry Pi OS does


def machine(root: Path = ROOT) -> dict[str, object]:
    """What a reader needs to place a timing; ready for JSON.

    >>> sorted(machine())  # doctest: +NORMALIZE_WHITESPACE
    ['arch', 'board', 'cores', 'cpu', 'governor', 'kernel', 'llvmlite', 'memory_bytes', 'numba', 'numpy', 'python',
     'system']
    """
    return {
        "board": board(root),
        "cpu": cpu(root),
        "arch": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "governor": governor(root),
        "memory_bytes": memory(root).get("MemTotal"),
        "kernel": platform.release(),
        "system": system(root),
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "numba", "llvmlite")},
    }


def board(root: Path = ROOT) -> str | None:
    """Name of the board, such as `Raspberry Pi 5 Model B Rev 1.0`; None where there is no device tree."""
    return read(root / "proc/device-tree/model")


def cpu(root: Path = ROOT) -> str:
    """Name of the processor, or of the board where the processor has none."""
    lines = (read(root / "proc/cpuinfo") or "").splitlines()
    fields = dict([part.strip() for part in line.split(":", 1)] for line in lines if ":" in line)
    names = [fields[key] for key in _CPUINFO_KEYS if fields.get(key)]
    return names[0] if names else board(root) or platform.processor() or "unknown"


def governor(root: Path = ROOT) -> str | None:
    """What sets the clock of the first core, such as `ondemand`; None where it cannot be set."""
    return read(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def memory(root: Path = ROOT) -> dict[str, int]:
    """Bytes of the machine's memory by the names of /proc/meminfo: `MemTotal`, `MemAvailable` and more."""
    return _kilobytes(root / "proc/meminfo")


def peak_memory(root: Path = ROOT) -> int | None:
    """Most bytes that this process has had in memory.

    Not from `getrusage`: what that says includes the process that started this one.
    """
    return _kilobytes(root / "proc/self/status").get("VmHWM")


def temperature(root: Path = ROOT) -> float | None:
    """Degrees Celsius of the processor, None where there is no sensor."""
    text = read(root / "sys/class/thermal/thermal_zone0/temp")
    return int(text) / 1000 if text and text.lstrip("-").isdecimal() else None


def system(root: Path = ROOT) -> str:
    """Name of the operating system, such as `Debian GNU/Linux 13 (trixie)`."""
    for line in (read(root / "etc/os-release") or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip("\"'")
    return sys.platform


def version(package: str) -> str | None:
    """Version of an installed package, None where it is not installed; nothing is imported."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def read(path: Path) -> str | None:
    """Text of a file of /proc or /sys, without the ends that these have; None where there is none."""
    try:
        return path.read_text(errors="replace").strip(" \t\n\0") or None
    except OSError:
        return None


def _kilobytes(path: Path) -> dict[str, int]:
    """Lines `NAME: NUMBER kB` as bytes."""
    words = [line.split() for line in (read(path) or "").splitlines()]
    return {
        name.rstrip(":"): int(number) * 1024
        for name, number, *unit in [word for word in words if len(word) == 3]
        if unit == ["kB"]
    }


THROTTLE_FLAGS = {
    0: "supply voltage low",
    1: "clock capped",
    2: "clock throttled",
    3: "soft temperature limit",
}
"""What the firmware's bits say: these now, and the same 16 bits higher since the start."""

_SINCE_START = 16

_PATIENCE = 5.0  # seconds that the firmware gets to answer


def board_state(root: Path = ROOT) -> dict[str, Any]:
    """The state now; ready for JSON.

    Returns:
        `celsius`, `megahertz` and `governors` of every core, `load` of the last minute, `throttled` with the flags that
        are set `now` and were set `since_start`; None for what cannot be known.
    """
    return {
        "celsius": temperature(root),
        "megahertz": _of_cores(root, "scaling_cur_freq", lambda text: int(text) / 1000),
        "most_megahertz": _of_cores(root, "scaling_max_freq", lambda text: int(text) / 1000),
        "governors": _of_cores(root, "scaling_governor", str),
        "load": round(os.getloadavg()[0], 2),
        "throttled": throttling(),
    }


def throttling() -> dict[str, list[str]] | None:
    """Which of `THROTTLE_FLAGS` are set now and were since the start; None where there is no firmware to ask."""
    tool = shutil.which("vcgencmd")
    if tool is None:
        return None
    try:
        done = subprocess.run([tool, "get_throttled"], capture_output=True, text=True, timeout=_PATIENCE)
        flags = int(done.stdout.partition("=")[2], 16)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return {
        "now": [text for bit, text in THROTTLE_FLAGS.items() if flags >> bit & 1],
        "since_start": [text for bit, text in THROTTLE_FLAGS.items() if flags >> bit + _SINCE_START & 1],
    }


@contextmanager
def one_core(root: Path = ROOT) -> Iterator[dict[str, Any]]:
    """Keep this process on one core meanwhile: an isolated one where the kernel was told to isolate any, else the last.

    Yields:
        `core`, and whether it is `isolated` from everything else; the core is None where the system does not allow it.
    """
    allowed = os.sched_getaffinity(0)
    isolated = _numbers(read(root / "sys/devices/system/cpu/isolated") or "") & set(range(os.cpu_count() or 1))
    chosen = max(isolated or allowed)
    try:
        os.sched_setaffinity(0, {chosen})
    except OSError:
        yield {"core": None, "isolated": False}
        return
    try:
        yield {"core": chosen, "isolated": chosen in isolated}
    finally:
        os.sched_setaffinity(0, allowed)


def _of_cores(root: Path, name: str, kind: Any) -> list[Any] | None:
    """One file of every core's clock; None where the clock is not controlled."""
    files = sorted((root / "sys/devices/system/cpu").glob(f"cpu[0-9]*/cpufreq/{name}"))
    texts = [text for file in files if (text := read(file))]
    try:
        return [kind(text) for text in texts] or None
    except ValueError:
        return None


def _numbers(text: str) -> set[int]:
    """What the kernel writes as `2-3,6`.

    >>> sorted(_numbers("2-3,6"))
    [2, 3, 6]
    """
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            found.update(range(int(first), int(last or first) + 1))
    return found
