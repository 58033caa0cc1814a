"""Cuts the power while a model is installed, again and again, each start showing what the cut before it left."""

import os
from pathlib import Path
from typing import NamedTuple

from debian import LaneError
from emulator import Boot, Cut, boot
from kernel import Kernel

CUTS = int(os.environ.get("EDGE_LPDPL_CUTS", "20"))
"""Power cuts during installations of a model."""
Moment = tuple[str, float]
"""A phase of an installation, and how much of it has passed: from 0 to 1."""
READING, WRITING, AFTER = "installing", "writing", "installed"
"""Phases: the new model is read and tested; the slots are changed; the command has ended."""
_AFTER = 2.0  # seconds that the last phase lasts
_QUARTER = 4


class CutBoot(NamedTuple):
    """One start: the model it reads with, and the installation that was cut off."""

    boot: Boot
    cut: Cut | None
    """None: nothing was cut off."""

    @property
    def model(self) -> str:
        """The model of the first decision after power-on."""
        return str(self.boot.steps["reads"]["model"])

    @property
    def new_model(self) -> str:
        """The model whose installation was cut off."""
        return str(self.boot.steps[READING]["model"])

    @property
    def finished(self) -> bool:
        """Whether the command had ended before the cut."""
        return AFTER in self.boot.steps


def moments(count: int, machines: int) -> list[list[Moment]]:
    """Moments for each machine: a quarter while the model is tested, most while the slots change, a tenth after."""
    reading = count // _QUARTER
    after = count // 10
    writing = count - reading - after
    phases = ((READING, reading), (WRITING, writing), (AFTER, after))
    found = [(phase, (number + 0.5) / most) for phase, most in phases for number in range(most)]
    return [found[number::machines] for number in range(machines)]


def cut_off(kernel: Kernel, disk: Path, planned: list[Moment]) -> list[CutBoot]:
    """Install once to see how long each phase lasts, then cut off an installation at each planned moment.

    Returns:
        all starts: the first one installs whole, the last one ends cleanly.

    Raises:
        LaneError: a start reads nothing.
    """
    starts = [_start(kernel, disk, Cut(AFTER, _AFTER))]
    lasts = starts[0].boot.steps
    length = {
        READING: lasts[WRITING]["at"] - lasts[READING]["at"],
        WRITING: lasts[AFTER]["at"] - lasts[WRITING]["at"],
        AFTER: _AFTER,
    }
    for phase, share in planned:
        starts.append(_start(kernel, disk, Cut(phase, share * length[phase])))
    done = boot(kernel, disk, "after_cuts", disk.with_suffix(".log"))
    return [*starts, CutBoot(done, None)]


def _start(kernel: Kernel, disk: Path, cut: Cut) -> CutBoot:
    found = boot(kernel, disk, "install_model", disk.with_suffix(".log"), cut)
    if "failed" in found.steps:
        raise LaneError(f"a start after a cut: {found.steps['failed']['error']}")
    return CutBoot(found, cut)
