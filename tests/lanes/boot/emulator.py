"""An emulated machine with a Cortex-A72: switched on, checked from inside, then switched off or cut from power."""

import json
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

from debian import LaneError
from kernel import Kernel

TOOLS = {"qemu-system-aarch64": "qemu-system-arm", "cpio": "cpio", "modprobe": "kmod", "mke2fs": "e2fsprogs"}
MACHINE = ("-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", "1024", "-nic", "none", "-no-reboot")
WORDS = (
    *("console=ttyAMA0", "systemd.firstboot=no", "systemd.mask=serial-getty@ttyAMA0.service"),
    *("systemd.journald.forward_to_console=1", "systemd.journald.max_level_console=info", "systemd.show_status=0"),
)
"""Kernel command line: the journal goes to the serial console, without a login there."""
PATIENCE = 1800
"""Limit in seconds, from power-on to power-off."""


class Cut(NamedTuple):
    """A moment at which the power is cut."""

    step: str
    """What the checks tell first ..."""
    seconds: float = 0.0
    """... and for how long the machine goes on then."""


_AT_THEIR_WORD = Cut("cut")


class Boot(NamedTuple):
    """Results of one run, from power-on to power-off."""

    steps: dict[str, dict[str, Any]]
    """Findings of the checks, by step."""
    seconds: float
    clean: bool
    """Whether the file system was unmounted cleanly."""


def boot(kernel: Kernel, disk: Path, checks: str, console: Path, cut: Cut = _AT_THEIR_WORD) -> Boot:
    """Switch the machine on, and wait until it is off or its power is cut.

    Args:
        disk: its image, which is changed.
        checks: which of them run.
        console: where its serial console is written.

    Raises:
        LaneError: it was not off in time, or ended without having told everything.
    """
    told = console.with_suffix(".jsonl")
    told.unlink(missing_ok=True)
    command = ["qemu-system-aarch64", *MACHINE, "-display", "none", "-monitor", "none"]
    command += ["-kernel", str(kernel.image), "-initrd", str(kernel.first_system)]
    command += ["-append", " ".join((*WORDS, f"checks={checks}"))]
    command += ["-drive", f"if=none,id=disk,format=raw,file={disk}", "-device", "virtio-blk-pci,drive=disk"]
    command += ["-chardev", f"file,id=told,path={told}", "-device", "virtio-serial-pci"]
    command += ["-device", "virtserialport,chardev=told,name=checks", "-serial", f"file:{console}"]
    begin = time.monotonic()
    machine = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        moment, size = None, 0
        while machine.poll() is None and (moment is None or time.monotonic() < moment):
            if time.monotonic() > begin + PATIENCE:
                raise LaneError(f"the machine was not off after {PATIENCE} s:\n{_tail(console)}")
            if moment is None and told.exists() and told.stat().st_size != size:
                size = told.stat().st_size
                moment = time.monotonic() + cut.seconds if cut.step in _steps(told) else None
            time.sleep(0.02)
    finally:
        machine.kill()
        machine.wait()
    steps = _steps(told)
    if not {"end", cut.step} & steps.keys():
        raise LaneError(f"the machine went off before its checks were through:\n{_tail(console)}")
    return Boot(steps, time.monotonic() - begin, _is_clean(disk))


def _is_clean(disk: Path) -> bool:
    """Whether the file system has no fault and an empty journal."""
    head = subprocess.run(["dumpe2fs", "-h", str(disk)], capture_output=True, text=True, check=True).stdout
    faults = subprocess.run(["e2fsck", "-fn", str(disk)], capture_output=True).returncode
    return faults == 0 and "needs_recovery" not in head


def _steps(told: Path) -> dict[str, dict[str, Any]]:
    """The lines that have arrived; the last may be incomplete."""
    text = told.read_text() if told.exists() else ""
    found = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
    return {step["step"]: step for step in found}


def _tail(console: Path) -> str:
    lines = console.read_text(errors="replace").splitlines() if console.exists() else []
    return "\n".join([*lines[-60:], f"all of it: {console}"])
