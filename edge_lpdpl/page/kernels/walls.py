"""The walls between two rules that are the top and the bottom of a printed frame, by votes as in a Hough transform; and
those that stand between two numerals, whatever frame they belong to, and however faint they are."""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.buffers import DIVIDER_COUNT, WALLS_TRIED
from edge_lpdpl.page.kernels.lines import (
    ALONG,
    FREE,
    TWICE,
    place_at,
    reaches_border,
    run_across,
    sort_lines,
    stands_out,
    thickness,
    widest_gap,
)
from edge_lpdpl.page.rules_table import ONE, THICKEST


@kernel
def find_walls(top, bottom, count, limits, buffers):
    """Write the walls between two rules into `buffers.rules`, from MOST_RULES on; returns how many there are, 0 where
    the rules are not the top and the bottom of a printed frame. One rule may lie on a line of ruled paper, if the walls
    end there. The walls may go on above the top only below another printed frame."""
    start, end = max(top[rule.START], bottom[rule.START]), min(top[rule.END], bottom[rule.END])
    middle, half = (start + end) // 2, limits.width // 2
    high = place_at(bottom, middle, half) - place_at(top, middle, half)
    if buffers.found[WALLS_TRIED] >= rule.MOST_TRIED or not may_be_frame(top, bottom, end - start, high, limits):
        return 0
    step = 1 + high // 64
    tries = 2 * (high // rule.ASIDE // step) + 1
    least = -(top[rule.SLOPE] + bottom[rule.SLOPE]) * high // (2 * ONE) - tries // 2 * step
    votes, width = buffers.votes, limits.width
    start, end = start - high // 4, end + high // 4
    votes[: tries * (width + 1)] = 0
    for one in range(count):
        x, y = int(buffers.thin[TWICE, one]) // 2, int(buffers.thin[ALONG, one])
        inside = start - high <= x < end + high and place_at(top, x, half) < y < place_at(bottom, x, half)
        buffers.thin[FREE, one] = inside
        if inside:
            vote(one, 1, top, bottom, least, step, tries, limits, buffers)
    walls, found = 0, buffers.rules[rule.MOST_RULES :]
    for _ in range(min(rule.MOST_WALLS, rule.MOST_TRIED - buffers.found[WALLS_TRIED])):
        place, tried, most = most_votes(votes, tries, width)
        lean = least + tried * step
        if most * 4 < high:
            break
        buffers.found[WALLS_TRIED] += 1
        first, last = (place, start) if place < start else (min(end, place), place)
        if is_wall(found[walls], top, bottom, place, lean, high, limits, buffers):
            walls += is_whole(top, bottom, first, last, high, limits, buffers)
        for one in range(count):
            if buffers.thin[FREE, one] != 0:
                own = place_of(one, lean, top, bottom, limits, buffers.thin)
                if place <= own <= place + 1:
                    vote(one, -1, top, bottom, least, step, tries, limits, buffers)
                    buffers.thin[FREE, one] = 0
    sort_lines(walls, rule.PLACE, found)
    separate = keep_separate(walls, top, bottom, high, found, limits, buffers)
    if separate:
        walls = separate
    else:
        walls = keep_regular(walls, high, start, end, found)
        left, right = ends_of(found[:walls])
        if not is_whole(top, bottom, left, right, high, limits, buffers):
            return 0
    walls_above = top[rule.GRADE] != rule.FRAMED and go_on(top, walls, -1, limits, buffers)
    walls_below = leaves(bottom, limits) and go_on(bottom, walls, 1, limits, buffers)
    return 0 if walls_above or walls_below else walls


@kernel
def may_be_frame(top, bottom, shared, high, limits):
    """Whether two rules are large enough for a frame, about parallel, and not both lines of ruled paper; `shared` is
    the length of the columns that both are in."""
    thick = max(top[rule.THICK], bottom[rule.THICK], rule.THINNEST)
    wide = min(top[rule.END] - top[rule.START], bottom[rule.END] - bottom[rule.START])
    large = shared >= rule.SHORTEST and wide * 8 >= high * 9 and high >= rule.FLATTEST * thick
    parallel = abs(top[rule.SLOPE] - bottom[rule.SLOPE]) <= ONE // rule.ASIDE
    return large and parallel and not (leaves(top, limits) and leaves(bottom, limits))


@kernel
def most_votes(votes, tries, width):
    """The column that has the most votes together with the next one, in which of the tries, and how many."""
    place, found, most = 0, 0, -1
    for tried in range(tries):
        row = votes[tried * (width + 1) : (tried + 1) * (width + 1)]
        for x in range(width):
            if row[x] + row[x + 1] > most:
                place, found, most = x, tried, row[x] + row[x + 1]
    return place, found, most


@kernel
def go_on(line, count, step, limits, buffers):
    """Whether most of the walls go on beyond a rule, which then only crosses the frame."""
    going, first = 0, line[rule.THICK] // 2 + 2
    for wall in buffers.rules[rule.MOST_RULES : rule.MOST_RULES + count]:
        border, seen = place_at(line, wall[rule.PLACE], limits.width // 2), 0
        for away in range(first, first + THICKEST):
            seen += 0 < run_across(wall, border + step * away, True, limits, buffers) <= THICKEST
        going += seen == THICKEST
    return 2 * going > count


@kernel
def is_whole(top, bottom, start, end, high, limits, buffers):
    """Whether a stretch of both rules has no wide gap."""
    widest = max(widest_gap(top, start, end, limits, buffers), widest_gap(bottom, start, end, limits, buffers))
    return widest * rule.GAP <= high


@kernel
def keep_separate(count, top, bottom, high, walls, limits, buffers):
    """Keep the ends of boxes in a row that do not touch, one for each character; or those of fields, and flawless walls
    in them; returns how many there are, 0 where there are no such boxes, and `walls` is as before then."""
    ends, boxes, first = buffers.votes, 0, 0  # `ends`: the first and the last wall of each box
    narrowest, widest, total = limits.width, 0, 0
    for place in range(count):
        between = rule.OPEN
        if place + 1 < count:
            between = rules_between(top, bottom, walls[place], walls[place + 1], high, limits, buffers)
        if between == rule.BROKEN:
            return 0
        if between == rule.OPEN:
            ends[2 * boxes], ends[2 * boxes + 1] = first, place
            wide = walls[place, rule.PLACE] - walls[first, rule.PLACE]
            narrowest, widest, total = min(narrowest, wide), max(widest, wide), total + wide
            boxes, first = boxes + 1, place + 1
    if boxes < 2:
        return 0
    mean = total // boxes
    is_even = (mean - narrowest) * rule.OFF_GRID <= mean and (widest - mean) * rule.OFF_GRID <= mean
    are_fields = 2 * widest > rule.WIDEST_CELL * high
    if rule.NARROWEST_CELL * high > 5 * narrowest or not (are_fields or is_even):
        return 0
    kept, end = 0, 0
    for place in range(count):
        is_end = place == ends[end]
        if is_end or (are_fields and walls[place, rule.GRADE] == rule.FLAWLESS):
            for column in range(rule.COLUMNS):
                walls[kept, column] = walls[place, column]
            if is_end:
                walls[kept, rule.GRADE] = rule.FIELD if are_fields else rule.SEPARATE
                end = min(end + 1, 2 * boxes - 1)
            kept += 1
    return kept


@kernel
def rules_between(top, bottom, one, other, high, limits, buffers):
    """How two rules go on from one wall to another one: WHOLE, OPEN or BROKEN."""
    widest, is_open = 0, True
    for line in (top, bottom):
        start = max(place_of_wall(one, line, limits), 0)
        end = min(place_of_wall(other, line, limits), limits.width)
        gap = widest_gap(line, start, end, limits, buffers)
        widest, is_open = max(widest, gap), is_open and gap >= end - start - 2 * THICKEST
    if widest * rule.GAP <= high:
        return rule.WHOLE
    return rule.OPEN if is_open else rule.BROKEN


@kernel
def place_of_wall(wall, line, limits):
    """The column in which a wall meets a rule."""
    return place_at(wall, place_at(line, wall[rule.PLACE], limits.width // 2), limits.height // 2)


@kernel
def leaves(line, limits):
    """Whether a rule leaves the frame."""
    return line[rule.START] < rule.MARGIN or line[rule.END] > limits.width - rule.MARGIN


@kernel
def vote(one, worth, top, bottom, least, step, tries, limits, buffers):
    """Add the votes of a thin run between two rules for the walls that it may belong to: those that go from `least` to
    more aside in `tries` steps."""
    for lean in range(tries):
        place = place_of(one, least + lean * step, top, bottom, limits, buffers.thin)
        if 0 <= place < limits.width:
            buffers.votes[lean * (limits.width + 1) + place] += worth


@kernel
def place_of(one, lean, top, bottom, limits, thin):
    """The column of the middle of the wall that a thin run belongs to if that goes so far aside."""
    twice, y, half = int(thin[TWICE, one]), int(thin[ALONG, one]), limits.width // 2
    upper, lower = place_at(top, twice // 2, half), place_at(bottom, twice // 2, half)
    return (twice - lean * (2 * y - upper - lower) // (lower - upper) + 1) // 2


@kernel
def is_wall(wall, top, bottom, place, lean, high, limits, buffers):
    """Whether a line of ink goes from rule to rule right of a column; if so, it is written into `wall`."""
    upper = place_at(top, place, limits.width // 2) + max(top[rule.THICK] // 2, 1) + 1
    lower = place_at(bottom, place, limits.width // 2) - max(bottom[rule.THICK] // 2, 1)
    slope = lean * ONE // high
    wall[rule.SLOPE], wall[rule.PLACE] = slope, place
    wall[rule.LEVEL] = place * ONE + ONE // 2 - slope * ((upper + lower) // 2 - limits.height // 2)
    start, end, ends = max(upper, 0), min(lower, limits.height), 2 + high // 32
    free, thin, total, joins_top, joins_bottom = 0, 0, 0, False, False
    for y in range(start, end):
        length = run_across(wall, y, True, limits, buffers)
        free += length == 0
        if 0 < length <= THICKEST:
            thin, total = thin + 1, total + length
        joins_top |= length > 0 and y < start + ends
        joins_bottom |= length > 0 and y >= end - ends
    wall[rule.START], wall[rule.END], wall[rule.THICK] = start, end, thickness(total, thin)
    wall[rule.GRADE] = rule.MERGED
    if (thin - free) * 8 >= 7 * (end - start):
        wall[rule.GRADE] = rule.FLAWLESS
    elif (thin - free) * 2 >= end - start:
        wall[rule.GRADE] = rule.CLEAR
    whole = wall[rule.GRADE] != rule.MERGED or free * 8 <= end - start
    return thin > 0 and joins_top and joins_bottom and whole


@kernel
def keep_regular(count, high, start, end, walls):
    """Keep the walls that are the ends of a printed frame, or divide it into equal cells, and flawless ones of a
    table; returns how many there are, 0 where there is no such frame. Its cells go on beyond [start, end) while there
    are walls."""
    left, right = ONE, 0
    for wall in walls[:count]:
        if wall[rule.GRADE] >= rule.CLEAR and start <= wall[rule.PLACE] < end:
            left, right = min(left, wall[rule.PLACE]), max(right, wall[rule.PLACE])
    wide = right - left
    if wide * 8 < high * 9:
        return 0
    cells = cells_of(walls[:count], left, wide, high)
    if wide * 5 < high * 8 and cells == 1:
        return 0
    goes_on = cells > 1
    while goes_on:
        goes_on = False
        for wall in walls[:count]:
            if divides(wall, left, wide, cells, -1) or divides(wall, left, wide, cells, cells + 1):
                left, right = min(left, wall[rule.PLACE]), max(right, wall[rule.PLACE])
                wide, cells, goes_on = right - left, cells + 1, True
                break
    kept, is_table = 0, not is_for_characters(wide, cells, high)
    for place in range(count):
        wall = walls[place]
        keep = is_table and wall[rule.GRADE] == rule.FLAWLESS
        for at in range(cells + 1):
            keep |= divides(wall, left, wide, cells, at)
        if keep and left <= wall[rule.PLACE] <= right:
            for column in range(rule.COLUMNS):
                walls[kept, column] = wall[column]
            kept += 1
    return kept


@kernel
def ends_of(walls):
    """The columns of the first and the last of these walls."""
    left, right = ONE, 0
    for wall in walls:
        left, right = min(left, wall[rule.PLACE]), max(right, wall[rule.PLACE])
    return left, right


@kernel
def list_dividers(top, bottom, walls, limits, buffers):
    """Add the rules and the walls of a table to `buffers.dividers`, or the ends of fields in a row; not its ends."""
    left, right = ends_of(walls)
    for line in (top, bottom):
        upper, lower = place_at(line, left, limits.width // 2), place_at(line, right, limits.width // 2)
        list_divider(left, upper, right, lower, buffers)
    are_fields = walls[0, rule.GRADE] == rule.FIELD
    for wall in walls:
        if left < wall[rule.PLACE] < right and (wall[rule.GRADE] == rule.FIELD or not are_fields):
            start, end = wall[rule.START], wall[rule.END]
            upper, lower = place_at(wall, start, limits.height // 2), place_at(wall, end, limits.height // 2)
            list_divider(upper, start, lower, end, buffers)


@kernel
def list_divider(left, top, right, bottom, buffers):
    listed = buffers.dividers[buffers.found[DIVIDER_COUNT]]
    listed[part.LEFT], listed[part.TOP], listed[part.RIGHT], listed[part.BOTTOM] = left, top, right, bottom
    buffers.found[DIVIDER_COUNT] += 1


@kernel
def cell_of(walls, high):
    """Width of the equal cells of a frame if each is for one character, with the gap to the next one, 0 if not."""
    first, last = ends_of(walls)
    if walls[0, rule.GRADE] == rule.SEPARATE:
        return (walls[len(walls) - 2, rule.PLACE] - first) // (len(walls) // 2 - 1)
    if walls[0, rule.GRADE] == rule.FIELD:
        return 0
    cells = cells_of(walls, first, last - first, high)
    return (last - first) // cells if is_for_characters(last - first, cells, high) else 0


@kernel
def is_for_characters(wide, cells, high):
    """Whether a frame of equal cells is a row of boxes, one for each character; those of a table are wider."""
    return cells > 1 and 2 * (wide // cells) <= rule.WIDEST_CELL * high


@kernel
def cells_of(walls, left, wide, high):
    """Into how many equal cells the walls divide a frame."""
    cells, best = 1, 0
    for tried in range(2, min(2 * wide // high, rule.MOST_CELLS) + 1):
        seen = 0
        for at in range(1, tried):
            there = False
            for wall in walls:
                there |= divides(wall, left, wide, tried, at)
            seen += there
        if 2 * seen - (tried - 1) > best:
            best, cells = 2 * seen - (tried - 1), tried
    return cells


@kernel
def divides(wall, left, wide, cells, at):
    """Whether a wall is where it would divide a frame into equal cells."""
    return abs((wall[rule.PLACE] - left) * cells - at * wide) * rule.OFF_GRID <= wide


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
