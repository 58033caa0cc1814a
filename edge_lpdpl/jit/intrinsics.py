"""What numba lacks: arrays at an address or seen otherwise, at no cost, and single instructions.

The functions are what they mean in plain Python; under each stands what numba compiles instead.
"""

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
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
    memory = (ctypes.c_uint8 * (np.dtype(dtype).itemsize * int(np.prod(shape)))).from_address(int(address))
    array = np.frombuffer(memory, dtype).reshape(shape)
    return array if array.dtype.names is None else array.view(np.recarray)


def flat(array: NDArray[Any]) -> NDArray[Any]:
    """A C-contiguous array as one row."""
    return array.reshape(-1)


def as_words(array: NDArray[Any]) -> NDArray[np.int64]:
    """A C-contiguous row as words of eight bytes, as many as are whole."""
    return array[: array.nbytes // 8 * 8 // array.itemsize].view(np.int64)


def trailing_zeros(word: int) -> int:
    """Bits below the lowest one that is set in a word that is not 0.

    >>> trailing_zeros(0b101000)
    3
    """
    return (int(word) & -int(word)).bit_length() - 1


def lesser(one: float, other: float) -> float:
    """The lesser of two numbers that are neither NaN nor zeros of opposite sign: one instruction, where `min` is three.

    >>> lesser(2.5, 1.5)
    1.5
    """
    return min(one, other)


def fused(factor: Any, other: Any, term: Any) -> Any:
    """factor * other + term in float32, rounded once.

    In float64 the product is exact. The sum is rounded to odd there (where it is not exact, to the neighbour whose last
    bit is set), which makes the second rounding right (Boldo and Melquiond, "Emulation of FMA and correctly rounded
    sums: proved algorithms using rounding to odd", 2008).

    >>> float(fused(np.float32(1 + 2**-23), np.float32(1 - 2**-23), np.float32(-1))) == -(2**-46)
    True
    """
    product, term = np.multiply(factor, other, dtype=np.float64), np.asarray(term, np.float64)
    total = np.asarray(product + term)
    added = total - product
    lost = (product - (total - added)) + (term - added)
    is_even = total.view(np.int64) % 2 == 0
    towards = np.where(lost > 0, np.inf, -np.inf)
    return np.where((lost != 0) & is_even, np.nextafter(total, towards), total).astype(np.float32)


def widened(number: Any) -> Any:
    """A number, or an array of them, in float32: of float32 itself, or of the bits of halves in uint16.

    >>> float(widened(np.uint16(0x3C00))), float(widened(np.float32(0.5)))
    (1.0, 0.5)
    """
    return number.view(np.float16).astype(np.float32) if number.dtype == np.uint16 else number


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


@overload(as_words)
def _as_words(array):
    return lambda array: carray(_pointer(array.ctypes.data, np.int64), (array.nbytes // 8,))


@intrinsic
def _count_trailing_zeros(typing_context, word):
    def codegen(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@overload(trailing_zeros)
def _trailing_zeros(word):
    return lambda word: _count_trailing_zeros(word)


@intrinsic
def _lesser_number(typing_context, one, other):
    def codegen(context, builder, signature, arguments):
        # No NaN and no sign of zero to care for; nothing is reordered, so the bits stay the same.
        is_less = builder.fcmp_ordered("<", *arguments, flags=("nnan", "nsz"))
        return builder.select(is_less, *arguments, flags=("nnan", "nsz"))

    return types.float32(types.float32, types.float32), codegen


@overload(lesser)
def _lesser(one, other):
    return lambda one, other: _lesser_number(one, other)


@intrinsic
def _multiply_add(typing_context, factor, other, term):
    def codegen(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float32(types.float32, types.float32, types.float32), codegen


@overload(fused)
def _fused(factor, other, term):
    return lambda factor, other, term: _multiply_add(factor, other, term)


def widen(context, builder, numbers):
    """What `widened` means, in LLVM: `numbers` is a value or a vector, which float32 ones stay as they are.

    Finite halves alone. Every aarch64 processor has an instruction for them; x86 ones without it put the bits into
    their places in a float32, which is too small by a power of two then.
    """
    kind = numbers.type
    width = kind.count if isinstance(kind, ir.VectorType) else 0

    def like(element, value=None):
        wide = ir.VectorType(element, width) if width else element
        return wide if value is None else ir.Constant(wide, [value] * width if width else value)

    if (kind.element if width else kind) == ir.FloatType():
        return numbers
    codegen, word = context.codegen(), ir.IntType(32)
    if not codegen._tm.triple.startswith("x86_64") or "+f16c" in codegen._tm_features:
        return builder.fpext(builder.bitcast(numbers, like(ir.HalfType())), like(ir.FloatType()))
    bits = builder.zext(numbers, like(word))
    size = builder.shl(builder.and_(bits, like(word, 0x7FFF)), like(word, 13))
    size = builder.fmul(builder.bitcast(size, like(ir.FloatType())), like(ir.FloatType(), 2.0**112))
    sign = builder.shl(builder.and_(bits, like(word, 0x8000)), like(word, 16))
    return builder.bitcast(builder.or_(builder.bitcast(size, like(word)), sign), like(ir.FloatType()))


@intrinsic
def _widen(typing_context, number):
    def codegen(context, builder, signature, arguments):
        return widen(context, builder, arguments[0])

    return types.float32(number), codegen


@overload(widened)
def _widened(number):
    return lambda number: _widen(number)
