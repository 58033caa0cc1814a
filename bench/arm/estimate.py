"""From counts to microseconds: two bounds, and no pretence of more. The reasoning is in docs/arm.md."""

from collections.abc import Sequence
from typing import NamedTuple

from arm.cores import CORES
from arm.counting import LINE, Count
from arm.cycles import block_cycles

AT_A_TIME = 2
"""Lines of a stream that are on their way together, at the least."""


class Estimate(NamedTuple):
    """One stage on one core, for one picture."""

    least_cycles: float
    """Every unit of the core busy, no cache missed, no branch mispredicted."""
    most_cycles: float
    """Every block waits for its own chain of results, every misprediction and every miss that nothing foresees for
    itself."""
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
        _from_l2(core, count)
        + _beyond_l2(core, count) * here.gigahertz
        + count.mispredictions * here.misprediction_cycles
    )
    low, high = fewest / pictures, (running + waiting) / pictures
    return Estimate(low, high, low / here.gigahertz / 1000, high / here.gigahertz / 1000)


def _from_l2(core: str, count: Count) -> float:
    """Cycles: of lines in a row the next one is on its way while the first is waited for."""
    misses = count.l1i_misses + count.l1d_misses
    return (misses - count.l1d_streamed * (1 - 1 / AT_A_TIME)) * CORES[core].l2_cycles


def _beyond_l2(core: str, count: Count) -> float:
    """Nanoseconds: lines in a row come at the rate of the memory, others each after its latency."""
    here = CORES[core]
    lately = count.l2_misses - count.l2_streamed - count.l2_from_memory
    waited = lately * here.beyond_l2_nanoseconds + count.l2_from_memory * here.memory_nanoseconds
    return waited + count.l2_streamed * LINE / here.gigabytes_a_second
