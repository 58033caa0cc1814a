"""What numba does not keep in registers by itself: sums of weighted rows until all are added, tiles being turned.

In a loop over arrays the compiler has to fetch and store every sum for every row, since it cannot know that the sums do
not overlap the weights; and it never keeps a row of sums in registers while it goes down the rows. So these two loops
are spelt out for it, in vectors that it cuts to the size of the processor's. Nothing is reordered: each sum adds up its
column from top to bottom. A product is added without being rounded first, in the one instruction that every processor
has for it; that is spelt out too and not left to the compiler, so the bits are the same everywhere.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import flat, fused, widen, widened
from edge_lpdpl.jit.memory import LANES

WIDE, NARROW = 72, 8
"""Columns at once: 18 of the 32 registers that an aarch64 core has, and what is left over."""

TILE = 8

_WIDEST = 16

# A tile is turned in three rounds, in each of which lines so far apart exchange numbers. Rounds and places are those of
# single instructions, on aarch64 (where the last round is none at all) as on x86; lines come out in another order.
_EXCHANGES = (
    (1, ((0, 8, 1, 9, 4, 12, 5, 13), (2, 10, 3, 11, 6, 14, 7, 15))),
    (2, ((0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15))),
    (4, ((0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))),
)
_TURNED = (0, 2, 1, 3, 4, 6, 5, 7)


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


def add_lines(sums, lines, weights, start, stop, first):
    """sums[c] = weights[0] * lines[start, c] + weights[1] * lines[start + 1, c] + ... up to line `stop`, for the LANES
    columns from `first` on; products are rounded before they are added, as NumPy does."""
    here = slice(first, first + LANES)
    sums[here] = 0
    for line in range(start, stop):
        sums[here] += weights[line - start] * lines[line, here]


@intrinsic
def _add_lines(typing_context, sums, lines, weights, start, stop, first, stride, step):
    def codegen(context, builder, signature, arguments):
        arrays = zip(signature.args[:3], arguments[:3], strict=True)
        sums, lines, weights = (context.make_array(kind)(context, builder, it).data for kind, it in arrays)
        start, stop, first, stride, step = arguments[3:]
        kind = ir.VectorType(ir.FloatType(), LANES)
        total = cgutils.alloca_once_value(builder, ir.Constant(kind, None))
        line = builder.gep(lines, [builder.add(builder.mul(start, stride), first)])
        here = cgutils.alloca_once_value(builder, line)
        with cgutils.for_range(builder, builder.sub(stop, start)) as loop:
            weight = _repeat(builder, builder.load(builder.gep(weights, [builder.mul(loop.index, step)])), LANES)
            line = builder.load(here)
            product = builder.fmul(weight, builder.load(builder.bitcast(line, kind.as_pointer()), align=4))
            builder.store(builder.fadd(builder.load(total), product), total)
            builder.store(builder.gep(line, [stride]), here)
        target = builder.bitcast(builder.gep(sums, [first]), kind.as_pointer())
        builder.store(builder.load(total), target, align=4)
        return context.get_dummy_value()

    return types.void(sums, lines, weights, start, stop, first, stride, step), codegen


@overload(add_lines)
def _lines(sums, lines, weights, start, stop, first):
    return lambda sums, lines, weights, start, stop, first: _add_lines(
        sums, lines, weights, start, stop, first, lines.shape[1], weights.strides[0] // weights.itemsize
    )


def _fused(builder, factor, other, term):
    """factor * other + term, rounded once."""
    name, kind = f"llvm.fma.v{term.type.count}f32", ir.FunctionType(term.type, [term.type] * 3)
    multiply_add = builder.module.declare_intrinsic(name, fnty=kind)
    return builder.call(multiply_add, [factor, other, term])


def _adder(columns):
    """A kernel that adds rows to `columns` sums at once, for each of a list of places."""

    def add(sums, rows, values, places, count, first):
        """sums[c] = values[r] * rows[r, c] + sums[c], rounded once, for c in range(first, first + columns) and each r
        of places[:count]; the rows are float32, or the bits of halves."""
        weights, here = widened(rows.reshape(len(rows), -1)), slice(first, first + columns)
        for row in places[:count]:
            sums[here] = fused(values[row], weights[row, here], sums[here])

    @intrinsic
    def add_in_registers(typing_context, sums, rows, values, places, count, first, stride):
        def codegen(context, builder, signature, arguments):
            arrays = zip(signature.args[:4], arguments[:4], strict=True)
            sums, rows, values, places = (context.make_array(kind)(context, builder, it).data for kind, it in arrays)
            count, first, stride = arguments[4:]
            parts = list(_parts(columns))
            sums = builder.gep(sums, [first])

            def vector(pointer, start, width):
                kind = ir.VectorType(pointer.type.pointee, width)
                return builder.bitcast(builder.gep(pointer, [first.type(start)]), kind.as_pointer())

            def weights_at(line, part):
                numbers = builder.load(vector(line, *part), align=signature.args[1].dtype.bitwidth // 8)
                return widen(context, builder, numbers)

            kept = []
            for part in parts:
                total = builder.load(vector(sums, *part), align=4)
                kept.append(cgutils.alloca_once_value(builder, total))
            with cgutils.for_range(builder, count) as loop:
                row = builder.load(builder.gep(places, [loop.index]))
                line = builder.gep(rows, [builder.add(builder.mul(row, stride), first)])
                value = builder.load(builder.gep(values, [row]))
                for total, part in zip(kept, parts, strict=True):
                    factor = _repeat(builder, value, part[1])
                    builder.store(_fused(builder, factor, weights_at(line, part), builder.load(total)), total)
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


@kernel
def add_rows(sums, rows, values, places, count):
    """sums[c] = values[r] * rows[r, c] + sums[c], rounded once, for each row r of places[:count].

    Args:
        sums: (C,) float32, changed. rows: (V, ...) float32, or bits of halves, of C numbers each. values: (V,) float32.
        places: int64.
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


