"""Arrays in kernels that cost nothing to make: at an address, and another array seen flat.

The functions are what they mean in plain Python; under each stands what numba compiles instead.
"""

import ctypes
from typing import Any

import numpy as np
from numba import carray, types
from numba.core.typing.npydecl import parse_dtype
from numba.extending import intrinsic, overload
from numpy.typing import NDArray


def array_at(address: int, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """The C-contiguous array that lies at an address; it does not own its memory.

    >>> numbers = np.arange(6)
    >>> array_at(numbers.ctypes.data, (2, 3), np.int64).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    memory = (ctypes.c_uint8 * (np.dtype(dtype).itemsize * int(np.prod(shape)))).from_address(address)
    return np.frombuffer(memory, dtype).reshape(shape)


def flat(array: NDArray[Any]) -> NDArray[Any]:
    """A C-contiguous array as one row."""
    return array.reshape(-1)


@intrinsic
def _pointer(typing_context, address, dtype):
    pointer = types.CPointer(parse_dtype(dtype))

    def codegen(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(pointer))

    return pointer(address, dtype), codegen


@overload(array_at)
def _array_at(address, shape, dtype):
    return lambda address, shape, dtype: carray(_pointer(address, dtype), shape)


@overload(flat)
def _flat(array):
    return lambda array: carray(_pointer(array.ctypes.data, array.dtype), (array.size,))
