"""Sums of weighted rows that stay in registers until all rows are added. numba does not keep them there.

In a loop over arrays the compiler has to fetch and store every sum for every row, since it cannot know that the sums do
not overlap the weights. So these loops are written in LLVM's language, in vectors that LLVM cuts to the size of the
processor's. Nothing is reordered: each sum adds up its column from top to bottom. `add_rows` adds a product without
rounding it first, by the one instruction that every processor has for it, so the bits are the same everywhere.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import compile_as, flat, fused, repeat, widen, widened
from edge_lpdpl.jit.memory import LANES

WIDE, NARROW = 72, 8
"""Columns at once: 18 of the 32 registers that an aarch64 core has, and what is left over."""


def add_lines(sums, lines, weights, start, stop, first):
    """sums[c] = weights[0] * lines[start, c] + weights[1] * lines[start + 1, c] + ... up to line `stop`, for the LANES
    columns from `first` on; products are rounded before they are added, as NumPy does.

    In plain loops, a decision takes 5.1 % more instructions on a Cortex-A72 and 3.6 % more on a Cortex-A53."""
    here = slice(first, first + LANES)
    sums[here] = 0
    for line in range(start, stop):
        sums[here] += weights[line - start] * lines[line, here]


@intrinsic
def _add_lines(typing_context, sums, lines, weights, start, stop, first):
    def codegen(context, builder, signature, arguments):
        arrays = zip(signature.args[:3], arguments[:3], strict=True)
        sums, lines, weights = (context.make_array(kind)(context, builder, array) for kind, array in arrays)
        start, stop, first = arguments[3:]
        row_length = builder.extract_value(lines.shape, 1)
        step = builder.sdiv(builder.extract_value(weights.strides, 0), weights.itemsize)
        kind = ir.VectorType(ir.FloatType(), LANES)
        total = cgutils.alloca_once_value(builder, ir.Constant(kind, None))
        line = builder.gep(lines.data, [builder.add(builder.mul(start, row_length), first)])
        here = cgutils.alloca_once_value(builder, line)
        with cgutils.for_range(builder, builder.sub(stop, start)) as loop:
            weight = builder.load(builder.gep(weights.data, [builder.mul(loop.index, step)]))
            line = builder.load(here)
            numbers = builder.load(builder.bitcast(line, kind.as_pointer()), align=4)
            product = builder.fmul(repeat(builder, weight, LANES), numbers)
            builder.store(builder.fadd(builder.load(total), product), total)
            builder.store(builder.gep(line, [row_length]), here)
        target = builder.bitcast(builder.gep(sums.data, [first]), kind.as_pointer())
        builder.store(builder.load(total), target, align=4)
        return context.get_dummy_value()

    return types.void(sums, lines, weights, start, stop, first), codegen


compile_as(add_lines, _add_lines)


def _fused(builder, factor, other, term):
    """factor * other + term of vectors, rounded once."""
    name, kind = f"llvm.fma.v{term.type.count}f32", ir.FunctionType(term.type, [term.type] * 3)
    return builder.call(builder.module.declare_intrinsic(name, fnty=kind), [factor, other, term])


def _adder(columns):
    """A kernel that adds rows to `columns` sums at once, for each of a list of places."""

    def add(sums, rows, values, places, count, first):
        """sums[c] = values[r] * rows[r, c] + sums[c], rounded once, for c in range(first, first + columns) and each r
        of places[:count]; the rows are float32, or the bits of float16."""
        weights, here = widened(rows.reshape(len(rows), -1)), slice(first, first + columns)
        for row in places[:count]:
            sums[here] = fused(values[row], weights[row, here], sums[here])

    @intrinsic
    def add_in_registers(typing_context, sums, rows, values, places, count, first):
        def codegen(context, builder, signature, arguments):
            arrays = zip(signature.args[:4], arguments[:4], strict=True)
            arrays = [context.make_array(kind)(context, builder, array) for kind, array in arrays]
            sums, rows, values, places = (array.data for array in arrays)
            row_length, (count, first) = builder.extract_value(arrays[0].shape, 0), arguments[4:]

            def vectors(pointer):
                kind = ir.VectorType(pointer.type.pointee, NARROW).as_pointer()
                starts = (first.type(start) for start in range(0, columns, NARROW))
                return [builder.bitcast(builder.gep(pointer, [start]), kind) for start in starts]

            targets = vectors(builder.gep(sums, [first]))
            totals = [cgutils.alloca_once_value(builder, builder.load(target, align=4)) for target in targets]
            with cgutils.for_range(builder, count) as loop:
                row = builder.load(builder.gep(places, [loop.index]))
                factor = repeat(builder, builder.load(builder.gep(values, [row])), NARROW)
                weights = vectors(builder.gep(rows, [builder.add(builder.mul(row, row_length), first)]))
                for total, weight in zip(totals, weights, strict=True):
                    numbers = builder.load(weight, align=signature.args[1].dtype.bitwidth // 8)
                    numbers = widen(context, builder, numbers)
                    builder.store(_fused(builder, factor, numbers, builder.load(total)), total)
            for total, target in zip(totals, targets, strict=True):
                builder.store(builder.load(total), target, align=4)
            return context.get_dummy_value()

        return types.void(sums, rows, values, places, count, first), codegen

    compile_as(add, add_in_registers)
    return add


add_wide, add_narrow = _adder(WIDE), _adder(NARROW)


@kernel
def add_rows(sums, rows, values, places, count):
    """sums[c] = values[r] * rows[r, c] + sums[c], rounded once, for each row r of places[:count].

    Args:
        sums: (C,) float32, changed. rows: (V, ...) float32, or bits of float16, of C numbers each.
        values: (V,) float32. places: int64.
    """
    first, columns = 0, len(sums)
    while columns - first >= WIDE:
        add_wide(sums, rows, values, places, count, first)
        first += WIDE
    while columns - first >= NARROW:
        add_narrow(sums, rows, values, places, count, first)
        first += NARROW
    weights = flat(rows)
    for column in range(first, columns):
        for row in places[:count]:
            sums[column] = fused(values[row], widened(weights[row * columns + column]), sums[column])


@kernel
def transpose(source, target, height, width):
    """target[x, y] = source[y, x] for the first `height` rows and `width` columns.

    Eight rows at a time: one at a time, a decision takes 2.1 % more instructions on a Cortex-A53."""
    whole = height // 8 * 8
    for y in range(0, whole, 8):
        for x in range(width):
            line = target[x, y : y + 8]
            line[0], line[1], line[2] = source[y, x], source[y + 1, x], source[y + 2, x]
            line[3], line[4], line[5] = source[y + 3, x], source[y + 4, x], source[y + 5, x]
            line[6], line[7] = source[y + 6, x], source[y + 7, x]
    for y in range(whole, height):
        for x in range(width):
            target[x, y] = source[y, x]
