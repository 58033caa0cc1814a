"""The disk of the machine: Debian 13 for aarch64, the package, frames to read, and the checks."""

import shutil
import subprocess
import sys
from pathlib import Path

from checkout import copy_checkout
from debian import changeable, debian_root
from foreign import run_with_aarch64
from kernel import Kernel

HERE = Path(__file__).parent
CORE = "cortex-a72"
PACKAGES = (
    *("systemd", "systemd-sysv", "dbus", "udev", "kmod"),
    *("python3", "python3-numpy", "python3-pil", "python3-numba"),  # dependencies of the package
)
SIZE = "1800M"
SETTINGS = """\
[frames]
source = "/srv/frames"
picture_ms = 1000
repeat = true
"""


ENTRIES = ("edge_lpdpl.numeral.engine", "edge_lpdpl.page.searcher", "edge_lpdpl.number.finder")


def make_package(folder: Path) -> Path:
    """The package, with machine code for the core, as a release has it (`make kernels`, then `build_deb.sh`)."""
    checkout = folder / "checkout"
    checkout.mkdir()
    copy_checkout(checkout)
    compiled = [sys.executable, "-m", "edge_lpdpl.jit.cross", CORE, "edge_lpdpl/jit/shipped_kernels", *ENTRIES]
    subprocess.run(compiled, cwd=checkout, check=True)
    subprocess.run([checkout / "firmware_scripts/build_deb.sh", "--output", folder], check=True)
    (package,) = folder.glob("*.deb")
    return package


def make_disk(folder: Path, kernel: Kernel, package: Path, frames: Path) -> Path:
    """An image of the disk, in `folder`.

    Raises:
        LaneError: the system for it cannot be made here.
    """
    disk, changed = folder / "disk.img", folder / "changed"
    changed.mkdir()
    root = debian_root(PACKAGES, options=["--arch=arm64"], run=run_with_aarch64)
    with changeable(root, changed) as system:
        shutil.copytree(kernel.modules, system / "usr/lib/modules", dirs_exist_ok=True)
        shutil.copytree(frames, system / "srv/frames")
        (system / "srv/frames").chmod(0o755)  # the service's user needs access
        for name in ("checks", "given"):
            (system / "srv" / name).mkdir()
        shutil.copy2(package, system / "srv/given/edge-lpdpl.deb")
        for program in (HERE / "checks.py", HERE / "probe_devices.py", HERE.parent / "systemd/probe.py"):
            shutil.copy2(program, system / "srv/checks")
        unit = system / "etc/systemd/system/checks.service"
        shutil.copy2(HERE / "checks.service", unit)
        (unit.parent / "multi-user.target.wants").mkdir(exist_ok=True)
        (unit.parent / "multi-user.target.wants" / unit.name).symlink_to(unit.name)
        (system / "etc/hostname").write_text("pi\n")
        (system / "etc/edge-lpdpl").mkdir()
        (system / "etc/edge-lpdpl/config.toml").write_text(SETTINGS)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", str(system), str(disk), SIZE], check=True)
    return disk
