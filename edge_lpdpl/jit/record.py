"""Records of settings and addresses, which a kernel takes instead of dozens of arrays."""

import ctypes
import struct
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray


def fill(
    layout: np.dtype[np.void], numbers: Mapping[str, float], arrays: Mapping[str, NDArray[Any]]
) -> NDArray[np.void]:
    """A record of that layout, (1,), with these numbers, and with the addresses of these arrays under their names.

    Raises:
        ValueError: an array has gaps between its rows.
    """
    state = np.zeros(1, layout)
    for name, number in numbers.items():
        state[name] = number
    for name, array in arrays.items():
        if not array.flags.c_contiguous:
            raise ValueError(f"{name} has gaps between its rows")
        state[name] = array.ctypes.data
    return state


def request_writer(state: NDArray[np.void], request: Any) -> Callable[..., None]:
    """What writes a request, given as its fields one by one, into a record that begins with it."""
    return partial(struct.Struct(f"{len(request._fields)}q").pack_into, state.view(np.uint8).data, 0)


def address_of(picture: NDArray[np.uint8]) -> int:
    """Where a C-contiguous picture begins in memory.

    Every frame asks for it, and `ctypes.data` costs as much as a search of 5,000 of its pixels.

    >>> picture = np.zeros((8, 8), np.uint8)
    >>> address_of(picture) == picture.ctypes.data
    True
    """
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(picture.data))
    except TypeError:  # it may not be written to
        return picture.ctypes.data
