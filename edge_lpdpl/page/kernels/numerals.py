"""Parts of ink to numerals: what no pen has written is left out, and the parts of a character are put together."""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.buffers import PART_COUNT, UNREAD_COUNT
from edge_lpdpl.page.kernels.contrast import paper_at
from edge_lpdpl.page.kernels.runs import join


@kernel
def find_numerals(count, limits, buffers):
    """Turn the parts in `buffers.table` into numerals, in the order of their first parts; returns their number.

    1. Parts that cannot be writing are left out.
    2. Strokes that nearly touch are joined. Then groups of strokes are joined that are as close, above or beside each
       other, as the parts of one character. This is done twice, because the first pass shows how large characters are.
    3. Groups that cannot be numerals are left out.

    `buffers.row_of` is kept up to date. What is left out is added to `buffers.unread`.
    """
    table, owners = buffers.table, buffers.owners
    strongest = 0
    for row in range(count):
        owners[row] = -why_no_writing(table[row], limits)
        if owners[row] == 0:
            strongest = max(strongest, table[row, part.RIDGE] // table[row, part.RUNS])
    for row in range(count):
        strong = strongest >= limits.least_peak and is_strong(table[row], strongest, limits.weak_stroke, limits)
        if owners[row] == 0:
            owners[row] = row if strong else -part.TOO_FAINT
    count = merge_rows(count, buffers)
    for step in range(3):
        size = 0 if step == 0 else character_size(table, count, buffers)
        for row in range(count):
            owners[row] = row
        for other in range(count):
            for one in range(other):
                first, second = table[one], table[other]
                if near(first, second) if step == 0 else one_character(first, second, size, limits):
                    join(owners, one, other)
        count = merge_rows(count, buffers)
    for row in range(count):
        reason = why_no_numeral(table[row], limits)
        if reason == 0 and not is_strong(table[row], strongest, 256, limits):
            reason = part.TOO_FAINT
        if reason == 0 and goes_on(table[row], limits, buffers):
            reason = part.A_LINE
        owners[row] = row if reason == 0 else -reason
    return merge_rows(count, buffers)


@kernel
def side_of(row):
    """Longer side of a row of the table."""
    return max(row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP])


@kernel
def half_outline(row):
    """Half the length of the outline in pixels, steps and all."""
    return row[part.RUNS] + row[part.AREA] - row[part.SHARED]


@kernel
def not_bold(row, limits):
    """Whether the strokes, whose mean width is the area over half the outline, are narrow for the whole; two pixels
    are granted for what the camera adds to them. Where a numeral may be a dot, all may be as bold."""
    side = side_of(row)
    bar = min(row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP]) * 5 <= side * 2
    thick = row[part.AREA] > limits.thickest * half_outline(row)
    boldest = limits.boldest_bar if bar else limits.boldest
    return limits.largest_dot > 0 or (not thick and row[part.AREA] * 256 <= boldest * (side + 2) * half_outline(row))


@kernel
def why_no_writing(row, limits):
    """Reason why a part cannot belong to a numeral, 0 where it can: the border of the frame cuts it, it is a line, too
    long, too bold or the rim of something darker."""
    side, border = side_of(row), limits.border
    cut = row[part.LEFT] < border or row[part.TOP] < border or row[part.RIGHT] > limits.width - border
    if cut or row[part.BOTTOM] > limits.height - border:
        return part.TOUCHES_BORDER
    if is_straight(row):
        return part.A_LINE
    if side > limits.largest:
        return part.TOO_LARGE
    bold = side > limits.largest_mark and not not_bold(row, limits)
    return part.TOO_BOLD if bold or not is_whole(row, 20) else 0


@kernel
def is_whole(row, granted):
    """No rim of something darker: the darkness ends where the ink ends. A stroke of few runs is granted some open ones,
    the whole numeral fewer, and a bar, as rims mostly are, the fewest."""
    return row[part.OPEN] * 5 <= row[part.RUNS] + granted


@kernel
def is_straight(row):
    """A line so thin for its length that no hand drew it."""
    side, thin = side_of(row), min(row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP])
    return thin * 24 < side or (thin == 1 and side > 8)


@kernel
def is_sliver(row):
    """A bar of two pixels, as the rim of something larger may leave it: pens are wider where bars are so long."""
    thin = min(row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP])
    return thin <= 2 and side_of(row) >= 8 * thin


