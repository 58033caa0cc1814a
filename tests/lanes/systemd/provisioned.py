"""`provision.sh` run twice on a fresh Debian, and the files compared."""

import hashlib
import os
import stat
import time
from pathlib import Path
from typing import NamedTuple

from box import Box

OURS = ("etc", "opt", "srv", "usr/lib/systemd", "usr/lib/sysusers.d", "usr/lib/tmpfiles.d", "usr/lib/udev", "usr/local")
"""Folders that `provision.sh` may change, besides apt's packages. Some tests look at `var` too."""
PICTURES = """\
[frames]
source = "/srv/frames"
picture_ms = 300
repeat = true
"""

Manifest = dict[str, str]


class Provisioned(NamedTuple):
    """A root, the output of two runs, and the files after each."""

    root: Path
    first: str
    second: str
    after_first: Manifest
    after_second: Manifest
    seconds: tuple[float, float]


def provision(root: Path, checkout: Path) -> Provisioned:
    """Run `provision.sh` twice in `root`, which is changed."""
    script = "/srv/checkout/firmware_scripts/provision.sh"
    with Box(root, network=True, keep=True, binds={checkout: "/srv/checkout"}) as box:
        pictures = "/srv/checkout/edge_lpdpl/library/shipped_pictures"
        box.write("/etc/edge-lpdpl/config.toml", PICTURES.replace("/srv/frames", pictures))
        start = time.monotonic()
        first = box.run(script, timeout=600)
        middle = time.monotonic()
        after_first = manifest(root)
        second = box.run(script, timeout=600)
        seconds = (middle - start, time.monotonic() - middle)
        after_second = manifest(root)
        assert box.value("ActiveState") == "active"
        box.write("/etc/edge-lpdpl/config.toml", PICTURES)
        box.run("systemctl", "disable", "--quiet", "edge-lpdpl")  # each test starts the service itself
    return Provisioned(root, first, second, after_first, after_second, seconds)


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
