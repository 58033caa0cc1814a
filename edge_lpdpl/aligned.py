"""Arrays that begin where a line of the cache does: a vector that straddles two lines is fetched twice."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

CACHE_LINE = 64
"""Bytes, on every processor that this runs on."""


def aligned_zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Like `numpy.zeros`, whose arrays begin at any sixteenth byte.

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
