"""Data of the Raspberry Pi cores that an estimate needs. Sources and uncertainties: docs/arm.md."""

from typing import NamedTuple


class Core(NamedTuple):
    """One kind of core, on the named board. Latencies are full ones, not hidden behind other work."""

    board: str
    gigahertz: float
    models: tuple[str, ...]
    """Names of the llvm-mca models from which the bounds are computed."""
    l1i: tuple[int, int]
    """Bytes and ways of the instruction cache of the first level."""
    l1d: tuple[int, int]
    """Bytes and ways of the data cache of the first level."""
    l2: tuple[int, int]
    """Bytes and ways of the cache of the second level."""
    streams: int
    """Streams of consecutive lines that the prefetcher follows at a time."""
    l2_cycles: float
    """Latency of a miss in the first level that hits in the second, in cycles."""
    beyond_l2_nanoseconds: float
    """Latency of a miss in the second level for a line that was used recently: from memory, or a third level."""
    memory_nanoseconds: float
    """Latency of a line that is only in memory."""
    gigabytes_a_second: float
    """Rate at which one core reads consecutive lines from memory, per second."""
    misprediction_cycles: float
    """Cost of a mispredicted branch."""


CORES = {
    "cortex-a53": Core(
        board="Zero 2 W",
        gigahertz=1.0,
        models=("cortex-a53", "cortex-a55"),
        l1i=(32 << 10, 2),
        l1d=(32 << 10, 4),
        l2=(512 << 10, 16),
        streams=2,
        l2_cycles=15,
        beyond_l2_nanoseconds=200,
        memory_nanoseconds=200,
        gigabytes_a_second=1.4,
        misprediction_cycles=9,
    ),
    "cortex-a72": Core(
        board="Pi 4",
        gigahertz=1.8,
        models=("cortex-a72",),
        l1i=(48 << 10, 3),
        l1d=(32 << 10, 2),
        l2=(1 << 20, 16),
        streams=2,
        l2_cycles=18,
        beyond_l2_nanoseconds=150,
        memory_nanoseconds=150,
        gigabytes_a_second=3.5,
        misprediction_cycles=16,
    ),
    "cortex-a76": Core(
        board="Pi 5",
        gigahertz=2.4,
        models=("neoverse-n1",),
        l1i=(64 << 10, 4),
        l1d=(64 << 10, 4),
        l2=(512 << 10, 8),
        streams=2,
        l2_cycles=11,
        beyond_l2_nanoseconds=30,
        memory_nanoseconds=130,
        gigabytes_a_second=8.0,
        misprediction_cycles=13,
    ),
}
"""By the compilers' names of the cores. LLVM has no model of the A76; the Neoverse N1 is the same design."""
