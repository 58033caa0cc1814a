"""Cost of a decision on a Raspberry Pi, without one: counted instructions, modelled cycles, estimated microseconds.

    python bench/arm_cost.py                                      all stages, all cores
    python bench/arm_cost.py --stage hog --core cortex-a72        15 seconds, half of it for the compiler
    python bench/arm_cost.py --stage hog --core cortex-a72 --blocks 5     with the blocks of instructions that run most
    python bench/arm_cost.py --stage worst --model latin10        the frames that cost most; minutes
    python bench/arm_cost.py --check                              compare with the baseline in bench/arm/baseline.json
    python bench/arm_cost.py --record                             write a new baseline

Run it as root on Debian, on x86-64. It installs what it needs (`docs/arm.md`).
"""

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from arm import baseline
from arm.cores import CORES
from arm.counting import Count, count_stages, make_counter
from arm.cycles import disassemble
from arm.estimate import Estimate, estimate_all
from arm.stages import FRAME_STAGES, PICTURE_STAGES, WORST

from edge_lpdpl.files.text import table

GATED = ("cortex-a53", "cortex-a72")
STAGES = (*PICTURE_STAGES, *FRAME_STAGES, WORST)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    gate = options.check or options.record
    cores = options.core or (GATED if gate else list(CORES))
    make_counter()
    with ThreadPoolExecutor() as together:  # counts do not depend on the load of the machine
        counted = together.map(lambda core: count_stages(core, options.model, options.size, options.stage), cores)
        counts = dict(zip(cores, counted, strict=True))
    if options.record:
        baseline.record(counts)
    if gate:
        complaints = baseline.complaints(counts)
        for line in complaints:
            print(line)
        if not complaints:
            print(f"{sum(map(len, counts.values()))} counts within {baseline.SLACK:.0%} of the baseline, or below")
        return bool(complaints)
    estimates = {core: estimate_all(core, counts[core]) for core in cores}
    if options.json:
        print(json.dumps({core: as_dicts(counts[core], estimates[core]) for core in cores}, indent=2))
        return 0
    for core in cores:
        print(report(core, counts[core], estimates[core]))
        if options.blocks:
            print("\n".join(hot_blocks(counts[core], options.blocks)))
    return 0


def report(core: str, counts: Sequence[Count], estimates: Sequence[Estimate]) -> str:
    """The table of one core: a row per stage and look, all figures for one picture."""
    head = ["stage", "look", "instructions", "in kernels", "loaded", "stored", "L1D", "L2", "wrong", "cycles", "us"]
    rows = [head]
    for count, estimate in zip(counts, estimates, strict=True):
        figures = (
            *(count.instructions, count.kernel_instructions, count.bytes_loaded, count.bytes_stored),
            *(count.l1d_misses, count.l2_misses, count.mispredictions),
        )
        cycles = f"{estimate.least_cycles:,.0f}..{estimate.most_cycles:,.0f}"
        microseconds = f"{estimate.least_us:.0f}..{estimate.most_us:.0f}"
        shown = [f"{figure / count.pictures:,.0f}" for figure in figures]
        rows.append([count.stage, count.look, *shown, cycles, microseconds])
    title = f"{core} ({CORES[core].board}, {CORES[core].gigahertz} GHz), for one picture"
    return f"\n{title}\n\n{table(rows, '<<' + '>' * (len(head) - 2))}"


def hot_blocks(counts: Sequence[Count], most: int) -> list[str]:
    """The `most` blocks of instructions of every stage that ran most, disassembled, as lines of text."""
    lines = []
    for count in counts:
        lines.append(f"\n{count.stage}, {count.look}")
        blocks = sorted(count.blocks, key=lambda block: -block.instructions)[:most]
        texts = disassemble(block.words for block in blocks)
        for block in blocks:
            place = "kernel" if block.compiled else "library"
            share = block.instructions / count.instructions
            times = block.executions / count.pictures
            lines.append(f"  {block.address:#x} {place}, {times:,.1f} times, {share:.1%} of all instructions")
            lines += [f"    {line.expandtabs(8)}" for line in texts[block.words]]
    return lines


def as_dicts(counts: Sequence[Count], estimates: Sequence[Estimate]) -> list[dict[str, object]]:
    """Counts and estimates as dictionaries, ready for JSON. All figures are for one picture."""
    found = []
    for count, estimate in zip(counts, estimates, strict=True):
        per_picture = {
            name: round(getattr(count, name) / count.pictures, 1)
            for name in (*Count._fields[3:-1], "kernel_instructions")
        }
        found.append({"stage": count.stage, "look": count.look, **per_picture, **estimate._asdict()})
    return found


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--stage", choices=STAGES, help="only this stage (default: all but `worst`)")
    parser.add_argument("--core", action="append", choices=list(CORES), help="may be given several times")
    parser.add_argument("--model", default="chinese15", help="a shipped model (%(default)s)")
    parser.add_argument("--size", type=int, default=64, metavar="PIXELS", help="side of a picture (%(default)s)")
    parser.add_argument("--blocks", type=int, default=0, metavar="N", help="show the N blocks that ran most")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="fail where counts exceed the baseline")
    parser.add_argument("--record", action="store_true", help="write these counts to the baseline")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
