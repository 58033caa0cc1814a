"""`provision.sh` run twice on a fresh Debian, and the files compared."""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from box import Box
from debian import cache_folder, kept

from edge_lpdpl.jit.store import processor_name

OURS = ("etc", "opt", "srv", "usr/lib/systemd", "usr/lib/sysusers.d", "usr/lib/tmpfiles.d", "usr/lib/udev", "usr/local")
"""Folders that `provision.sh` may change, besides apt's packages. Some tests look at `var` too."""
PICTURES = """\
[frames]
source = "/srv/frames"
picture_ms = 300
repeat = true
"""

_GIVEN = (
    *("pyproject.toml", "README.md", "LICENSE", "edge_lpdpl", "train_host", "locks"),
    *("systemd", "firmware_scripts", "docs/install.md"),
)
"""What `provision.sh` reads: `digest_of_program` in it, and what it runs and installs besides."""
_UNUSED_SECONDS = 2 * 3600

Manifest = dict[str, str]


class Provisioned(NamedTuple):
    """A root, the output of two runs, and the files after each."""

    root: Path
    first: str
    second: str
    after_first: Manifest
    after_second: Manifest
    seconds: Sequence[float]


def provisioned_root(fresh: Path, checkout: Path) -> Provisioned:
    """`fresh` after `provision.sh`, which compiles kernels for minutes: kept until something changes that it installs.

    A root that no lane has used for two hours is deleted.
    """
    name = f"provisioned-{_digest(fresh, checkout)}"
    for result in cache_folder().glob("provisioned-*/result.json"):
        if result.parent.name != name and time.time() - result.stat().st_mtime > _UNUSED_SECONDS:
            shutil.rmtree(result.parent, ignore_errors=True)
    folder = kept(name, lambda making: _provision(fresh, checkout, making))
    result = folder / "result.json"
    result.touch()
    return Provisioned(folder / "root", **json.loads(result.read_text()))


def _digest(fresh: Path, checkout: Path) -> str:
    """Changes with `fresh`, with `_GIVEN`, with this file, and with the processor."""
    parts = [fresh.name, str(fresh.stat().st_mtime), processor_name(), Path(__file__).read_text()]
    for given in _GIVEN:
        path = checkout / given
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                content = hashlib.sha256(file.read_bytes()).hexdigest()
                parts.append(f"{file.relative_to(checkout)} {file.stat().st_mode:o} {content}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _provision(fresh: Path, checkout: Path, folder: Path) -> None:
    """Make `folder`: `root`, in which `provision.sh` has run twice, and `result.json`, the rest of `Provisioned`."""
    script = "/srv/checkout/firmware_scripts/provision.sh"
    folder.mkdir()
    root = folder / "root"
    subprocess.run(["cp", "--archive", "--reflink=auto", fresh, root], check=True)
    with Box(root, network=True, keep=True, binds={checkout: "/srv/checkout"}) as box:
        pictures = "/srv/checkout/edge_lpdpl/library/shipped_pictures"
        box.write("/etc/edge-lpdpl/config.toml", PICTURES.replace("/srv/frames", pictures))
        start = time.monotonic()
        first = box.run(script, timeout=1800)
        middle = time.monotonic()
        after_first = manifest(root)
        second = box.run(script, timeout=1800)
        seconds = (middle - start, time.monotonic() - middle)
        after_second = manifest(root)
        assert box.value("ActiveState") == "active"
        box.write("/etc/edge-lpdpl/config.toml", PICTURES)
        box.run("systemctl", "disable", "--quiet", "edge-lpdpl")  # each test starts the service itself
    result = Provisioned(root, first, second, after_first, after_second, seconds)._asdict()
    del result["root"]  # it is renamed
    (folder / "result.json").write_text(json.dumps(result))


def manifest(root: Path, folders: tuple[str, ...] = OURS) -> Manifest:
    """Every path below `folders` with its type, mode, owner and content."""
    found = {}
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            found[str(path.relative_to(root))] = _entry(path)
    return found


def _entry(path: Path) -> str:
    state = path.lstat()
    content = ""
    if stat.S_ISLNK(state.st_mode):
        content = os.readlink(path)
    elif stat.S_ISREG(state.st_mode):
        content = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return f"{stat.filemode(state.st_mode)} {state.st_uid}:{state.st_gid} {content}"
