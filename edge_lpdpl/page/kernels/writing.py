"""What no pen has written is left out: of the parts of ink, and of the groups of parts that may be numerals."""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.buffers import PART_COUNT, ROW_COUNT, STRONGEST, UNREAD_COUNT
from edge_lpdpl.page.kernels.contrast import paper_at


@kernel
def keep_writing(count, limits, buffers):
    """Leave the parts in `buffers.table` out that cannot belong to a numeral, or are too faint; returns how many are
    kept. `buffers.row_of` is kept up to date. What is left out is added to `buffers.unread`. A part too bold for a
    numeral alone is kept beside other ink, but does not count as the strongest."""
    table, places = buffers.table, buffers.places
    strongest = 0
    for row in range(count):
        places[row] = -why_no_writing(table[row], limits)
        if places[row] == 0 and not is_broad(table[row], limits.boldest, limits):
            strongest = max(strongest, table[row, part.RIDGE] // table[row, part.RUNS])
    for row in range(count):
        strong = strongest >= limits.least_peak and is_strong(table[row], strongest, limits.weak_stroke, limits)
        if places[row] == 0 and not strong:
            places[row] = -part.TOO_BOLD if is_broad(table[row], limits.boldest, limits) else -part.TOO_FAINT
    buffers.found[STRONGEST] = strongest
    buffers.found[ROW_COUNT] = leave_out(count, buffers)
    return buffers.found[ROW_COUNT]


@kernel
def leave_out(count, buffers):
    """List the rows that have a reason as unread, and close the gaps; returns how many are left.

    `buffers.places` holds minus the reason of each row or 0, and then the new place of each row or less than 0.
    """
    table, places, row_of, unread = buffers.table, buffers.places, buffers.row_of, buffers.unread
    kept = 0
    for row in range(count):
        if places[row] < 0:
            left_out = unread[buffers.found[UNREAD_COUNT]]
            for column in range(part.REASON):
                left_out[column] = table[row, column]
            left_out[part.REASON], left_out[part.CELL] = -places[row], 0
            left_out[part.PEN] = 256 * table[row, part.AREA] // max(half_outline(table[row]), 1)
            left_out[part.STRENGTH] = table[row, part.RIDGE] // table[row, part.RUNS]
            buffers.found[UNREAD_COUNT] += 1
        else:
            for column in range(part.COLUMNS):
                table[kept, column] = table[row, column]
            places[row] = kept
            kept += 1
    for number in range(buffers.found[PART_COUNT]):
        if row_of[number] >= 0:
            row_of[number] = places[row_of[number]]
    return kept


@kernel
def side_of(row):
    """Longer side of a row of the table."""
    return max(row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP])


@kernel
def half_outline(row):
    """Half the length of the outline in pixels, steps and all."""
    return row[part.RUNS] + row[part.AREA] - row[part.SHARED]


@kernel
def is_bold(row, boldest, limits):
    """Whether the strokes, whose mean width is the area over half the outline, are wider than `boldest`/256 of the
    whole; two pixels are granted for what the camera adds to them. Where a numeral may be a dot, all may be as bold."""
    if limits.largest_dot > 0:
        return False
    side = side_of(row)
    bar = min(row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP]) * 5 <= side * 2
    thick = row[part.AREA] > limits.thickest * half_outline(row)
    most = max(limits.boldest_bar, boldest) if bar else boldest
    return thick or row[part.AREA] * 256 > most * (side + 2) * half_outline(row)


@kernel
def is_broad(row, boldest, limits):
    """Whether a part is larger than the marks whose boldness is not limited, and bold."""
    return side_of(row) > limits.largest_mark and is_bold(row, boldest, limits)


@kernel
def character_side(row):
    """Longer side of the characters in a part: its height where its strokes are as long as those of several that touch,
    else its own longer side (`edge_lpdpl.number.lines.character_side`)."""
    width, height = row[part.RIGHT] - row[part.LEFT], row[part.BOTTOM] - row[part.TOP]
    return height if half_outline(row) * 2 > width * 3 else max(width, height)


@kernel
def why_no_writing(row, limits):
    """Reason why a part cannot belong to a number, 0 where it can: the border of the frame cuts it, it is a line, too
    long, too bold or the rim of something darker."""
    border = limits.border
    cut = row[part.LEFT] < border or row[part.TOP] < border or row[part.RIGHT] > limits.width - border
    if cut or row[part.BOTTOM] > limits.height - border:
        return part.TOUCHES_BORDER
    if is_straight(row):
        return part.A_LINE
    if character_side(row) > limits.largest:
        return part.TOO_LARGE
    return part.TOO_BOLD if is_broad(row, limits.boldest_beside, limits) or not is_whole(row, 20) else 0


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
    return part.TOO_BOLD if solid or is_bold(row, limits.boldest, limits) else 0


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
def why_no_group(row, limits, buffers):
    """The same for a group on this page: it is too faint beside the strongest writing, or goes on as a line."""
    reason = why_no_numeral(row, limits)
    if reason == 0 and not is_strong(row, buffers.found[STRONGEST], 256, limits):
        reason = part.TOO_FAINT
    if reason == 0 and goes_on(row, limits, buffers):
        reason = part.A_LINE
    return reason
