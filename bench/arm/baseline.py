"""The baseline: recorded instruction counts of the stages. A change that takes more must record a new baseline."""

import json
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from arm.counting import Count
from arm.machine import PYTHON

FILE = Path(__file__).with_name("baseline.json")
SLACK = 0.02
"""Share by which a count may exceed the baseline."""
COMPILERS = ("numba", "llvmlite")

Instructions = dict[str, dict[str, int]]
"""Instructions for one picture: core to `stage/look` to count."""


def instructions(counts: Mapping[str, Sequence[Count]]) -> Instructions:
    """Retired instructions for one picture, for each core."""
    return {
        core: {f"{c.stage}/{c.look}": round(c.instructions / c.pictures) for c in of} for core, of in counts.items()
    }


def versions() -> dict[str, str]:
    """Versions of the compilers of the kernels, and of the Python that calls them."""
    return {"python": PYTHON} | {name: metadata.version(name) for name in COMPILERS}


def record(counts: Mapping[str, Sequence[Count]]) -> None:
    """Write these counts to the baseline. Counts of other cores stay as they are."""
    known = json.loads(FILE.read_text())["instructions"] if FILE.exists() else {}
    content = {"versions": versions(), "instructions": known | instructions(counts)}
    FILE.write_text(json.dumps(content, indent=2) + "\n")


def complaints(counts: Mapping[str, Sequence[Count]]) -> list[str]:
    """One line for each count that exceeds the baseline or is missing from it, or that is in it and was not counted."""
    baseline = json.loads(FILE.read_text())
    found = []
    for core, now in instructions(counts).items():
        before = baseline["instructions"].get(core, {})
        for name, count in now.items():
            if name not in before:
                found.append(f"{core} {name}: {count:,} instructions, not in the baseline")
            elif count > before[name] * (1 + SLACK):
                found.append(
                    f"{core} {name}: {count:,} instructions, {count / before[name] - 1:+.1%} from {before[name]:,}"
                )
        found += [f"{core} {name}: in the baseline, but not counted" for name in before.keys() - now.keys()]
    then = baseline["versions"]
    changed = [
        f"{name} {version} instead of {then.get(name)}"
        for name, version in versions().items()
        if version != then.get(name)
    ]
    if found and changed:
        found.append(f"the compiler has changed ({', '.join(changed)}): if that explains the counts, record them again")
    return found
