"""Walls that stand between two numerals, whatever frame they belong to, and however faint they are."""

from edge_lpdpl.jit.compiler import inlined, kernel
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule


@kernel
def find_wall_in_gap(lean, behind, limits, buffers):
    """The column in which a wall stands in the middle of `buffers.gap`, -1 without one. It goes on above and below the
    numerals that the gap is between. A line of the paper goes on to the top and the bottom of the frame.

    Args:
        lean: of a wall that is perpendicular to the line of the numerals, in STEPS-ths; perspective turns it aside.
        behind: whether the numerals may hide it, so that only what is above and below them tells.
    """
    top, bottom = min(max(buffers.gap[part.TOP], 0), limits.height), buffers.gap[part.BOTTOM]
    bottom = min(max(bottom, top), limits.height)
    margin = max((bottom - top) // rule.BEYOND, rule.LEAST_BEYOND)
    upper, lower, middle = max(top - margin, 0), min(bottom + margin, limits.height), (top + bottom) // 2
    reach = (bottom - top) // rule.BEHIND if behind else rule.NEAR
    best, found, first = (rule.FAINTEST // 2 if behind else rule.FAINTEST) - 1, -1, lean - rule.STEPS // rule.ASIDE
    for tried in range(first, first + 2 * rule.STEPS // rule.ASIDE + 1, rule.STEPS // rule.LEANS):
        for place in range(buffers.gap[part.LEFT] - reach, buffers.gap[part.RIGHT] + reach):
            seen = stands_out(place, tried, middle, upper, top, limits, buffers)
            if seen > best:
                seen = min(seen, stands_out(place, tried, middle, bottom, lower, limits, buffers))
            if seen > best and (behind or is_between(place, tried, top, bottom, limits, buffers)):
                best, found, lean = seen, place, tried
    if behind or found < 0:
        return found
    rows = (upper, top, bottom, lower)
    if not crosses_frame(found, lean, middle, rows, limits, buffers):
        return found
    before = neighbour_of(found, lean, -1, best, middle, rows, limits, buffers)
    after = neighbour_of(found, lean, 1, best, middle, rows, limits, buffers)
    is_even = (abs(after - before) - 1) * rule.OFF_GRID <= max(before, after)
    return -1 if before > 0 and after > 0 and is_even else found


@kernel
def crosses_frame(place, lean, middle, rows, limits, buffers):
    """Whether a line goes on from what is above and below the numerals to the borders."""
    upper, _, _, lower = rows
    goes_up = reaches_border(place, lean, middle, upper, -1, limits, buffers)
    return goes_up and reaches_border(place, lean, middle, lower - 1, 1, limits, buffers)


@kernel
def neighbour_of(place, lean, side, strength, middle, rows, limits, buffers):
    """How far the next line beside one is that crosses the frame, too, and is half as strong at least where no numerals
    hide it; 0 without one.

    Args:
        rows: the first one above the numerals, their top, their bottom, and the end of those below.
    """
    upper, top, bottom, lower = rows
    least = max(strength, rule.FAINTEST) // 2
    for away in range((bottom - top) // rule.NARROWEST_SQUARE, (bottom - top) * rule.WIDEST_SQUARE):
        other = place + side * away
        seen = stands_out(other, lean, middle, upper, top, limits, buffers)
        seen = max(seen, stands_out(other, lean, middle, bottom, lower, limits, buffers))
        if seen >= least and crosses_frame(other, lean, middle, rows, limits, buffers):
            return away
    return 0


@kernel
def is_between(place, lean, top, bottom, limits, buffers):
    """Whether a line stands between two numerals: in two fifths of their height, because they may touch it."""
    middle, pieces, seen = (top + bottom) // 2, max((bottom - top) // rule.PIECE, 1), 0
    for piece in range(pieces):
        start, end = top + piece * (bottom - top) // pieces, top + (piece + 1) * (bottom - top) // pieces
        seen += stands_out(place, lean, middle, start, end, limits, buffers) >= rule.FAINTEST
    return 5 * seen >= 2 * pieces


@inlined
def place_on_lean(place, lean, middle, y):
    """Where a line is in a row that is `place` in the middle one and leans by `lean` STEPS-ths."""
    return place + (((y - middle) * lean + rule.STEPS // 2) >> rule.STEP_BITS)


@kernel
def stands_out(place, lean, middle, start, end, limits, buffers):
    """How many grey levels a line is darker than the paper on both of its sides, in these rows in the mean; -1 where it
    is not in the frame."""
    before, behind = 0, 0
    for y in range(start, end):
        x = place_on_lean(place, lean, middle, y)
        if x < rule.BESIDE or x >= limits.width - rule.BESIDE:
            return -1
        at = y * limits.stride + x
        before += int(buffers.ink[at]) - int(buffers.ink[at - rule.BESIDE])
        behind += int(buffers.ink[at]) - int(buffers.ink[at + rule.BESIDE])
    return min(before, behind) // (end - start) if end > start else -1


@kernel
def reaches_border(place, lean, middle, start, step, limits, buffers):
    """Whether a line goes on from a row to the border; it may be a little off, and hidden in some pieces."""
    y, hidden = start, 0
    while rule.PIECE <= y < limits.height - rule.PIECE:
        first, last = (y, y + rule.PIECE) if step > 0 else (y - rule.PIECE + 1, y + 1)
        best, aside = rule.FAINTEST // 2 - 1, 0
        for tried in range(-1, 2):
            seen = stands_out(place + tried, lean, middle, first, last, limits, buffers)
            if seen > best:
                best, aside = seen, tried
        x = place_on_lean(place, lean, middle, y)
        if x < 2 * rule.BESIDE or x >= limits.width - 2 * rule.BESIDE:
            return True
        hidden = 0 if best >= rule.FAINTEST // 2 else hidden + 1
        if hidden > rule.MOST_HIDDEN:
            return False
        place += aside
        y += step * rule.PIECE
    return True
