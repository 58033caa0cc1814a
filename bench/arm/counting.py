"""What the stages do on an emulated core: run with the counter in the emulator, and read what it wrote."""

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
"""Bytes of a line of every cache."""
SOURCE = Path(__file__).with_name("counter.c")


class Block(NamedTuple):
    """Instructions that ran one after the other; counts are for all pictures together."""

    address: int
    executions: int
    mispredictions: int
    words: str
    """The instructions, eight hexadecimal digits each."""
    compiled: bool
    """Part of a kernel; else of Python or a library."""

    @property
    def instructions(self) -> int:
        """How many ran."""
        return self.executions * (len(self.words) // 8)


class Count(NamedTuple):
    """What one stage does on pictures of one look, all together."""

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
    """Those of them that a prefetcher foresees: they go on with lines in a row."""
    l2_misses: int
    l2_streamed: int
    """Those of them that it foresees."""
    l2_from_memory: int
    """Those of the others that no larger cache can have either."""
    mispredictions: int
    blocks: list[Block]

    @property
    def kernel_instructions(self) -> int:
        """Without Python and the libraries."""
        return sum(block.instructions for block in self.blocks if block.compiled)


def make_counter() -> None:
    """Unpack an emulator that takes plugins, which static ones do not, and compile the plugin.

    Raises:
        SystemExit: that cannot be done here.
    """
    make_machines()
    if not QEMU.exists():
        make_anew(QEMU, lambda folder: unpack(folder, "amd64", "bookworm", "qemu-user"))
    if not PLUGIN.exists() or PLUGIN.stat().st_mtime < SOURCE.stat().st_mtime:
        install({"gcc": "gcc", "/usr/include/stdlib.h": "libc6-dev"} if shutil.which("gcc") is None else {})
        run(["gcc", "-std=c11", "-O2", "-Wall", "-shared", "-fPIC", "-o", str(PLUGIN), str(SOURCE)])


def count_stages(core: str, model: str = "chinese15", size: int = 64, stage: str | None = None) -> list[Count]:
    """Count every stage, or one, on the shipped pictures of the model's numerals, `size` pixels a side.

    The counter has to be there: see `make_counter`.
    """
    compile_kernels(core, [part for part in PARTS if stage in (None, part)])
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lines.jsonl"
        arguments = ["-m", "arm.guest", model, str(size), *([stage] if stage else [])]
        told = json.loads(run_counted(core, arguments, lines))
        with lines.open() as written:
            return list(_read(told, written))


def run_counted(core: str, arguments: Sequence[str], lines: Path) -> str:
    """Run Python with `arguments` on an emulated core; returns what it prints, while the counter writes `lines`.

    Raises:
        SystemExit: it failed.
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