@kernel
def is_strong(row, strongest, share, limits):
    """As strong as ink, and not much fainter than the strongest writing in view, or as share/256 of that."""
    peak = row[part.RIDGE] // row[part.RUNS] * 256
    return peak >= limits.faintest_peak * share and peak * 256 >= limits.faintest * strongest * share


@kernel
def near(one, other):
    """Whether the pen hardly left the paper between two parts: a tenth of the longer side of the larger one."""
    return max(gap_across(one, other), gap_down(one, other)) <= max(max(side_of(one), side_of(other)) // 10, 2)


@kernel
def gap_across(one, other):
    """Free columns between two boxes; negative where they overlap."""
    return max(one[part.LEFT], other[part.LEFT]) - min(one[part.RIGHT], other[part.RIGHT])


@kernel
def gap_down(one, other):
    """Free rows between two boxes; negative where they overlap."""
    return max(one[part.TOP], other[part.TOP]) - min(one[part.BOTTOM], other[part.BOTTOM])


@kernel
def one_character(one, other, size, limits):
    """Whether two groups of strokes are one character, where characters are `size` pixels large.

    Above each other (as in 二), or beside each other; further apart, and wider together, if they lean apart (as in 八)
    or are two halves (as in 亿).
    """
    across, down = gap_across(one, other), gap_down(one, other)
    width, other_width = one[part.RIGHT] - one[part.LEFT], other[part.RIGHT] - other[part.LEFT]
    height, other_height = one[part.BOTTOM] - one[part.TOP], other[part.BOTTOM] - other[part.TOP]
    wide, tall = width + other_width + across, height + other_height + down
    if -across * 2 >= min(width, other_width):
        return down * 20 <= min(max(width, other_width), size) * 17 and tall <= size * 2
    if -down * 3 < min(height, other_height):
        return False
    left, right = (one, other) if one[part.LEFT] <= other[part.LEFT] else (other, one)
    apart = lean_apart(left, right)
    if across * 20 <= size * (13 if apart else 4) and wide * 10 <= size * (20 if apart else 16):
        return True
    return across * 256 < limits.widest_gap * size and are_halves(left, right, wide)


@kernel
def are_halves(left, right, wide):
    """Whether the left one is as narrow as half a character, and both, `wide` together, about as high as each other and
    no wider than a character."""
    height, other_height = left[part.BOTTOM] - left[part.TOP], right[part.BOTTOM] - right[part.TOP]
    higher = max(height, other_height)
    narrow = (left[part.RIGHT] - left[part.LEFT]) * 10 <= height * 7
    return narrow and wide * 10 <= higher * 17 and min(height, other_height) * 2 >= higher


@kernel
def lean_apart(left, right):
    """Whether both are single strokes, the left one falling to the left and the right one to the right."""
    if not (is_stroke(left) and is_stroke(right)):
        return False
    height, other_height = left[part.BOTTOM] - left[part.TOP], right[part.BOTTOM] - right[part.TOP]
    left_fall, right_fall = left[part.HEAD] - left[part.FOOT], right[part.FOOT] - right[part.HEAD]
    return left_fall * 4 >= height and right_fall * 4 >= other_height


@kernel
def is_stroke(row):
    """Hardly more than one run a row, and not lying."""
    height = row[part.BOTTOM] - row[part.TOP]
    return row[part.RUNS] * 10 <= height * 11 and row[part.RIGHT] - row[part.LEFT] <= height * 2


@kernel
def character_size(table, count, buffers):
    """Longer side of the characters in view, in pixels: the longest groups of strokes have three tenths of all length,
    and the shortest of these tells, because the small strokes of a character may be many."""
    sides = buffers.counts
    total = 0
    for row in range(count):
        side = side_of(table[row])
        total += side
        at = row
        while at > 0 and sides[at - 1] < side:
            sides[at] = sides[at - 1]
            at -= 1
        sides[at] = side
    seen = 0
    for row in range(count):
        seen += sides[row]
        if seen * 10 >= total * 3:
            return sides[row]
    return 0


@kernel
def why_no_numeral(row, limits):
    """Reason why a group of strokes is no numeral, 0 where it may be one: as large as a numeral and no bolder than a
    pen makes it, or a dot; no long word, no block of print, no filled shape, no line too straight for a hand."""
    side = side_of(row)
    width, height = row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP]
    length = half_outline(row)
    granted = 3 if min(width, height) * 3 <= side else 8
    if is_straight(row) or is_sliver(row):
        return part.A_LINE
    if not is_whole(row, granted):
        return part.TOO_BOLD
    word = width > 3 * height and length * 4 > (width + height) * 5
    word = word or (width > 2 * height and length * 5 > (width + height) * 9)
    if word or row[part.LONGEST] * 256 < limits.longest_part * side:
        return part.PRINT
    compact = row[part.AREA] * 2 >= width * height and min(width, height) * 2 >= side
    if compact and limits.smallest_dot <= side <= limits.largest_dot:
        return 0 if row[part.RIDGE] >= limits.faintest_dot * row[part.RUNS] else part.TOO_FAINT
    solid = row[part.AREA] * 100 >= width * height * 48 and length * 10 <= (width + height) * 11
    solid = solid and min(width, height) * 5 > side * 2 and min(width, height) >= limits.smallest_shape
    if side < limits.smallest:
        return part.TOO_SMALL
    if side > limits.largest:
        return part.TOO_LARGE
    return 0 if not_bold(row, limits) and not solid else part.TOO_BOLD


