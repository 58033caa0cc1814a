"""What a timing depends on beside the program: governor, clock, temperature, throttling, and who else has the core.

Everything is read from /sys and from the firmware of a Raspberry Pi where there is one, and None elsewhere.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edge_lpdpl.machine import ROOT, read, temperature

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