def turn_tile(source, target, y, x, row):
    """target[row + i, y + j] = source[y + j, x + i] for i and j up to TILE."""
    target[row : row + TILE, y : y + TILE] = source[y : y + TILE, x : x + TILE].T


@intrinsic
def _turn_tile(typing_context, source, target, y, x, first, source_stride, target_stride):
    def codegen(context, builder, signature, arguments):
        arrays = zip(signature.args[:2], arguments[:2], strict=True)
        source, target = (context.make_array(kind)(context, builder, it).data for kind, it in arrays)
        y, x, first, source_stride, target_stride = arguments[2:]
        row = ir.VectorType(ir.FloatType(), TILE)

        def line(pointer, start, stride, number):
            offset = builder.add(start, builder.mul(stride, stride.type(number)))
            return builder.bitcast(builder.gep(pointer, [offset]), row.as_pointer())

        def mix(one, other, places):
            return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(ir.IntType(32), TILE), places))

        start = builder.add(builder.mul(y, source_stride), x)
        lines = [builder.load(line(source, start, source_stride, number), align=4) for number in range(TILE)]
        for distance, places in _EXCHANGES:
            for number in range(TILE):
                if not number & distance:
                    pair = lines[number], lines[number | distance]
                    lines[number], lines[number | distance] = (mix(*pair, half) for half in places)
        start = builder.add(builder.mul(first, target_stride), y)
        for number, place in enumerate(_TURNED):
            builder.store(lines[place], line(target, start, target_stride, number), align=4)
        return context.get_dummy_value()

    return types.void(source, target, y, x, first, source_stride, target_stride), codegen


@overload(turn_tile)
def _turn(source, target, y, x, row):
    return lambda source, target, y, x, row: _turn_tile(source, target, y, x, row, source.shape[1], target.shape[1])


@kernel
def transpose(source, target, height, width):
    """target[x, y] = source[y, x] of the first `height` rows and `width` columns, tile by tile; both float32."""
    for y in range(0, height - TILE + 1, TILE):
        for x in range(0, width - TILE + 1, TILE):
            turn_tile(source, target, y, x, x)
        for x in range(width // TILE * TILE, width):
            for row in range(y, y + TILE):
                target[x, row] = source[row, x]
    for row in range(height // TILE * TILE, height):
        for x in range(width):
            target[x, row] = source[row, x]
