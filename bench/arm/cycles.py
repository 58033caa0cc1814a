"""Cycles of blocks of instructions, from llvm-mca's model of a core, and their disassembly."""

import json
import re
import subprocess
from collections.abc import Iterable

from arm.machine import install

MCA, DISASSEMBLER = "llvm-mca-19", "llvm-mc-19"
ROUNDS = 50
_TRIPLE, _EVERYTHING = "aarch64-linux-gnu", "-mattr=+all"
"""Accepts all instructions. The compiler and the emulator restrict them to those of the core."""
_ATOMIC = re.compile(r"(?:(?:ld(?:add|clr|eor|set)|swp|cas)[alp]*\t\w+, |ldapr\t)(\w+), (\[\w+\])")
"""Atomic instructions, such as those of reference counts. They are replaced by loads, because the model of the Neoverse
N1 lacks them; they are few."""


def disassemble(blocks: Iterable[str]) -> dict[str, list[str]]:
    """Disassemble blocks of hexadecimal words: block to the text of its instructions.

    Raises:
        SystemExit: a word is not an instruction; the message names it.
    """
    install({DISASSEMBLER: "llvm-19"})
    blocks = list(dict.fromkeys(blocks))
    octets = [" ".join(f"0x{word[at : at + 2]}" for at in (6, 4, 2, 0)) for block in blocks for word in _words(block)]
    done = _run([DISASSEMBLER, "--disassemble", f"-triple={_TRIPLE}", _EVERYTHING], "\n".join(octets))
    lines = [re.sub(r"\s*//.*", "", line).strip() for line in done.stdout.splitlines()]
    lines = [line for line in lines if line and not line.startswith(".")]
    if len(lines) != len(octets):
        unread = {octets[int(number) - 1] for number in re.findall(r"^<stdin>:(\d+):", done.stderr, re.MULTILINE)}
        raise SystemExit(
            f"{DISASSEMBLER} reads {len(lines)} of {len(octets)} instructions, but not {'; '.join(sorted(unread))}"
        )
    texts, at = {}, 0
    for block in blocks:
        texts[block] = lines[at : at + len(block) // 8]
        at += len(block) // 8
    return texts


def block_cycles(blocks: Iterable[str], model: str) -> dict[str, tuple[float, float]]:
    """Cycles of one execution of each block: the bound by throughput, and the mean of repeated runs in the model."""
    install({MCA: "llvm-19"})
    texts = disassemble(blocks)
    regions = []  # marks start with # because llvm-mca 19 ignores marks after //
    for block, lines in texts.items():
        regions += [
            f"# LLVM-MCA-BEGIN {block}",
            *(_ATOMIC.sub(r"ldr\t\1, \2", line) for line in lines),
            "# LLVM-MCA-END",
        ]
    options = [
        f"-mtriple={_TRIPLE}",
        f"-mcpu={model}",
        _EVERYTHING,
        f"-iterations={ROUNDS}",
        "-call-latency=1",
        "--json",
    ]
    done = _run([MCA, *options], "\n".join(regions) + "\n")
    found = {}
    for region in json.loads(done.stdout)["CodeRegions"]:
        summary = region["SummaryView"]
        found[region["Name"]] = (summary["BlockRThroughput"], summary["TotalCycles"] / ROUNDS)
    return found


def _words(block: str) -> list[str]:
    return [block[at : at + 8] for at in range(0, len(block), 8)]


def _run(arguments: list[str], text: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(arguments, input=text, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if not line.startswith(("warning:", "note:"))]
        raise SystemExit(f"{arguments[0]} failed: {' '.join(errors)[:500]}")
    return done
