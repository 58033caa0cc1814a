"""What this machine is and in which state: from /proc, /sys and the firmware. What cannot be known is None.

Functions take the folder that stands for `/`, so that a test can imitate a Raspberry Pi.
"""

import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path("/")

_CPUINFO_KEYS = ("model name", "Model")  # on x86, and on Raspberry Pi OS

THROTTLE_FLAGS = ("supply voltage low", "clock capped", "clock throttled", "soft temperature limit")
"""Meaning of the firmware's lowest bits, for now; the same bits, 16 higher, are for since the start."""

_SINCE_START = 16

_PATIENCE = 5.0  # seconds that the firmware gets to answer


def machine(root: Path = ROOT) -> dict[str, object]:
    """What a reader needs to judge a timing; ready for JSON.

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
    """Name of the board, such as `Raspberry Pi 5 Model B Rev 1.0`; None without a device tree."""
    return read(root / "proc/device-tree/model")


def cpu(root: Path = ROOT) -> str:
    """Name of the processor, or of the board if the processor has none."""
    fields = dict(re.findall(r"(?m)^(.+?)\s*:\s*(.+)$", read(root / "proc/cpuinfo") or ""))
    named = next((fields[key] for key in _CPUINFO_KEYS if key in fields), None)
    return named or board(root) or platform.processor() or "unknown"


def governor(root: Path = ROOT) -> str | None:
    """Clock governor of the first core, such as `ondemand`; None if the clock is not controlled."""
    return read(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def memory(root: Path = ROOT) -> dict[str, int]:
    """Bytes of memory by the names of /proc/meminfo: `MemTotal`, `MemAvailable` and more."""
    return _kilobytes(root / "proc/meminfo")


def peak_memory(root: Path = ROOT) -> int | None:
    """Peak memory of this process in bytes.

    Not from `getrusage`, which includes the process that started this one.
    """
    return _kilobytes(root / "proc/self/status").get("VmHWM")


def temperature(root: Path = ROOT) -> float | None:
    """Temperature of the processor in degrees Celsius; None without a sensor."""
    text = read(root / "sys/class/thermal/thermal_zone0/temp")
    return int(text) / 1000 if text and text.lstrip("-").isdecimal() else None


def system(root: Path = ROOT) -> str:
    """Name of the operating system, such as `Debian GNU/Linux 13 (trixie)`."""
    found = re.search("(?m)^PRETTY_NAME=[\"']?(.*?)[\"']?$", read(root / "etc/os-release") or "")
    return found[1] if found else sys.platform


def version(package: str) -> str | None:
    """Version of an installed package, None if it is not installed; imports nothing."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def read(path: Path) -> str | None:
    """Text of a file of /proc or /sys without trailing zeros and line ends; None if it is missing or empty."""
    try:
        return path.read_text(errors="replace").strip(" \t\n\0") or None
    except OSError:
        return None


def _kilobytes(path: Path) -> dict[str, int]:
    """Lines `NAME: NUMBER kB` as bytes."""
    return {name: int(number) * 1024 for name, number in re.findall(r"(?m)^(\S+):\s+(\d+) kB$", read(path) or "")}


def board_state(root: Path = ROOT) -> dict[str, Any]:
    """The state now; ready for JSON.

    Returns:
        `celsius`, `megahertz` and `governors` of every core, `load` of the last minute, and `throttled` with the flags
        that are set `now` and were set `since_start`.
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
    """`THROTTLE_FLAGS` that are set `now` and were set `since_start`; None without the firmware of a Raspberry Pi."""
    try:
        done = subprocess.run(["vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=_PATIENCE)
        flags = int(done.stdout.partition("=")[2], 16)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return {
        "now": [text for bit, text in enumerate(THROTTLE_FLAGS) if flags >> bit & 1],
        "since_start": [text for bit, text in enumerate(THROTTLE_FLAGS, _SINCE_START) if flags >> bit & 1],
    }


def _of_cores(root: Path, name: str, kind: Any) -> list[Any] | None:
    """One value of every core's clock; None if the clock is not controlled."""
    files = sorted((root / "sys/devices/system/cpu").glob(f"cpu[0-9]*/cpufreq/{name}"))
    texts = [text for file in files if (text := read(file))]
    try:
        return [kind(text) for text in texts] or None
    except ValueError:
        return None
