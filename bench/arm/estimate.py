"""From counts to microseconds, as a lower and an upper bound. The reasoning is in docs/arm.md."""

from collections.abc import Sequence
from typing import NamedTuple

from arm.cores import CORES
from arm.counting import LINE, Count
from arm.cycles import block_cycles

AT_A_TIME = 2
"""Lines of a stream that are loaded at the same time, at least."""


class Estimate(NamedTuple):
    """One stage on one core, for one picture."""

    least_cycles: float
    """Lower bound: every unit of the core is busy, no cache misses, no branch is mispredicted."""
    most_cycles: float
    """Upper bound: every block waits for its own chain of results, and nothing overlaps with mispredictions and with
    misses that no prefetcher foresees."""
    least_us: float
    most_us: float


def estimate_all(core: str, counts: Sequence[Count]) -> list[Estimate]:
    """Bounds for every count of one core, in the order of `counts`."""
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
    """Cycles of waiting for the second level. In a stream, the next line is loaded during the wait for the first."""
    misses = count.l1i_misses + count.l1d_misses
    return (misses - count.l1d_streamed * (1 - 1 / AT_A_TIME)) * CORES[core].l2_cycles


def _beyond_l2(core: str, count: Count) -> float:
    """Nanoseconds of waiting beyond the second level. Streams take the memory's rate, other lines a latency each."""
    here = CORES[core]
    lately = count.l2_misses - count.l2_streamed - count.l2_from_memory
    waited = lately * here.beyond_l2_nanoseconds + count.l2_from_memory * here.memory_nanoseconds
    return waited + count.l2_streamed * LINE / here.gigabytes_a_second
