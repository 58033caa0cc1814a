"""Numbers of 16 bits ("halves", IEEE 754 binary16): weights are rounded to them once, and half as many bytes are read.

A decision is bound by fetching weights. What halves hold exactly is kept as their bits (numba knows no type for them),
and widened in the kernel that multiplies: each number is the same as before, so every sum is, too.
"""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.aligned import aligned_copy

Array = NDArray[np.float32]


def round_to_halves(numbers: NDArray[np.floating]) -> Array:
    """The float32 numbers nearest to `numbers`, of any shape, that halves can hold; infinite beyond 65,504.

    >>> round_to_halves(np.array([0.1, 1.0])).tolist()
    [0.0999755859375, 1.0]
    """
    with np.errstate(over="ignore"):
        return numbers.astype(np.float16).astype(np.float32)


def are_halves(*arrays: Array) -> bool:
    """Whether halves hold every number of these arrays.

    >>> are_halves(np.float32([0.5, -2]), np.float32([1])), are_halves(np.float32([0.1]))
    (True, False)
    """
    return all(np.array_equal(round_to_halves(numbers), numbers) for numbers in arrays)


def bits_of_halves(numbers: Array) -> NDArray[np.uint16]:
    """The bits of numbers that halves hold, read-only, from the beginning of a line of the cache on.

    >>> bits_of_halves(np.float32([1, -2])).tolist() == [0x3C00, 0xC000]
    True
    """
    return aligned_copy(numbers.astype(np.float16).view(np.uint16))
