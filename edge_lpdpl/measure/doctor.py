"""What is missing on this machine, and what to do about it.

One function a question; each gives one `Check`. Nothing is changed, and no question needs what it asks about.
"""

import grp
import importlib.util
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.text import pad, printable
from edge_lpdpl.jit.store import cache_folder, object_path, processor_name, shipped_path
from edge_lpdpl.library.models import verify_model
from edge_lpdpl.library.shipped import shipped_model, shipped_models
from edge_lpdpl.library.slots import STATE_FOLDER, installed_models
from edge_lpdpl.measure import machine
from edge_lpdpl.measure.machine import ROOT, throttling
from edge_lpdpl.number import finder
from edge_lpdpl.numeral import engine
from edge_lpdpl.page import searcher

OK, NOTE, PROBLEM = "ok", "note", "problem"
"""Verdicts. `NOTE`: could be better, or concerns the camera only. `PROBLEM`: numerals cannot be read as they should."""

_OLDEST_PYTHON = (3, 11)
_ENOUGH_MEMORY, _LITTLE_MEMORY = 256 << 20, 96 << 20
_HOT = 75.0  # degrees Celsius; a Raspberry Pi slows down from 80
_PATIENCE = 120  # seconds for a question that another process answers
_COMPILES = "import numba; assert numba.njit(lambda x: x + 1)(1) == 2"


class Check(NamedTuple):
    """One answer."""

    name: str
    verdict: str
    """`OK`, `NOTE` or `PROBLEM`."""
    found: str
    remedy: str = ""
    """What to do; empty if there is nothing to do."""


def examine(root: Path = ROOT) -> Iterator[Check]:
    """Ask all questions, one after the other.

    Args:
        root: the folder that stands for `/`, so that a test can imitate another machine.
    """
    yield check_python()
    yield check_package("numpy")
    yield check_package("pillow")
    yield (numba := check_numba())
    compiled = False
    if numba.verdict == OK:
        yield check_cache()
        yield (kernels := check_kernels())
        compiled = kernels.verdict == OK
    yield from check_models("numba" if compiled else "numpy", root)
    for question in MACHINE_QUESTIONS:
        yield question(root)


def check_python() -> Check:
    """Is Python new enough, and does it have 64 bits?"""
    bits = 64 if sys.maxsize > 2**32 else 32
    found = f"{platform.python_version()}, {bits} bits, {sys.executable}"
    if sys.version_info[:2] < _OLDEST_PYTHON:
        return Check("python", PROBLEM, found, "use Python 3.11 or newer")
    if bits == 32:
        return Check("python", NOTE, found, "there is no numba for 32 bits: install the 64-bit Raspberry Pi OS")
    return Check("python", OK, found)


def check_package(name: str) -> Check:
    """Is a required package installed?"""
    found = machine.version(name)
    return Check(name, OK, found) if found else Check(name, PROBLEM, "not installed", f"pip install {name}")


def check_numba() -> Check:
    """Does numba compile here? Another process tries it, because LLVM ends a process that may not make code."""
    found = machine.version("numba")
    if found is None:
        return Check("numba", NOTE, "not installed: pictures are read with NumPy, more slowly", "pip install numba")
    if failure := _failure_of(_COMPILES):
        return Check("numba", PROBLEM, f"{found} does not work: {failure}", "install it again, or use --backend numpy")
    return Check("numba", OK, f"{found} compiles")


def check_cache() -> Check:
    """Is there a folder for compiled kernels that no other user can write to?"""
    folder = cache_folder()
    if folder is None:
        remedy = "set XDG_CACHE_HOME to a folder that only you can write to, and above; until then every start compiles"
        return Check("kernel cache", PROBLEM, "no folder can be written by you alone", remedy)
    return Check("kernel cache", OK, str(folder))


def check_kernels() -> Check:
    """Are the kernels compiled?"""
    processor, all_entries = processor_name(), (engine.ENTRIES, searcher.ENTRIES, finder.ENTRIES)
    if all(path and path.exists() for path in map(object_path, all_entries)):
        return Check("kernels", OK, f"compiled for {processor}")
    if all(shipped_path(entries, processor).exists() for entries in all_entries):
        return Check("kernels", OK, f"the package brings those for {processor}")
    return Check("kernels", NOTE, "not compiled: the first picture will wait for it", "edge-lpdpl warm")


def check_models(backend: str, root: Path = ROOT) -> Iterator[Check]:
    """Do the shipped models and the installed one decide here as they did for their trainer?"""
    paths = [shipped_model(name) for name in shipped_models()]
    if not paths:
        yield Check("models", PROBLEM, "none is shipped", "pip install --force-reinstall . in the project's folder")
    for path in paths:
        yield _check_model(f"model {path.stem}", path, backend)
    folder = root / STATE_FOLDER.relative_to("/")
    try:
        os.listdir(folder)
        for path in installed_models(folder):
            yield _check_model("installed model", path, backend)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:  # only the service may look into its folder
        reason = error.strerror or type(error).__name__
        yield Check("installed model", NOTE, f"may not be looked at ({reason})", "run edge-lpdpl doctor as root")


