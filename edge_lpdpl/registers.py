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

LANES = 8


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
            vector = ir.VectorType(ir.FloatType(), LANES)
            one = ir.IntType(32)(0)
            starts = [builder.add(first, first.type(start)) for start in range(0, columns, LANES)]

            def lanes(pointer, start):
                return builder.bitcast(builder.gep(pointer, [start]), vector.as_pointer())

            kept = [cgutils.alloca_once(builder, vector) for _ in starts]
            for total, start in zip(kept, starts, strict=True):
                builder.store(builder.load(lanes(sums, start), align=4), total)
            with cgutils.for_range(builder, count) as loop:
                place = builder.load(builder.gep(places, [loop.index]))
                value = builder.load(builder.gep(values, [place]))
                single = builder.insert_element(ir.Constant(vector, ir.Undefined), value, one)
                value = builder.shuffle_vector(single, single, ir.Constant(ir.VectorType(one.type, LANES), [0] * LANES))
                row = builder.gep(rows, [builder.mul(place, stride)])
                for total, start in zip(kept, starts, strict=True):
                    product = builder.fmul(value, builder.load(lanes(row, start), align=4))
                    builder.store(builder.fadd(builder.load(total), product), total)
            for total, start in zip(kept, starts, strict=True):
                builder.store(builder.load(total), lanes(sums, start), align=4)
            return context.get_dummy_value()

        return types.void(sums, rows, values, places, count, first, stride), codegen

    @overload(add)
    def _add(sums, rows, values, places, count, first):
        return lambda sums, rows, values, places, count, first: add_in_registers(
            sums, rows, values, places, count, first, len(sums)
        )

    return add


add_wide, add_narrow = _adder(WIDE), _adder(NARROW)
