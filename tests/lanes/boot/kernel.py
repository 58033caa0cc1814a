"""Debian's own kernel for aarch64, and the little first system that mounts the disk and hands over to systemd.

Debian's own first system would be made by minutes of emulated shell, and does nothing else here.
"""

import lzma
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from debian import LaneError, debian_root

PACKAGES = ("linux-image-arm64", "busybox-static")
OPTIONS = (  # unpacked without running any program, not even the script of base-files, which makes this link
    *("--arch=arm64", "--variant=extract"),
    '--setup-hook=ln -s usr/lib "$1/lib"',
)
NEEDED = ("virtio_blk", "ext4")
INIT = """\
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs devtmpfs /dev
for module in /modules/*; do
    /bin/busybox insmod "$module"
done
/bin/busybox mount -t ext4 /dev/vda /root
exec /bin/busybox switch_root /root /sbin/init
"""


class Kernel(NamedTuple):
    """Kernel and initrd of the machine."""

    image: Path
    first_system: Path
    modules: Path
    """Drivers, for /usr/lib/modules of the disk."""


def make_kernel(folder: Path) -> Kernel:
    """The kernel, with a first system made in `folder`.

    Raises:
        LaneError: it cannot be had.
    """
    unpacked = debian_root(PACKAGES, options=OPTIONS)
    (image,) = unpacked.glob("boot/vmlinuz-*")
    release = image.name.removeprefix("vmlinuz-")
    _run("depmod", "-b", str(unpacked), release)
    first = folder / "first"
    for name in ("bin", "dev", "modules", "root"):
        (first / name).mkdir(parents=True)
    shutil.copy2(unpacked / "usr/bin/busybox", first / "bin/busybox")
    (first / "init").write_text(INIT)
    (first / "init").chmod(0o755)
    for number, driver in enumerate(_drivers(unpacked, release)):
        name = driver.name.removesuffix(".xz")
        (first / f"modules/{number:02}-{name}").write_bytes(lzma.decompress(driver.read_bytes()))
    archive = folder / "first.cpio"
    with archive.open("wb") as written:
        names = "\n".join(str(path.relative_to(first)) for path in sorted(first.rglob("*")))
        cpio = ["cpio", "--quiet", "--create", "--format=newc"]
        subprocess.run(cpio, cwd=first, input=names.encode(), stdout=written, check=True)
    return Kernel(image, archive, unpacked / "usr/lib/modules")


def _drivers(unpacked: Path, release: str) -> list[Path]:
    """Modules to load, in this order."""
    lines = _run("modprobe", "--all", "-d", str(unpacked), "-S", release, "--show-depends", *NEEDED).splitlines()
    return [Path(line.split()[1]) for line in lines if line.startswith("insmod ")]


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise LaneError(f"{' '.join(command)}: {done.stderr}")
    return done.stdout
