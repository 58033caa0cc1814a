"""Sums of weighted rows that stay in registers until all rows are added.

In a loop over arrays the compiler has to fetch and store every sum for every row, since it cannot know that the sums do
not overlap the weights; and it never keeps a row of sums in registers while it goes down the rows. So these two loops
are spelt out for it, in vectors that it cuts to the size of the processor's. Nothing is reordered: each sum adds up its
column from top to bottom, so the bits are those of the plain loop.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

WIDE, NARROW = 72, 8
"""Columns at once: 18 of the 32 registers that an aarch64 core has, or few of them for what is left over."""

_WIDEST = 16


def _parts(columns):
    """Vectors, as start and width, that cover some columns."""
    start = 0
    while start < columns:
        width = min(_WIDEST, 1 << (columns - start).bit_length() - 1)
        yield start, width
        start += width


def _repeat(builder, value, width):
    """A vector of one number."""
    kind, place = ir.VectorType(value.type, width), ir.IntType(32)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), value, place(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(place, width), [0] * width))


def _adder(columns):
    """A kernel that adds to `columns` sums at once."""

    def add(sums, rows, values, places, count, first):
        """sums[first:first + columns] += values[p] * rows[p, first:first + columns] for p in places[:count]."""
        weights, here = rows.reshape(len(rows), -1), slice(first, first + columns)
        for place in places[:count]:
            sums[here] += values[place] * weights[place, here]

    @intrinsic
    def add_in_registers(typing_context, sums, rows, values, places, count, first, stride):
        def codegen(context, builder, signature, arguments):
            arrays = zip(signature.args[:4], arguments[:4], strict=True)
            sums, rows, values, places = (context.make_array(kind)(context, builder, it).data for kind, it in arrays)
            count, first, stride = arguments[4:]
            parts = list(_parts(columns))
            sums = builder.gep(sums, [first])

            def vector(pointer, start, width):
                kind = ir.VectorType(ir.FloatType(), width)
                return builder.bitcast(builder.gep(pointer, [first.type(start)]), kind.as_pointer())

            kept = []
            for part in parts:
                total = builder.load(vector(sums, *part), align=4)
                kept.append(cgutils.alloca_once_value(builder, total))
            with cgutils.for_range(builder, count) as loop:
                place = builder.load(builder.gep(places, [loop.index]))
                value = builder.load(builder.gep(values, [place]))
                row = builder.gep(rows, [builder.add(builder.mul(place, stride), first)])
                for total, part in zip(kept, parts, strict=True):
                    product = builder.fmul(_repeat(builder, value, part[1]), builder.load(vector(row, *part), align=4))
                    builder.store(builder.fadd(builder.load(total), product), total)
            for total, part in zip(kept, parts, strict=True):
                builder.store(builder.load(total), vector(sums, *part), align=4)
            return context.get_dummy_value()

        return types.void(sums, rows, values, places, count, first, stride), codegen

    @overload(add)
    def _add(sums, rows, values, places, count, first):
        return lambda sums, rows, values, places, count, first: add_in_registers(
            sums, rows, values, places, count, first, len(sums)
        )

    return add


add_wide, add_narrow = _adder(WIDE), _adder(NARROW)
