"""The walls between two rules that are the top and the bottom of a printed frame, by votes as in a Hough transform."""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.buffers import WALLS_TRIED
from edge_lpdpl.page.kernels.rules.across import place_at, run_across, thickness, widest_gap
from edge_lpdpl.page.kernels.rules.cells import ends_of, keep_regular, keep_separate
from edge_lpdpl.page.kernels.rules.lines import ALONG, FREE, TWICE, leaves, sort_lines
from edge_lpdpl.page.kernels.rules.single import keep_single
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
    start, end, found = start - high // 4, end + high // 4, buffers.rules[rule.MOST_RULES :]
    walls = search_walls(top, bottom, top, start, end, high, count, limits, buffers)
    separate = keep_separate(walls, top, bottom, high, found, limits, buffers)
    if separate:
        walls = separate
    else:
        regular = keep_regular(walls, high, start, end, found)
        if regular == 0 and limits.single_boxes > 0:
            regular = keep_single(walls, top, bottom, high, found, limits, buffers)
        walls = regular
        left, right = ends_of(found[:walls])
        if not is_whole(top, bottom, left, right, high, limits, buffers):
            return 0
    walls_above = top[rule.GRADE] != rule.FRAMED and go_on(top, walls, -1, limits, buffers)
    walls_below = leaves(bottom, limits) and go_on(bottom, walls, 1, limits, buffers)
    return 0 if walls_above or walls_below else walls


@kernel
def search_walls(top, bottom, rim, start, end, high, count, limits, buffers):
    """Write all lines that go from one line to another one into `buffers.rules`, from MOST_RULES on, from left to
    right; returns how many there are.

    Args:
        rim: one of both, which has no wide gap, nor has the bottom, up to walls beyond [start, end).
    """
    step, half = 1 + high // 64, limits.width // 2
    tries = 2 * (high // rule.ASIDE // step) + 1
    least = -(top[rule.SLOPE] + bottom[rule.SLOPE]) * high // (2 * ONE) - tries // 2 * step
    votes, width = buffers.votes, limits.width
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
            walls += is_whole(rim, bottom, first, last, high, limits, buffers)
        for one in range(count):
            if buffers.thin[FREE, one] != 0:
                own = place_of(one, lean, top, bottom, limits, buffers.thin)
                if place <= own <= place + 1:
                    vote(one, -1, top, bottom, least, step, tries, limits, buffers)
                    buffers.thin[FREE, one] = 0
    sort_lines(walls, rule.PLACE, found)
    return walls


@kernel
def may_be_frame(top, bottom, shared, high, limits):
    """Whether two rules are large enough for a frame, about parallel, and not both lines of ruled paper; `shared` is
    the length of the columns that both are in."""
    thick = max(top[rule.THICK], bottom[rule.THICK], rule.THINNEST)
    wide = min(top[rule.END] - top[rule.START], bottom[rule.END] - bottom[rule.START])
    narrowest = rule.NARROWEST_CELL * high * 8 if limits.single_boxes > 0 else 9 * high * 5
    large = shared >= rule.SHORTEST and wide * 8 * 5 >= narrowest and high >= rule.FLATTEST * thick
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
def is_whole(top, bottom, start, end, high, limits, buffers):
    """Whether a stretch of both rules has no wide gap."""
    widest = max(widest_gap(top, start, end, limits, buffers), widest_gap(bottom, start, end, limits, buffers))
    return widest * rule.GAP <= high


@kernel
def go_on(line, count, step, limits, buffers):
    """Whether most of the walls go on beyond a rule, which then only crosses the frame."""
    return 2 * going_on(line, count, step, limits, buffers) > count


@kernel
def going_on(line, count, step, limits, buffers):
    """How many of the walls go on beyond a rule."""
    going, first = 0, line[rule.THICK] // 2 + 2
    for wall in buffers.rules[rule.MOST_RULES : rule.MOST_RULES + count]:
        border, seen = place_at(line, wall[rule.PLACE], limits.width // 2), 0
        for away in range(first, first + THICKEST):
            seen += 0 < run_across(wall, border + step * away, True, limits, buffers) <= THICKEST
        going += seen == THICKEST
    return going
