"""A root of Debian 13 with libcamera's virtual camera and the real picamera2, made once and kept."""

import hashlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from debian import SUITE, LaneError, cache_folder, like_host, require_host

HERE = Path(__file__).parent
_PACKAGES = (
    *("ca-certificates", "gcc", "libc6-dev", "python3", "python3-dev", "python3-venv", "python3-numpy", "python3-pil"),
    *("python3-jsonschema", "python3-libarchive-c", "python3-piexif", "python3-prctl", "python3-tqdm"),
)
# Debian 13's libcamera gives frames of the virtual camera without sequence, status and size.
_NEWER_PACKAGES = ("python3-libcamera",)
_PICAMERA2 = ("picamera2>=0.3.37", "PiDNG", "simplejpeg", "videodev2", "av")
_FRESH_SECONDS = 7 * 24 * 3600


def camera_root() -> Path:
    """The root; it takes some minutes the first time.

    Raises:
        LaneError: it cannot be made here.
    """
    require_host()
    recipe = " ".join([*_PACKAGES, *_NEWER_PACKAGES, *_PICAMERA2, (HERE / "memfd_heap.c").read_text()])
    root = cache_folder() / f"camera-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    if root.is_dir() and time.time() - root.stat().st_mtime < _FRESH_SECONDS:
        return root
    making = root.with_suffix(".part")
    for old in (root, making):
        shutil.rmtree(old, ignore_errors=True)
    cache_folder().mkdir(parents=True, exist_ok=True)
    try:
        _unpack(making)
        _install(making)
    except subprocess.CalledProcessError as error:
        shutil.rmtree(making, ignore_errors=True)
        raise LaneError(f"the root of the camera cannot be made here: {error}") from None
    os.utime(making)
    making.rename(root)
    return root


def inside(root: Path, *command: str, binds: dict[Path, str] | None = None, **variables: str) -> list[str]:
    """A command line that runs `command` in `root`, without changing it.

    Args:
        binds: folders of the host to where they are seen inside, read-only.
    """
    options = [f"--bind-ro={folder}:{place}" for folder, place in (binds or {}).items()]
    options += [f"--setenv={name}={value}" for name, value in variables.items()]
    machine = ["systemd-nspawn", "--quiet", f"--directory={root}", "--volatile=overlay", "--register=no", "--keep-unit"]
    return [*machine, "--console=pipe", "--private-network", *options, *command]


def _unpack(root: Path) -> None:
    mirror = _mirror()
    newer = [f"{package}/{SUITE}-backports" for package in _NEWER_PACKAGES]
    command = ["mmdebstrap", "--quiet", "--variant=minbase", "--aptopt=Acquire::Languages none"]
    command += [f"--include={','.join([*_PACKAGES, *newer])}", SUITE, str(root)]
    subprocess.run([*command, *(f"deb {mirror} {suite} main" for suite in (SUITE, f"{SUITE}-backports"))], check=True)


def _install(root: Path) -> None:
    """picamera2 from Python's package index, because Debian has none, and the memory for its buffers."""
    machine = ["systemd-nspawn", "--quiet", f"--directory={root}", "--register=no", "--keep-unit", "--console=pipe"]
    compiler = ["gcc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC"]
    for command in (
        ["python3", "-m", "venv", "--system-site-packages", "/opt/camera"],
        ["/opt/camera/bin/pip", "install", "--quiet", "--no-deps", *_PICAMERA2],
        [*compiler, "-o", "/opt/memfd_heap.so", "/opt/lane/memfd_heap.c", "-ldl"],
    ):
        subprocess.run([*machine, f"--bind-ro={HERE}:/opt/lane", *like_host(), *command], check=True)


def _mirror() -> str:
    """The package source of this machine."""
    sources = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]
    text = "\n".join(path.read_text() for path in sources if path.is_file())
    found = re.search(r"^(?:URIs:|deb(?: \[.*?\])?)\s+(\S+/debian/?)(?:\s|$)", text, re.MULTILINE)
    if found is None:
        raise LaneError("this lane needs a Debian mirror, and /etc/apt names none")
    return found[1]