@kernel
def goes_on(row, limits, buffers):
    """Whether a bar goes on beyond both of its ends, though fainter, or what has no more strokes than a cross beyond
    all four of its sides: a piece of a ruled line or of a crease, or of two that cross."""
    left, top, right, bottom = row[part.LEFT], row[part.TOP], row[part.RIGHT], row[part.BOTTOM]
    lying, upright = (bottom - top) * 3 <= right - left, (right - left) * 3 <= bottom - top
    least = row[part.RIDGE] // row[part.RUNS] * 3 // 8
    if not (lying or upright or half_outline(row) * 10 <= (right - left + bottom - top) * 13):
        return False
    if not upright and not (
        strokes_on(top, bottom, left, -1, False, least, limits, buffers)
        and strokes_on(top, bottom, right - 1, 1, False, least, limits, buffers)
    ):
        return False
    return lying or (
        strokes_on(left, right, top, -1, True, least, limits, buffers)
        and strokes_on(left, right, bottom - 1, 1, True, least, limits, buffers)
    )


@kernel
def strokes_on(low, high, end, step, upright, least, limits, buffers):
    """Whether a bar continues beyond one of its ends: 3, 5 and 7 pixels beyond it, as far as the frame reaches, some
    pixel across the bar has a contrast of at least `least`.

    `low` to `high` is the bar's extent across, `end` its last pixel along, `step` 1 or -1 the direction away from it.
    """
    long, wide = (limits.height, limits.width) if upright else (limits.width, limits.height)
    for away in (3, 5, 7):
        along = end + step * away
        if not 0 <= along < long:
            continue
        most = 0
        for across in range(max(low - 2, 0), min(high + 2, wide)):
            place = along * limits.stride + across if upright else across * limits.stride + along
            paper = paper_at(buffers.blocks, along if upright else across, across if upright else along, limits)
            rise = int(buffers.ink[place]) - int(paper)
            most = max(most, (rise * buffers.scale[paper]) >> 8)
        if most < least:
            return False
    return True


@kernel
def merge_rows(count, buffers):
    """Put every row into its owner's, list those without one as unread, close the gaps; returns how many are left."""
    table, owners, row_of, unread = buffers.table, buffers.owners, buffers.row_of, buffers.unread
    kept = 0
    for row in range(count):
        owner = owners[row]
        if owner < 0:
            left_out = unread[buffers.found[UNREAD_COUNT]]
            for column in range(part.REASON):
                left_out[column] = table[row, column]
            left_out[part.REASON] = -owner
            buffers.found[UNREAD_COUNT] += 1
            continue
        if owner == row:
            owners[row] = kept
            for column in range(part.COLUMNS):
                table[kept, column] = table[row, column]
            kept += 1
        else:
            owners[row] = owners[owner]  # an owner comes first, and its new place is known
            add_row(table[owners[row]], table[row])
    for number in range(buffers.found[PART_COUNT]):
        if row_of[number] >= 0:
            row_of[number] = owners[row_of[number]]
    return kept


@kernel
def add_row(row, other):
    """Take another row into this one, which begins no lower."""
    if other[part.BOTTOM] > row[part.BOTTOM]:
        row[part.BOTTOM], row[part.FOOT] = other[part.BOTTOM], other[part.FOOT]
    row[part.LEFT], row[part.RIGHT] = min(row[part.LEFT], other[part.LEFT]), max(row[part.RIGHT], other[part.RIGHT])
    row[part.LONGEST] = max(row[part.LONGEST], other[part.LONGEST])
    for column in range(part.AREA, part.HEAD):
        row[column] += other[column]
