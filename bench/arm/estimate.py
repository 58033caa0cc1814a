"""From counts to microseconds: two bounds, and no pretence of more. The reasoning is in docs/arm.md."""

from collections.abc import Sequence
from typing import NamedTuple

from arm.cores import CORES
from arm.counting import COLD, LINE, Count
from arm.cycles import block_cycles


class Estimate(NamedTuple):
    """One stage on one core, for one picture."""

    least_cycles: float
    """Every unit of the core busy, no cache missed, no branch mispredicted."""
    most_cycles: float
    """Every block waits for its own chain of results, every miss and misprediction for itself."""
    least_us: float
    most_us: float


def estimate_all(core: str, counts: Sequence[Count]) -> list[Estimate]:
    """Bounds for every count of one core."""
    words = dict.fromkeys(block.words for count in counts for block in count.blocks)
    by_model = [block_cycles(words, model) for model in CORES[core].models]
    least = {block: min(cycles[block][0] for cycles in by_model) for block in words}
    most = {block: max(max(cycles[block]) for cycles in by_model) for block in words}
    return [_estimate(core, count, least, most) for count in counts]


def _estimate(core: str, count: Count, least: dict[str, float], most: dict[str, float]) -> Estimate:
    here, pictures = CORES[core], count.pictures
    fewest = sum(least[block.words] * block.executions for block in count.blocks)
    running = sum(most[block.words] * block.executions for block in count.blocks)
    waiting = (
        (count.l1i_misses + count.l1d_misses) * here.l2_cycles
        + _beyond_l2(core, count) * here.gigahertz
        + count.mispredictions * here.misprediction_cycles
    )
    low, high = fewest / pictures, (running + waiting) / pictures
    return Estimate(low, high, low / here.gigahertz / 1000, high / here.gigahertz / 1000)


def _beyond_l2(core: str, count: Count) -> float:
    """Nanoseconds: of cold caches, lines in a row come at the rate of the memory, because every core fetches ahead."""
    here = CORES[core]
    if count.look != COLD:
        return count.l2_misses * here.beyond_l2_nanoseconds
    alone = count.l2_misses - count.l2_next_line_misses
    return alone * here.memory_nanoseconds + count.l2_next_line_misses * LINE / here.gigabytes_a_second
