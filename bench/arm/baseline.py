"""How many instructions the stages took when somebody last looked: a change that takes more has to say so."""

import json
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from arm.counting import Count
from arm.machine import PYTHON

FILE = Path(__file__).with_name("baseline.json")
SLACK = 0.02
COMPILERS = ("numba", "llvmlite")

Instructions = dict[str, dict[str, int]]
"""By `stage/look`, of each core."""


def instructions(counts: Mapping[str, Sequence[Count]]) -> Instructions:
    """Retired instructions for one picture, of each core."""
    return {
        core: {f"{c.stage}/{c.look}": round(c.instructions / c.pictures) for c in of} for core, of in counts.items()
    }


def versions() -> dict[str, str]:
    """What compiled the kernels, and the Python that called them."""
    return {"python": PYTHON} | {name: metadata.version(name) for name in COMPILERS}


def record(counts: Mapping[str, Sequence[Count]]) -> None:
    """Make these counts the ones that later ones are compared with; those of other cores stay."""
    known = json.loads(FILE.read_text())["instructions"] if FILE.exists() else {}
    content = {"versions": versions(), "instructions": known | instructions(counts)}
    FILE.write_text(json.dumps(content, indent=2) + "\n")


def complaints(counts: Mapping[str, Sequence[Count]]) -> list[str]:
    """What takes more instructions than it did, or is not in the file: one line each."""
    baseline = json.loads(FILE.read_text())
    found = []
    for core, now in instructions(counts).items():
        before = baseline["instructions"].get(core, {})
        for name, count in now.items():
            if name not in before:
                found.append(f"{core} {name}: {count:,} instructions, and none on record")
            elif count > before[name] * (1 + SLACK):
                found.append(
                    f"{core} {name}: {count:,} instructions, {count / before[name] - 1:+.1%} of {before[name]:,}"
                )
        found += [f"{core} {name}: on record, and not counted" for name in before.keys() - now.keys()]
    then = baseline["versions"]
    changed = [
        f"{name} {version} instead of {then.get(name)}"
        for name, version in versions().items()
        if version != then.get(name)
    ]
    if found and changed:
        found.append(f"the compiler is another one ({', '.join(changed)}): if that explains it, record the counts anew")
    return found
