"""A machine from its setup until after a power cut, and the decisions of this machine on the same frames."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from cutting import CUTS, CutBoot, cut_off, moments
from debian import TOOLS, LaneError, require_host
from emulator import TOOLS as EMULATOR
from emulator import Boot, boot
from foreign import TOOLS as FOREIGN
from kernel import Kernel, make_kernel
from messages import Message, without_times
from system import make_disk, make_package

from edge_lpdpl.library.shipped import shipped_pictures

COMMANDS = Path(sys.executable).parent
SCENES = (
    "--source",
    "synthetic:writers=2,samples=2,script=chinese",
    "--numerals",
    "2-4",
    "--count",
    "4",
    "--seed",
    "13",
)
ONCE = ("model.backend=numba", "publish.socket=", "frames.picture_ms=300", "frames.repeat=false")


@pytest.fixture(scope="session", autouse=True)
def host() -> None:
    """Skips the lane if this host lacks something that it needs."""
    try:
        require_host({**TOOLS, **FOREIGN, **EMULATOR})
    except LaneError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped photographs of Chinese numerals, and scenes with several numerals."""
    folder = tmp_path_factory.mktemp("frames")
    for path in shipped_pictures():
        if path.name.startswith("chinese_") and path.stem.endswith("_paper"):
            (folder / path.name).write_bytes(path.read_bytes())
    scenes = tmp_path_factory.mktemp("scenes") / "scenes"
    subprocess.run([COMMANDS / "lpdpl-train", "scenes", "--quiet", *SCENES, "--output", scenes], check=True)
    for scene in scenes.glob("*.png"):
        scene.rename(folder / f"scene_{scene.name}")
    return folder


@pytest.fixture(scope="session")
def decided_here(frames: Path) -> list[Message]:
    """The decisions of the service on each frame on this processor, in the order of names."""
    changes = [word for change in ONCE for word in ("--set", change)]
    command = [COMMANDS / "edge-lpdpl", "run", "--config", "/dev/null", "--frames", frames, *changes]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [without_times(json.loads(line)) for line in done.stdout.splitlines()]


class Machine(NamedTuple):
    """What is switched on."""

    kernel: Kernel
    disk: Path


@pytest.fixture(scope="session")
def machine(frames: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine with the package to install."""
    folder = tmp_path_factory.mktemp("machine")
    try:
        kernel = make_kernel(folder)
        disk = make_disk(folder, kernel, make_package(tmp_path_factory.mktemp("package")), frames)
    except LaneError as error:
        pytest.fail(str(error), pytrace=False)
    return Machine(kernel, disk)


@pytest.fixture(scope="session")
def boots(machine: Machine) -> dict[str, Boot]:
    """The machine started three times: to install, again, and after a power cut."""
    folder = machine.disk.parent
    try:
        return {name: boot(*machine, name, folder / f"{name}.log") for name in ("install", "again", "after_cut")}
    except LaneError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def cuts(machine: Machine, boots: dict[str, Boot]) -> list[list[CutBoot]]:
    """Two copies of the machine, on each of which installations of a model are cut off, one start after the other."""
    disks = [machine.disk.with_name(f"disk{number}.img") for number in range(2)]
    for disk in disks:
        subprocess.run(["cp", "--sparse=always", machine.disk, disk], check=True)
    with ThreadPoolExecutor(len(disks)) as both:
        return list(both.map(partial(cut_off, machine.kernel), disks, moments(CUTS, len(disks))))


@pytest.fixture(params=["install", "again", "after_cut"])
def each_boot(request: pytest.FixtureRequest, boots: dict[str, Boot]) -> Boot:
    """Each start in turn."""
    return boots[request.param]
