"""Two machines that differ only in the processor: Debian 13 with Python 3.13, for aarch64 and for x86-64.

Programs for aarch64 run in qemu-user, those for x86-64 natively, both without a chroot. Making the machines runs none
of their code: Debian packages are unpacked, and Python packages are wheels of the versions that are installed here.
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
DEBIAN_PACKAGES = "python3,libstdc++6,zlib1g"  # llvmlite needs the C++ library
PYTHON_PACKAGES = (
    *("numpy", "numba", "llvmlite", "pillow", "safetensors"),
    *("pytest", "iniconfig", "packaging", "pluggy", "pygments", "hypothesis", "sortedcontainers"),
    *("scikit-image", "scipy", "imageio", "lazy-loader", "networkx", "tifffile"),
)
ARCHITECTURES = {"arm64": "aarch64", "amd64": "x86_64"}
"""Debian's name to Python's name."""
WHEELS = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014")
LOADER = "lib64/ld-linux-x86-64.so.2"
TOOLS = {"qemu-aarch64-static": "qemu-user-static", "mmdebstrap": "mmdebstrap", "arch-test": "arch-test"}
NATIVE = "native"
"""Name of the machine with the processor of this computer."""


def make_machines() -> None:
    """Make the machines that do not exist yet. The first time takes half a minute and 1 GB.

    Raises:
        SystemExit: this computer cannot make them; the message says why.
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
    """A script that runs Python on an emulated core. Python knows it as its executable and can start it again."""
    script = FOLDER / f"python-{core}"
    arguments = command(core, [], ["qemu-aarch64-static", "-0", str(script)])
    script.write_text(f'#!/bin/sh\nexec {shlex.join(arguments)} "$@"\n')
    script.chmod(0o755)
    return script


def started_by(root: Path) -> list[str]:
    """Prefix of a command that runs it with the libraries of an x86-64 root."""
    libraries = (root / folder / "x86_64-linux-gnu" for folder in ("usr/lib", "lib"))
    return [str(root / LOADER), "--library-path", ":".join(map(str, libraries))]


def environment(core: str, target: str | None = None) -> dict[str, str]:
    """Environment variables for `command`.

    numba gets the name of the core, because /proc/cpuinfo in the emulator describes this computer.

    Args:
        core: the core to run on.
        target: the core to compile for, if it is another one.
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
    """Folder of the compiled kernels for a core."""
    return FOLDER / f"kernels-{core}"


def compile_kernels(core: str, parts: Sequence[str] = ()) -> None:
    """Compile the kernels, and `parts` of them, for a core on this computer, and delete those of older versions.

    Raises:
        SystemExit: the kernels cannot be compiled.
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
        SystemExit: this computer cannot install them.
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
    """Run a command in the project's folder and return its output.

    Raises:
        SystemExit: the command failed; the message has its output.
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
    """Call `make` on a temporary folder and rename it to `folder`, so that `folder` is always complete if it exists."""
    started = folder.with_name(folder.name + ".part")
    for leftover in (started, folder):
        shutil.rmtree(leftover, ignore_errors=True)
    started.parent.mkdir(parents=True, exist_ok=True)
    make(started)
    started.rename(folder)


def unpack(folder: Path, architecture: str, release: str, packages: str) -> None:
    """Unpack packages of a Debian release and their dependencies into a folder, without configuring them."""
    options = ["--quiet", f"--arch={architecture}", "--variant=extract", f"--include={packages}"]
    run(["mmdebstrap", *options, release, str(folder)])
    for name in ("bin", "sbin", "lib", "lib64"):  # links of base-files that `extract` does not make
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
    # No dependencies: pip would evaluate their markers for the computer and the Python that it runs on.
    quiet = ["--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps", "--only-binary=:all:"]
    pip = [sys.executable, "-m", "pip", "install", *quiet, *python, *where, "--target", str(folder)]
    run([*pip, *requirements.split()])
    (folder / "versions").write_text(requirements)
