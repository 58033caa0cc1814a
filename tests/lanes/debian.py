"""A fresh Debian 13 as a folder, made once and kept: what the lanes that need a whole system start from."""

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

SUITE = "trixie"
_HOST_TOOLS = {"mmdebstrap": "mmdebstrap", "systemd-nspawn": "systemd-container", "shellcheck": "shellcheck"}
_FRESH_SECONDS = 7 * 24 * 3600  # after a week a root is made anew, with the updates of its packages


class LaneError(Exception):
    """This machine cannot run the lane."""


def require_host() -> None:
    """Install the tools that a lane needs, or say why it cannot run here.

    Raises:
        LaneError: no root, no namespaces, or the tools cannot be had.
    """
    if os.geteuid() != 0:
        raise LaneError("this lane boots containers and needs root: run it as root")
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True).returncode:
        raise LaneError("this lane needs namespaces, which this machine does not give (unshare fails)")
    missing = [package for tool, package in _HOST_TOOLS.items() if shutil.which(tool) is None]
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


def debian_root(packages: Sequence[str]) -> Path:
    """A root of Debian 13 with `packages`, not to be changed: boot it with an overlay, or see `changeable`.

    Raises:
        LaneError: it cannot be made.
    """
    digest = hashlib.sha256(" ".join([SUITE, *sorted(packages)]).encode()).hexdigest()[:12]
    root = cache_folder() / f"debian-{digest}"
    if root.is_dir() and time.time() - root.stat().st_mtime < _FRESH_SECONDS:
        return root
    cache_folder().mkdir(parents=True, exist_ok=True)
    making = root.with_suffix(".part")
    for old in (root, making):
        shutil.rmtree(old, ignore_errors=True)
    command = ["mmdebstrap", "--quiet", "--variant=minbase", "--components=main", f"--include={','.join(packages)}"]
    if subprocess.run([*command, "--aptopt=Acquire::Languages none", SUITE, str(making)]).returncode:
        shutil.rmtree(making, ignore_errors=True)
        raise LaneError("Debian 13 cannot be made here: see what mmdebstrap says above")
    os.utime(making)  # it has the date of the archive
    making.rename(root)  # a root is there whole or not at all
    return root


@contextmanager
def changeable(root: Path, folder: Path) -> Iterator[Path]:
    """A root of one's own to change, in memory: what differs from `root` is gone afterwards."""
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
