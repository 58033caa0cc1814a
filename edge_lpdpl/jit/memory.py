"""Arrays that begin at a cache line, because a vector across two lines is fetched twice; and numbers in float16."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LANES = 16
"""Pixels that are resampled at once."""

WORD = 64
"""Pixels of a row in one word of a bitmap. Kernels may touch as many bytes behind the end of a picture."""

CACHE_LINE = 64
"""Bytes, on every processor that this runs on."""


def aligned_zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Like `numpy.zeros`, which aligns to sixteen bytes, but aligned to a cache line.

    >>> aligned_zeros((3, 5), np.float32).ctypes.data % CACHE_LINE
    0
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + size].view(dtype).reshape(shape)


def aligned_copy(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only copy of an array, C-contiguous.

    >>> aligned_copy(np.array([[1, 2], [3, 4]]).T).tolist()
    [[1, 3], [2, 4]]
    """
    copy = aligned_zeros(array.shape, array.dtype)
    copy[...] = array
    copy.setflags(write=False)
    return copy


Array = NDArray[np.float32]


def round_to_float16(numbers: NDArray[np.floating]) -> Array:
    """`numbers`, of any shape, rounded to the nearest of float16, as float32; infinite beyond 65,504.

    >>> round_to_float16(np.array([0.1, 1.0])).tolist()
    [0.0999755859375, 1.0]
    """
    with np.errstate(over="ignore"):
        return numbers.astype(np.float16).astype(np.float32)


def fit_float16(*arrays: Array) -> bool:
    """Whether float16 holds every number of these arrays.

    >>> fit_float16(np.float32([0.5, -2]), np.float32([1])), fit_float16(np.float32([0.1]))
    (True, False)
    """
    return all(np.array_equal(round_to_float16(numbers), numbers) for numbers in arrays)


def float16_bits(numbers: Array) -> NDArray[np.uint16]:
    """The bits of numbers that float16 holds, read-only and aligned to a cache line.

    >>> float16_bits(np.float32([1, -2])).tolist() == [0x3C00, 0xC000]
    True
    """
    return aligned_copy(numbers.astype(np.float16).view(np.uint16))
