"""Sixty-four numbers of a row at once: what is true of each is a bit of a word, lowest bit first.

Each function states its meaning in plain Python. numba compiles the few instructions in the second half of the file.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from edge_lpdpl.jit.intrinsics import compile_as, instruction, repeat
from edge_lpdpl.jit.memory import WORD


def bits_above(numbers: NDArray[Any], first: int, level: int) -> np.int64:
    """Which of the WORD numbers from `first` on are above `level`; all are unsigned.

    >>> bin(bits_above(np.array([3, 9, 9, *[0] * 61], np.uint8), 0, 3))
    '0b110'
    """
    return _as_word(numbers[first : first + WORD] > level)


def bits_unlike(numbers: NDArray[Any], first: int, level: int) -> np.int64:
    """Which of the WORD numbers from `first` on are not `level`."""
    return _as_word(numbers[first : first + WORD] != level)


def keep_bits(bits: int, source: NDArray[Any], target: NDArray[Any], first: int) -> None:
    """target[first + i] = source[first + i] where bit i is set, else 0, for i below WORD."""
    is_kept = np.array([bits]).view(np.uint8)
    target[first : first + WORD] = source[first : first + WORD] * np.unpackbits(is_kept, bitorder="little")


def reverse_bits(word: int) -> np.int64:
    """The bits of a word in the opposite order.

    >>> int(reverse_bits(1)) == -(2**63)
    True
    """
    return _as_word(np.unpackbits(np.array([word]).view(np.uint8)).reshape(-1, 8)[::-1].ravel())


def count_bits(word: int) -> int:
    """How many bits of a word are set.

    >>> count_bits(-1)
    64
    """
    return int(word).bit_count() if word >= 0 else WORD - (~int(word)).bit_count()


def _as_word(is_set: NDArray[Any]) -> np.int64:
    word: np.int64 = np.packbits(is_set, bitorder="little").view(np.int64)[0]
    return word  # no Python integer: arithmetic on words wraps around


def _numbers_at(context, builder, kind, array, first):
    """Pointer to the WORD numbers of an array from `first` on."""
    data = context.make_array(kind)(context, builder, array).data
    vector = ir.VectorType(context.get_value_type(kind.dtype), WORD)
    return builder.bitcast(builder.gep(data, [first]), vector.as_pointer())


def _comparison(operator):
    """An intrinsic that compares WORD numbers with one."""

    @intrinsic
    def compare(typing_context, numbers, first, level):
        def codegen(context, builder, signature, arguments):
            pointer = _numbers_at(context, builder, signature.args[0], *arguments[:2])
            size = context.get_value_type(numbers.dtype).width // 8
            found = builder.load(pointer, align=size)
            level = repeat(builder, arguments[2], WORD)
            return builder.bitcast(builder.icmp_unsigned(operator, found, level), ir.IntType(WORD))

        return types.int64(numbers, types.int64, numbers.dtype), codegen

    return compare


compile_as(bits_above, _comparison(">"))
compile_as(bits_unlike, _comparison("!="))


@intrinsic
def _keep(typing_context, bits, source, target, first):
    def codegen(context, builder, signature, arguments):
        source, target = (
            _numbers_at(context, builder, signature.args[place], arguments[place], arguments[3]) for place in (1, 2)
        )
        # Eight copies of each byte of the word, and one bit of each copy.
        pixels, places = ir.VectorType(ir.IntType(8), WORD), ir.VectorType(ir.IntType(32), WORD)
        octets = builder.bitcast(arguments[0], ir.VectorType(ir.IntType(8), WORD // 8))
        spread = builder.shuffle_vector(octets, octets, ir.Constant(places, [bit // 8 for bit in range(WORD)]))
        own = builder.and_(spread, ir.Constant(pixels, [1 << bit % 8 for bit in range(WORD)]))
        none = ir.Constant(pixels, None)
        is_set = builder.icmp_unsigned("!=", own, none)
        builder.store(builder.select(is_set, builder.load(source, align=1), none), target, align=1)
        return context.get_dummy_value()

    return types.void(types.int64, source, target, types.int64), codegen


def _of_word(builder, name, word):
    """One of LLVM's instructions on a word."""
    kind = ir.FunctionType(word.type, [word.type])
    return builder.call(builder.module.declare_intrinsic(f"llvm.{name}.i{WORD}", fnty=kind), [word])


compile_as(keep_bits, _keep)
instruction(reverse_bits, types.int64(types.int64), lambda builder, word: _of_word(builder, "bitreverse", word))
instruction(count_bits, types.int64(types.int64), lambda builder, word: _of_word(builder, "ctpop", word))
