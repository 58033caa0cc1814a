"""Sixty-four numbers in a row as the bits of a word: the lowest bit is the first one's.

The functions are what they mean in plain Python; under each stands what numba compiles instead, a few instructions.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from edge_lpdpl.jit.memory import WORD


def bits_above(numbers: NDArray[Any], first: int, level: int) -> int:
    """Which of the WORD numbers from `first` on are above `level`; all are unsigned.

    >>> bin(bits_above(np.array([3, 9, 9, *[0] * 61], np.uint8), 0, 3))
    '0b110'
    """
    return _as_word(numbers[first : first + WORD] > level)


def bits_unlike(numbers: NDArray[Any], first: int, level: int) -> int:
    """Which of the WORD numbers from `first` on are not `level`."""
    return _as_word(numbers[first : first + WORD] != level)


def keep_bits(bits: int, source: NDArray[Any], target: NDArray[Any], first: int) -> None:
    """target[first + i] = source[first + i] where bit i is set, else 0, for i below WORD."""
    is_kept = np.array([bits]).view(np.uint8)
    target[first : first + WORD] = source[first : first + WORD] * np.unpackbits(is_kept, bitorder="little")


def reverse_bits(word: int) -> int:
    """The bits of a word in the opposite order.

    >>> reverse_bits(1) == -(2**63)
    True
    """
    return _as_word(np.unpackbits(np.array([word]).view(np.uint8)).reshape(-1, 8)[::-1].ravel())


def count_bits(word: int) -> int:
    """How many bits of a word are set.

    >>> count_bits(-1)
    64
    """
    return int(word).bit_count() if word >= 0 else WORD - (~int(word)).bit_count()


def _as_word(is_set: NDArray[Any]) -> int:
    return int(np.packbits(is_set, bitorder="little").view(np.int64)[0])


def _numbers_at(context, builder, kind, array, first):
    """A pointer to the WORD numbers of an array from `first` on."""
    data = context.make_array(kind)(context, builder, array).data
    vector = ir.VectorType(context.get_value_type(kind.dtype), WORD)
    return builder.bitcast(builder.gep(data, [first]), vector.as_pointer())


def _same(vector, value):
    return ir.Constant(vector, [value] * vector.count)


def _repeat(builder, value, kind):
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.IntType(32)(0))
    return builder.shuffle_vector(first, first, _same(ir.VectorType(ir.IntType(32), WORD), 0))


def _comparison(operator):
    """An intrinsic that compares WORD numbers with one."""

    @intrinsic
    def compare(typing_context, numbers, first, level):
        def codegen(context, builder, signature, arguments):
            pointer = _numbers_at(context, builder, signature.args[0], *arguments[:2])
            size = context.get_value_type(numbers.dtype).width // 8
            found = builder.load(pointer, align=size)
            level = _repeat(builder, arguments[2], found.type)
            return builder.bitcast(builder.icmp_unsigned(operator, found, level), ir.IntType(WORD))

        return types.int64(numbers, types.int64, numbers.dtype), codegen

    return compare


_above, _unlike = _comparison(">"), _comparison("!=")


@overload(bits_above)
def _bits_above(numbers, first, level):
    return lambda numbers, first, level: _above(numbers, first, level)


@overload(bits_unlike)
def _bits_unlike(numbers, first, level):
    return lambda numbers, first, level: _unlike(numbers, first, level)


@intrinsic
def _keep(typing_context, bits, source, target, first):
    def codegen(context, builder, signature, arguments):
        source, target = (
            _numbers_at(context, builder, signature.args[place], arguments[place], arguments[3]) for place in (1, 2)
        )
        # Every byte of the word, eight times over, and of each copy another bit.
        pixels, places = ir.VectorType(ir.IntType(8), WORD), ir.VectorType(ir.IntType(32), WORD)
        octets = builder.bitcast(arguments[0], ir.VectorType(ir.IntType(8), WORD // 8))
        spread = builder.shuffle_vector(octets, octets, ir.Constant(places, [bit // 8 for bit in range(WORD)]))
        own = builder.and_(spread, ir.Constant(pixels, [1 << bit % 8 for bit in range(WORD)]))
        is_set = builder.icmp_unsigned("!=", own, _same(pixels, 0))
        builder.store(builder.select(is_set, builder.load(source, align=1), _same(pixels, 0)), target, align=1)
        return context.get_dummy_value()

    return types.void(types.int64, source, target, types.int64), codegen


@overload(keep_bits)
def _keep_bits(bits, source, target, first):
    return lambda bits, source, target, first: _keep(bits, source, target, first)


def _of_word(name):
    """An intrinsic that is an instruction of LLVM on one word."""

    @intrinsic
    def change(typing_context, word):
        def codegen(context, builder, signature, arguments):
            kind = ir.IntType(WORD)
            instruction = builder.module.declare_intrinsic(f"llvm.{name}.i{WORD}", fnty=ir.FunctionType(kind, [kind]))
            return builder.call(instruction, arguments)

        return types.int64(types.int64), codegen

    return change


_reversed, _count = _of_word("bitreverse"), _of_word("ctpop")


@overload(reverse_bits)
def _reverse_bits(word):
    return lambda word: _reversed(word)


@overload(count_bits)
def _count_bits(word):
    return lambda word: _count(word)
