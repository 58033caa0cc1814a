"""A fresh Debian 13 in a folder, made once and kept, for the lanes that need a whole system."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

SUITE = "trixie"
TOOLS = {"mmdebstrap": "mmdebstrap", "systemd-nspawn": "systemd-container", "shellcheck": "shellcheck"}
"""Programs and their packages."""
_FRESH_SECONDS = 7 * 24 * 3600  # after a week a root is made again, with updated packages

Run = Callable[[Sequence[str]], None]


class LaneError(Exception):
    """This machine cannot run the lane."""


def require_host(tools: Mapping[str, str] = TOOLS) -> None:
    """Install the tools that a lane needs, or say why it cannot run here.

    Raises:
        LaneError: no root, no namespaces, or the tools cannot be had.
    """
    if os.geteuid() != 0:
        raise LaneError("this lane makes systems and needs root: run it as root")
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True).returncode:
        raise LaneError("this lane needs namespaces, which this machine does not give (unshare fails)")
    missing = [package for tool, package in tools.items() if shutil.which(tool) is None]
    if not missing:
        return
    if shutil.which("apt-get") is None:
        raise LaneError(f"this lane needs {', '.join(missing)}: install them")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    apt = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=500"]
    for command in ([*apt, "update"], [*apt, "install", "-y", "--no-install-recommends", *missing]):
        if subprocess.run(command, env=environment, stdout=subprocess.DEVNULL).returncode:
            raise LaneError(f"this lane needs {', '.join(missing)}, and `{' '.join(command)}` failed")


def cache_folder() -> Path:
    """Where roots are kept: $EDGE_LPDPL_LANES, or a folder of the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("EDGE_LPDPL_LANES") or Path(cache) / "edge-lpdpl-lanes")


def debian_root(packages: Sequence[str], *, options: Sequence[str] = (), run: Run | None = None) -> Path:
    """A root of Debian 13 with `packages`, not to be changed: boot it with an overlay, or see `changeable`.

    Args:
        options: more for mmdebstrap, such as another architecture or what is to be left undone.
        run: runs mmdebstrap where programs of that architecture can be started; raises LaneError if it fails.

    Raises:
        LaneError: it cannot be made.
    """
    digest = hashlib.sha256(" ".join([SUITE, *options, *sorted(packages)]).encode()).hexdigest()[:12]
    command = ["mmdebstrap", "--quiet", "--variant=minbase", "--components=main", f"--include={','.join(packages)}"]

    def make(making: Path) -> None:
        (run or _run)([*command, *options, "--aptopt=Acquire::Languages none", SUITE, str(making)])

    return kept(f"debian-{digest}", make)


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """A folder of the cache that `make` filled, no more than a week ago; others that want it meanwhile wait.

    Raises:
        LaneError: whatever `make` raises.
    """
    root = cache_folder() / name
    cache_folder().mkdir(parents=True, exist_ok=True)
    with open(root.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if root.is_dir() and time.time() - root.stat().st_mtime < _FRESH_SECONDS:
            return root
        making = root.with_suffix(".part")
        for old in (root, making):
            shutil.rmtree(old, ignore_errors=True)
        try:
            make(making)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
        os.utime(making)  # its date may be that of an archive
        making.rename(root)  # a root exists whole or not at all
    return root


def _run(command: Sequence[str]) -> None:
    if subprocess.run(command).returncode:
        raise LaneError("Debian 13 cannot be made here: see what mmdebstrap says above")


@contextmanager
def changeable(root: Path, folder: Path) -> Iterator[Path]:
    """A changeable copy of `root`: changes are kept in memory and discarded afterwards."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", str(folder)], check=True)
    try:
        for name in ("upper", "work", "root"):
            (folder / name).mkdir()
        layers = f"lowerdir={root},upperdir={folder}/upper,workdir={folder}/work"
        subprocess.run(["mount", "-t", "overlay", "-o", layers, "overlay", str(folder / "root")], check=True)
        yield folder / "root"
    finally:
        subprocess.run(["umount", "--recursive", "--lazy", str(folder)], check=True)


def like_host() -> list[str]:
    """Options for systemd-nspawn: names, certificates and pip's settings are the host's."""
    options = ["--resolv-conf=copy-host"]
    for file in ("/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf"):
        if Path(file).exists():
            options.append(f"--bind-ro={file}")
    return options