def _check_model(name: str, path: Path, backend: str) -> Check:
    try:
        candidate, found = verify_model(path, backend)
    except EdgeError as error:
        return Check(name, PROBLEM, str(error), "edge-lpdpl model install FILE, or install the package again")
    except Exception as error:  # a broken numba or NumPy may raise anything, and must not end the doctor
        failure = f"{type(error).__name__}: {error}".splitlines()[0]
        return Check(name, PROBLEM, f"cannot be run: {failure}", "install numba and numpy again")
    tested = f"{found['selftest_samples']} self-tests pass with {backend}"
    return Check(name, OK, f"{len(candidate.model().labels)} classes, {tested}")


def check_camera_software(root: Path = ROOT) -> Check:
    """Can picamera2 and libcamera be imported? Only the camera needs them."""
    missing = [name for name in ("libcamera", "picamera2") if importlib.util.find_spec(name) is None]
    if missing:
        remedy = "sudo apt install python3-picamera2, and a virtual environment made with --system-site-packages"
        return Check("picamera2", NOTE, f"{' and '.join(missing)} not installed (only the camera needs it)", remedy)
    if failure := _failure_of("import picamera2"):
        return Check("picamera2", NOTE, f"does not work: {failure}", "sudo apt install --reinstall python3-picamera2")
    return Check("picamera2", OK, machine.version("picamera2") or "installed")


def check_camera_devices(root: Path = ROOT) -> Check:
    """Is there a video device?"""
    if devices := list((root / "dev").glob("video*")):
        return Check("camera", OK, f"{len(devices)} video devices")
    return Check("camera", NOTE, "no /dev/video* (only the camera needs it)", "connect it and start again")


def check_video_group(root: Path = ROOT) -> Check:
    """May this user open the camera?"""
    user = os.environ.get("USER") or f"user {os.geteuid()}" if os.geteuid() else "root"
    try:
        allowed = os.geteuid() == 0 or grp.getgrnam("video").gr_gid in os.getgroups()
    except KeyError:
        return Check("video group", NOTE, "there is no group video on this system")
    if allowed:
        return Check("video group", OK, f"{user} may use the camera")
    return Check("video group", NOTE, f"{user} is not in it", f"sudo usermod -aG video {user}, and log in again")


def check_governor(root: Path = ROOT) -> Check:
    """Does the clock stay high between two pictures?"""
    found = machine.governor(root)
    if found in (None, "performance"):
        return Check("governor", OK, found or "the clock is not controlled here")
    remedy = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
    return Check("governor", NOTE, f"{found}: the first picture after a pause takes longer", remedy)


def check_memory(root: Path = ROOT) -> Check:
    """Is there memory to compile and to run?"""
    free = machine.memory(root).get("MemAvailable")
    if free is None:
        return Check("memory", NOTE, "cannot be read")
    found = f"{free >> 20:,} MiB available"
    if free < _LITTLE_MEMORY:
        return Check("memory", PROBLEM, found, "end other programs, or use --backend numpy")
    if free < _ENOUGH_MEMORY:
        return Check("memory", NOTE, found, "end other programs before edge-lpdpl warm")
    return Check("memory", OK, found)


def check_temperature(root: Path = ROOT) -> Check:
    """Is the processor so hot that it slows down?"""
    degrees = machine.temperature(root)
    if degrees is None:
        return Check("temperature", OK, "no sensor here")
    remedy = "give it air or a heat sink" if degrees >= _HOT else ""
    return Check("temperature", NOTE if remedy else OK, f"{degrees:.0f} degrees Celsius", remedy)


def check_throttling(root: Path = ROOT) -> Check:
    """Does the firmware of a Raspberry Pi report low voltage or a reduced clock?"""
    flags = throttling()
    if flags is None:
        return Check("throttling", OK, "no Raspberry Pi firmware to ask")
    remedy = "use the power supply made for this board, and a heat sink"
    if flags["now"]:
        return Check("throttling", PROBLEM, f"now: {', '.join(flags['now'])}", remedy)
    if flags["since_start"]:
        return Check("throttling", NOTE, "not now, but since it was started", remedy)
    return Check("throttling", OK, "none since it was started")


MACHINE_QUESTIONS: tuple[Callable[[Path], Check], ...] = (
    check_memory,
    check_governor,
    check_temperature,
    check_throttling,
    check_camera_devices,
    check_video_group,
    check_camera_software,
)


def line(check: Check) -> str:
    """One check for people, with its remedy below it."""
    text = f"{pad(check.verdict, 7)}  {pad(check.name, 16)}  {printable(check.found)}"
    return f"{text}\n{' ' * 27}-> {check.remedy}" if check.remedy else text


def summary(checks: list[Check]) -> str:
    """The last line."""
    problems, notes = (sum(check.verdict == verdict for check in checks) for verdict in (PROBLEM, NOTE))
    return f"{problems} to mend (problem), {notes} notes" if problems else f"no problem, {notes} notes"


def _failure_of(code: str) -> str | None:
    """Why `code` fails in another Python process, in one line; None if it does not fail."""
    command = [sys.executable, "-c", code]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError) as error:
        return type(error).__name__
    lines = done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"]
    return lines[-1] if done.returncode else None
