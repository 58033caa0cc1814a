"""Random numbers that are the same on every machine and with every NumPy: raw PCG64 bits and exact arithmetic.

`numpy.random.Generator` may change its streams between releases, and its normal deviates use the C library's `log` and
`exp`. The raw bits of PCG64 and the seeds of SeedSequence never change, and sums of uniform numbers are rounded in the
same way everywhere.
"""

from math import prod

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_TO_UNIT: float = 2.0**-53


class Dice:
    """A stream of random numbers for a seed and a key: equal keys give equal streams, other keys unrelated ones.

    >>> Dice(7, 1).unit(3).tolist() == Dice(7, 1).unit(3).tolist() != Dice(7, 2).unit(3).tolist()
    True
    """

    def __init__(self, seed: int, *key: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key))

    def unit(self, *shape: int) -> Array:
        """Uniform float64 numbers in [0, 1), of the given shape."""
        raw: NDArray[np.uint64] = self._bits.random_raw(prod(shape))
        return (raw >> np.uint64(11)).astype(np.float64).reshape(shape) * _TO_UNIT

    def bell(self, *shape: int) -> Array:
        """Bell-shaped float64 numbers in [-3, 3], mean 0, variance 1, of the given shape: sums of three uniforms."""
        throws = self.unit(3, *shape)
        total: Array = throws[0] + throws[1] + throws[2]
        return 2.0 * total - 3.0

    def between(self, low: float, high: float) -> float:
        """One uniform number between two bounds."""
        return low + (high - low) * float(self.unit(1)[0])

    def around(self, mean: float, deviation: float) -> float:
        """One bell-shaped number, at most three deviations from its mean."""
        return mean + deviation * float(self.bell(1)[0])

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return bool(self.unit(1)[0] < probability)
