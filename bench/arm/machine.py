"""Two machines that differ in nothing but the processor: Debian 13 with Python 3.13, for aarch64 and for x86-64.

aarch64 is run by qemu-user, x86-64 as it is, both without a chroot. Making them runs no code of theirs: packages of
Debian are unpacked, those of Python are wheels of exactly the versions that are installed here.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

from arm.cores import CORES
from edge_lpdpl.jit.cross import FEATURES

PROJECT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("EDGE_LPDPL_LANES") or PROJECT / ".lanes") / "arm64"

DEBIAN, PYTHON = "trixie", "3.13"
DEBIAN_PACKAGES = "python3,libstdc++6,zlib1g"  # llvmlite is C++
PYTHON_PACKAGES = (
    *("numpy", "numba", "llvmlite", "pillow", "safetensors"),
    *("pytest", "iniconfig", "packaging", "pluggy", "pygments", "hypothesis", "sortedcontainers"),
    *("scikit-image", "scipy", "imageio", "lazy-loader", "networkx", "tifffile"),
)
ARCHITECTURES = {"arm64": "aarch64", "amd64": "x86_64"}
"""What Debian calls them, and what Python does."""
WHEELS = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014")
LOADER = "lib64/ld-linux-x86-64.so.2"
TOOLS = {"qemu-aarch64-static": "qemu-user-static", "mmdebstrap": "mmdebstrap", "arch-test": "arch-test"}
NATIVE = "native"
"""The machine with this processor."""


def make_machines() -> None:
    """Make what is not there yet: half a minute and 1 GB the first time, nothing afterwards.

    Raises:
        SystemExit: this machine cannot have them; says why.
    """
    if platform.machine() != "x86_64":
        raise SystemExit(f"the arm64 lane compares aarch64 with x86-64, and this machine is {platform.machine()}")
    install(TOOLS)
    with ThreadPoolExecutor() as together:
        list(together.map(_make_machine, ARCHITECTURES))


def command(core: str, arguments: Sequence[str], emulator: Sequence[str] = ("qemu-aarch64-static",)) -> list[str]:
    """The command that runs Python with `arguments` on an emulated core, such as `cortex-a53`, or on `NATIVE`."""
    root = FOLDER / ("amd64" if core == NATIVE else "arm64")
    python = [str(root / f"usr/bin/python{PYTHON}"), *arguments]
    if core == NATIVE:
        return [*started_by(root), "--argv0", str(root / "usr/bin/python3"), *python]
    return [*emulator, "-cpu", core, "-L", str(root), *python]


def interpreter(core: str) -> Path:
    """An executable that is Python on an emulated core, and calls itself so: it can start others of its kind."""
    script = FOLDER / f"python-{core}"
    arguments = command(core, [], ["qemu-aarch64-static", "-0", str(script)])
    script.write_text(f'#!/bin/sh\nexec {shlex.join(arguments)} "$@"\n')
    script.chmod(0o755)
    return script


def started_by(root: Path) -> list[str]:
    """The command before one that is to run with the libraries of an x86-64 root."""
    libraries = (root / folder / "x86_64-linux-gnu" for folder in ("usr/lib", "lib"))
    return [str(root / LOADER), "--library-path", ":".join(map(str, libraries))]


def environment(core: str, target: str | None = None) -> dict[str, str]:
    """Variables for `command`; a `target` is the core to compile for when it is not the one to run on.

    The core is named to numba, because the emulator's /proc/cpuinfo is this machine's.
    """
    target = target or core
    root = "amd64" if core == NATIVE else "arm64"
    named = {"NUMBA_CPU_NAME": target, "NUMBA_CPU_FEATURES": FEATURES[target]} if target in CORES else {}
    return {
        **{name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "CI") if name in os.environ},
        **named,
        "PYTHONHOME": str(FOLDER / root / "usr"),
        "PYTHONPATH": ":".join(map(str, (PROJECT, PROJECT / "bench", PROJECT / "tests/help"))),
        "PYTHONHASHSEED": "0",
        "NUMBA_CACHE_DIR": str(cache(target)),
        "OPENBLAS_NUM_THREADS": "1",
    }


def cache(core: str) -> Path:
    """Where the kernels for a core are kept."""
    return FOLDER / f"kernels-{core}"


def compile_kernels(core: str, parts: Sequence[str] = ()) -> None:
    """Compile the kernels, and `parts` of them, for a core on this machine, and forget those of older versions.

    Raises:
        SystemExit: they cannot be compiled.
    """
    compiler = ["-m", "arm.cross", core]
    run(command(NATIVE, compiler), environment(NATIVE, core))
    if parts:
        run(command(NATIVE, [*compiler, *parts]), environment(NATIVE, core))
    by_age = sorted(cache(core).glob("kernels-*"), key=lambda folder: folder.stat().st_mtime)
    for old in by_age[:-2]:
        shutil.rmtree(old, ignore_errors=True)


def install(needed: Mapping[str, str]) -> None:
    """Install the Debian packages (values) whose programs (keys) are missing.

    Raises:
        SystemExit: that cannot be done here.
    """
    missing = sorted(package for program, package in needed.items() if shutil.which(program) is None)
    if not missing:
        return
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise SystemExit(f"the arm64 lane needs {' '.join(missing)}: install them, or run it as root on Debian")
    options = ["-y", "-qq", "-o", "DPkg::Lock::Timeout=300", "--no-install-recommends"]
    run(["apt-get", "update", "-qq"])
    run(["apt-get", "install", *options, *missing], os.environ | {"DEBIAN_FRONTEND": "noninteractive"})


def run(arguments: Sequence[str], env: Mapping[str, str] | None = None) -> str:
    """Run a command in the project's folder and return what it printed.

    Raises:
        SystemExit: it failed; says what it printed.
    """
    try:
        done = subprocess.run(arguments, env=env, capture_output=True, text=True, errors="replace", cwd=PROJECT)
    except OSError as error:
        raise SystemExit(f"the arm64 lane cannot run {arguments[0]}: {error}") from None
    if done.returncode:
        printed = f"{done.stdout}{done.stderr}".rstrip()
        raise SystemExit(f"the arm64 lane: {' '.join(arguments)} ended with {done.returncode}:\n{printed}")
    return done.stdout


def make_anew(folder: Path, make: Callable[[Path], object]) -> None:
    """`make(folder)` in such a way that a folder which is there is a whole one."""
    started = folder.with_name(folder.name + ".part")
    for leftover in (started, folder):
        shutil.rmtree(leftover, ignore_errors=True)
    started.parent.mkdir(parents=True, exist_ok=True)
    make(started)
    started.rename(folder)


def unpack(folder: Path, architecture: str, release: str, packages: str) -> None:
    """Packages of a release of Debian with all they need; nothing is configured."""
    options = ["--quiet", f"--arch={architecture}", "--variant=extract", f"--include={packages}"]
    run(["mmdebstrap", *options, release, str(folder)])
    for name in ("bin", "sbin", "lib", "lib64"):  # the links of base-files, which `extract` leaves out
        if not (folder / name).exists() and (folder / "usr" / name).exists():
            (folder / name).symlink_to(f"usr/{name}")


def _make_machine(architecture: str) -> None:
    root, packages = FOLDER / architecture, FOLDER / f"{architecture}-packages"
    if not root.exists():
        make_anew(root, lambda to: unpack(to, architecture, DEBIAN, DEBIAN_PACKAGES))
    wanted = "\n".join(f"{name}=={metadata.version(name)}" for name in PYTHON_PACKAGES)
    if not (packages / "versions").exists() or (packages / "versions").read_text() != wanted:
        make_anew(packages, lambda to: _unpack_wheels(to, architecture, wanted))
    pointer = root / "usr/lib/python3/dist-packages/lane.pth"
    pointer.parent.mkdir(parents=True, exist_ok=True)
    pointer.write_text(f"{packages}\n")


def _unpack_wheels(folder: Path, architecture: str, requirements: str) -> None:
    where = [f"--platform={kind}_{ARCHITECTURES[architecture]}" for kind in WHEELS]
    python = ["--implementation=cp", f"--python-version={PYTHON}", "--abi=cp313", "--abi=abi3", "--abi=none"]
    # Without dependencies, because pip judges the markers of another machine and Python by those it runs on.
    quiet = ["--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps", "--only-binary=:all:"]
    pip = [sys.executable, "-m", "pip", "install", *quiet, *python, *where, "--target", str(folder)]
    run([*pip, *requirements.split()])
    (folder / "versions").write_text(requirements)
