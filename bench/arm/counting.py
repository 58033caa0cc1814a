"""Counts what the stages do on an emulated core: runs them with the counter plugin and reads its output."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from arm.cores import CORES
from arm.machine import (
    FOLDER,
    command,
    compile_kernels,
    environment,
    install,
    make_anew,
    make_machines,
    run,
    started_by,
    unpack,
)
from arm.stages import PARTS

QEMU = FOLDER / "qemu"
PLUGIN = FOLDER / "libcounter.so"
LINE = 64
"""Bytes of a cache line."""
SOURCE = Path(__file__).with_name("counter.c")


class Block(NamedTuple):
    """A block of instructions that run one after the other. Counts are for all pictures together."""

    address: int
    executions: int
    mispredictions: int
    words: str
    """The instructions, eight hexadecimal digits each."""
    compiled: bool
    """Whether it is part of a kernel, not of Python or a library."""

    @property
    def instructions(self) -> int:
        """Count of executed instructions."""
        return self.executions * (len(self.words) // 8)


class Count(NamedTuple):
    """Counts of one stage for all pictures of one look together."""

    stage: str
    look: str
    pictures: int
    instructions: int
    loads: int
    stores: int
    bytes_loaded: int
    bytes_stored: int
    l1i_misses: int
    l1d_misses: int
    l1d_streamed: int
    """The `l1d_misses` that a prefetcher foresees, because they continue a stream of consecutive lines."""
    l2_misses: int
    l2_streamed: int
    """The `l2_misses` that a prefetcher foresees."""
    l2_from_memory: int
    """The other `l2_misses` whose line is only in memory, in no larger cache."""
    mispredictions: int
    blocks: list[Block]

    @property
    def kernel_instructions(self) -> int:
        """Count of executed instructions in kernels, without Python and the libraries."""
        return sum(block.instructions for block in self.blocks if block.compiled)


def make_counter() -> None:
    """Unpack an emulator that can load plugins (static ones cannot) and compile the plugin.

    Raises:
        SystemExit: this machine cannot do so.
    """
    make_machines()
    if not QEMU.exists():
        make_anew(QEMU, lambda folder: unpack(folder, "amd64", "bookworm", "qemu-user"))
    if not PLUGIN.exists() or PLUGIN.stat().st_mtime < SOURCE.stat().st_mtime:
        install({"gcc": "gcc", "/usr/include/stdlib.h": "libc6-dev"} if shutil.which("gcc") is None else {})
        run(["gcc", "-std=c11", "-O2", "-Wall", "-shared", "-fPIC", "-o", str(PLUGIN), str(SOURCE)])


def count_stages(core: str, model: str = "chinese15", size: int = 64, stage: str | None = None) -> list[Count]:
    """Count every stage, or one stage, on the shipped pictures of the model's numerals.

    The counter must exist: call `make_counter` first.

    Args:
        size: side of the pictures in pixels.
    """
    compile_kernels(core, [part for part in PARTS if stage in (None, part)])
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lines.jsonl"
        arguments = ["-m", "arm.guest", model, str(size), *([stage] if stage else [])]
        told = json.loads(run_counted(core, arguments, lines))
        with lines.open() as written:
            return list(_read(told, written))


def run_counted(core: str, arguments: Sequence[str], lines: Path) -> str:
    """Run Python with `arguments` on an emulated core and return its output. The counter writes to the file `lines`.

    Raises:
        SystemExit: the command failed.
    """
    qemu = [*started_by(QEMU), str(QEMU / "usr/bin/qemu-aarch64"), "-plugin", f"{PLUGIN},{_options(core, lines)}"]
    return run(command(core, arguments, qemu), environment(core))


def _options(core: str, lines: Path) -> str:
    caches = {"l1i": CORES[core].l1i, "l1d": CORES[core].l1d, "l2": CORES[core].l2}
    sizes = [f"{name}={size},{name}ways={ways}" for name, (size, ways) in caches.items()]
    return ",".join([f"out={lines}", f"streams={CORES[core].streams}", *sizes])


def _read(told: dict, written: Iterator[str]) -> Iterator[Count]:
    compiled = told["compiled"]
    for (stage, look, pictures), line in zip(told["lines"], written, strict=True):
        figures = json.loads(line)
        blocks = [
            Block(address, executions, wrong, words, any(start <= address < stop for start, stop in compiled))
            for address, executions, wrong, words in figures.pop("blocks")
        ]
        yield Count(stage, look, pictures, **figures, blocks=blocks)
