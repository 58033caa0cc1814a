"""The cores of the Raspberry Pis, as far as an estimate needs them. Sources and doubts: docs/arm.md."""

from typing import NamedTuple


class Core(NamedTuple):
    """One kind of core, on the board that is named. Prices are what is paid when nothing else hides them."""

    board: str
    gigahertz: float
    models: tuple[str, ...]
    """Names of llvm-mca's models that bracket it."""
    l1i: tuple[int, int]
    """Bytes and ways."""
    l1d: tuple[int, int]
    l2: tuple[int, int]
    streams: int
    """Runs of lines that its prefetcher follows at a time."""
    l2_cycles: float
    """When the first level misses and the second has it."""
    beyond_l2_nanoseconds: float
    """When the second level misses and what is asked for has been used lately: memory, or a third level."""
    memory_nanoseconds: float
    """When nothing but memory has it."""
    gigabytes_a_second: float
    """What one core reads from memory in sequence."""
    misprediction_cycles: float


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
"""By the name that compilers have for them. LLVM has no model of the A76; the Neoverse N1 is the same design."""
