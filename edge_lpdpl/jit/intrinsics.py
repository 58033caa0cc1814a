"""What numba lacks: arrays at an address, the parts of a record, arrays of another shape at no cost, and single
instructions.

Each function states its meaning in plain Python. What numba compiles instead is in the second half of the file.
"""

import ctypes
import inspect
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.core.typing.npydecl import parse_dtype
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, overload, register_model
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray

from edge_lpdpl.jit.record import fields_of


def array_at(address: int, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """The C-contiguous array that lies at an address; it does not own its memory.

    >>> numbers = np.arange(6)
    >>> array_at(numbers.ctypes.data, (2, 3), np.int64).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    memory = (ctypes.c_uint8 * (np.dtype(dtype).itemsize * int(np.prod(shape)))).from_address(int(address))
    array = np.frombuffer(memory, dtype).reshape(shape)
    return array if array.dtype.names is None else array.view(np.recarray)


def part_of(record: Any, kind: Any, dtype: Any = None) -> Any:
    """The tuple of one kind of declaration (`edge_lpdpl.jit.record`) that a record holds: its numbers and its arrays.

    Args:
        record: an element of an array whose layout includes `kind`.
        dtype: of the arrays whose declaration leaves it open.
    """
    parts = []
    for field in fields_of(kind):
        shape = tuple(record[length] if isinstance(length, str) else length for length in field.shape)
        number = record[field.name]
        parts.append(array_at(number, shape, dtype if field.dtype is Any else field.dtype) if shape else number)
    return kind(*parts)


def flat(array: NDArray[Any]) -> NDArray[Any]:
    """A C-contiguous array as one row."""
    return array.reshape(-1)


def as_words(array: NDArray[Any]) -> NDArray[np.int64]:
    """The whole words of eight bytes in a C-contiguous row."""
    return array[: array.nbytes // 8 * 8 // array.itemsize].view(np.int64)


def trailing_zeros(word: int) -> int:
    """Bits below the lowest one that is set in a word that is not 0.

    >>> trailing_zeros(0b101000)
    3
    """
    return (int(word) & -int(word)).bit_length() - 1


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
    """A number or an array as float32, from float32 itself or from the bits of float16 in uint16.

    >>> float(widened(np.uint16(0x3C00))), float(widened(np.float32(0.5)))
    (1.0, 0.5)
    """
    return number.view(np.float16).astype(np.float32) if number.dtype == np.uint16 else number


def compile_as(plain, compiled):
    """Compile calls of `plain` to calls of `compiled` with the same arguments."""
    names = ", ".join(inspect.signature(plain).parameters)
    overload(plain)(eval(f"lambda {names}: lambda {names}: compiled({names})", {"compiled": compiled}))


def instruction(plain, signature, build):
    """Compile calls of `plain` to what `build(builder, *values)` emits; `signature` is numba's."""
    known = {"signature": signature, "codegen": lambda context, builder, _, values: build(builder, *values)}
    names = ", ".join(inspect.signature(plain).parameters)
    compile_as(plain, intrinsic(eval(f"lambda context, {names}: (signature, codegen)", known)))


@intrinsic
def _pointer(typing_context, address, dtype):
    pointer = types.CPointer(parse_dtype(dtype))

    def codegen(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(pointer))

    return pointer(address, dtype), codegen


@overload(array_at)
def _array_at(address, shape, dtype):
    return lambda address, shape, dtype: carray(_pointer(address, dtype), shape)


class PartType(types.Type):
    """What `part_of` makes, for numba: the address of the record. A field is read where it is used.

    To numba a tuple is its members, and an array is seven numbers: a call that passes the buffers of a page would pass
    250 values, and most of the machine code would move them.
    """

    def __init__(self, record, kind, dtype):
        self.record, self.fields = record, {field.name: field for field in fields_of(kind)}
        self.dtype = None if isinstance(dtype, (types.NoneType, types.Omitted)) else parse_dtype(dtype)
        self._identity = record, kind, self.dtype
        super().__init__(f"{kind.__module__}.{kind.__qualname__}({self.dtype})")

    @property
    def key(self):
        """By which numba tells types apart."""
        return self._identity

    def type_of(self, name):
        """Type of one of its fields."""
        field = self.fields[name]
        if not field.shape:
            return self.record.typeof(name)
        dtype = self.dtype if field.dtype is Any else from_dtype(np.dtype(field.dtype))
        return types.Array(dtype, len(field.shape), "C")


register_model(PartType)(models.OpaqueModel)


@intrinsic
def _part(typing_context, record, kind, dtype):
    part = PartType(record, kind.instance_class, dtype)
    kept = ir.IntType(8).as_pointer()
    return part(record, kind, dtype), lambda context, builder, _, values: builder.bitcast(values[0], kept)


@overload(part_of)
def _part_of(record, kind, dtype=None):
    return lambda record, kind, dtype=None: _part(record, kind, dtype)


@infer_getattr
class _Fields(AttributeTemplate):
    key = PartType

    def generic_resolve(self, part, name):
        return part.type_of(name) if name in part.fields else None


@lower_getattr_generic(PartType)
def _field(context, builder, part, address, name):
    def number(name):
        kind = part.record.typeof(name)
        place = builder.gep(address, [ir.IntType(32)(part.record.offset(name))])
        found = builder.load(builder.bitcast(place, context.get_data_type(kind).as_pointer()))
        # Kernels write into arrays, never into a record. Without this it would be read again after each such write.
        found.set_metadata("invariant.load", builder.module.add_metadata([]))
        return context.data_model_manager[kind].from_data(builder, found)

    field, kind = part.fields[name], part.type_of(name)
    if not field.shape:
        return number(name)
    word = context.get_value_type(types.intp)
    shape = [number(length) if isinstance(length, str) else word(length) for length in field.shape]
    strides = [word(context.get_abi_sizeof(context.get_data_type(kind.dtype)))]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    array = context.make_array(kind)(context, builder)
    data = builder.inttoptr(number(name), context.get_data_type(kind.dtype).as_pointer())
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=strides[-1], meminfo=None)
    return array._getvalue()


@overload(flat)
def _flat(array):
    return lambda array: carray(_pointer(array.ctypes.data, array.dtype), (array.size,))


@overload(as_words)
def _as_words(array):
    return lambda array: carray(_pointer(array.ctypes.data, np.int64), (array.nbytes // 8,))


instruction(trailing_zeros, types.int64(types.int64), lambda builder, word: builder.cttz(word, ir.IntType(1)(1)))
instruction(fused, types.float32(*[types.float32] * 3), lambda builder, *values: builder.fma(*values))


def widen(context, builder, numbers):
    """`widened` in LLVM, for a value or a vector of finite numbers.

    Every aarch64 processor has an instruction for it. On x86 without F16C, the bits are put into their places in a
    float32, which is then too small by a power of two.
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
    return types.float32(number), lambda context, builder, _, values: widen(context, builder, *values)


compile_as(widened, _widen)


def repeat(builder, value, width):
    """A vector of one number, in LLVM."""
    place = ir.IntType(32)
    first = builder.insert_element(ir.Constant(ir.VectorType(value.type, width), ir.Undefined), value, place(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(place, width), [0] * width))
