"""Rules are taken out of the ink: rows of boxes for entries, long fields, tables, underlines.

Two parallel lines with upright walls between them are a printed frame if it is wide, or if walls divide it into equal
cells: no hand writes that. A line that is much longer than what is written on it is high is an underline. A page
without rules costs a pass over its ink and the search for lines.
"""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.buffers import DIVIDER_COUNT, UNREAD_COUNT, WALLS_TRIED
from edge_lpdpl.page.kernels.lines import (
    centre_of,
    core_ink,
    find_lines,
    find_thin,
    ink_at,
    ink_beyond,
    level_at,
    place_at,
    stands_free,
    widest_gap,
    with_rim,
)
from edge_lpdpl.page.kernels.parts import empty_box
from edge_lpdpl.page.kernels.walls import cell_of, find_walls, leaves, list_dividers, place_of_wall
from edge_lpdpl.page.rules_table import BEFORE, INK, NOW, THICKEST

NOT, FAINT, SURE = range(3)
"""Whether a stroke crosses a rule: it does not; fainter ink goes on; it does, and the rule is thicker there."""


@kernel
def take_rules(limits, buffers):
    """Clear the printed rules in `buffers.contrast` and mark them in `buffers.mask`; returns whether there are any. The
    boxes of their frames come first in `buffers.unread`, what divides tables is in `buffers.dividers`."""
    buffers.found[UNREAD_COUNT] = buffers.found[WALLS_TRIED] = buffers.found[DIVIDER_COUNT] = 0
    count = find_thin(False, limits, buffers)
    lines = find_lines(count, limits, buffers) if count >= rule.LEAST else 0
    count = find_thin(True, limits, buffers) if lines >= 1 else -1
    if count < 0:
        return False
    for place in range(limits.height * limits.width):
        buffers.mask[place] = INK
    rules = buffers.rules[:lines]
    for line in rules:
        line[rule.GRADE] = rule.LONE
    for top in range(lines):
        for bottom in range(top + 1, lines):
            walls = find_walls(rules[top], rules[bottom], count, limits, buffers)
            if walls > 0:
                _take_frame(rules[top], rules[bottom], walls, limits, buffers)
                rules[top, rule.GRADE] = rules[bottom, rule.GRADE] = rule.FRAMED
                break
    for line in rules:
        if line[rule.GRADE] == rule.LONE and is_underline(line, limits, buffers):
            box = new_box(limits, buffers)
            start, end = line[rule.START] - rule.NEAR, line[rule.END] + rule.NEAR + 1
            take_out(line, start, end, False, (end - start) // 4, 0, box, limits, buffers)
            buffers.found[UNREAD_COUNT] += box[part.RIGHT] > 0
    mark_rules(0, limits, buffers)
    return buffers.found[UNREAD_COUNT] > 0


@kernel
def mark_rules(contrast, limits, buffers):
    """Set the contrast of all pixels of rules."""
    if buffers.found[UNREAD_COUNT] > 0:
        for y in range(limits.height):
            if buffers.starts[y] > 0:
                row = buffers.contrast[buffers.starts[y] : buffers.starts[y] + limits.width]
                marks = buffers.mask[y * limits.width : (y + 1) * limits.width]
                for x in range(limits.width):
                    row[x] = contrast if marks[x] != INK else row[x]


@kernel
def _take_frame(top, bottom, count, limits, buffers):
    """Mark the pixels of a frame and list its box: the walls first, or they would seem strokes that cross the rules. A
    1 may stand on a wall, so a wall is compared with the top and the bottom, too."""
    box = new_box(limits, buffers)
    walls = buffers.rules[rule.MOST_RULES : rule.MOST_RULES + count]
    high = (bottom[rule.LEVEL] - top[rule.LEVEL]) // rule.ONE
    box[part.CELL] = cell_of(walls, high)
    if box[part.CELL] == 0:
        list_dividers(top, bottom, walls, limits, buffers)
    usual = max(usual_ink(top, limits, buffers), usual_ink(bottom, limits, buffers))
    for wall in walls:
        take_out(wall, wall[rule.START], wall[rule.END], True, high, usual, box, limits, buffers)
    take_valleys(box, limits, buffers)
    for line in (top, bottom):
        left, right = limits.width, 0
        for wall in walls:
            end = place_of_wall(wall, line, limits)
            left, right = min(left, end), max(right, end)
        darkest = take_out(line, left - rule.NEAR, right + rule.NEAR + 1, False, high, 0, box, limits, buffers)
        for wall in walls:
            take_corner(line, wall, darkest, box, limits, buffers)
    buffers.found[UNREAD_COUNT] += box[part.RIGHT] > 0


@kernel
def take_valleys(box, limits, buffers):
    """Mark the ink between two walls that are side by side, in the box of the walls."""
    for y in range(box[part.TOP], box[part.BOTTOM]):
        row = buffers.contrast[buffers.starts[y] : buffers.starts[y] + limits.width]
        own = buffers.own[y * limits.width : (y + 1) * limits.width]
        marks = buffers.mask[y * limits.width : (y + 1) * limits.width]
        for x in range(box[part.LEFT], box[part.RIGHT]):
            if marks[x] == INK and row[x] != 0 and own[x] == 0:
                before, behind = False, False
                for away in range(1, 3):
                    before |= x >= away and marks[x - away] == BEFORE
                    behind |= x + away < limits.width and marks[x + away] == BEFORE
                marks[x] = NOW if before and behind else INK
        for x in range(box[part.LEFT], box[part.RIGHT]):
            marks[x] = BEFORE if marks[x] == NOW else marks[x]


@kernel
def new_box(limits, buffers):
    """The next row of `buffers.unread`, for rules, with nothing in its box yet."""
    box = buffers.unread[buffers.found[UNREAD_COUNT]]
    empty_box(box, part.RULES, limits)
    return box


@kernel
def is_underline(line, limits, buffers):
    """Whether all that is written on a rule is much lower than the rule is long, and nothing hangs from it."""
    start, end = line[rule.START], line[rule.END]
    length = end - start
    above, other = buffers.votes[:length], buffers.votes[length : 2 * length]
    if not 0 < limits.shortest_underline <= length or leaves(line, limits):
        return False
    if widest_gap(line, start, end, limits, buffers) > THICKEST:
        return False
    find_upright(line, -1, start, end, above, limits, buffers)
    near, far = 0, 0
    for away in range(length):
        if above[away] != 0:
            if far > 0 and away - far > far // 4 + 1:
                break
            near, far = away if near == 0 else near, away
    if far <= rule.TALL or 2 * near > far or 8 * far > rule.LOWER * length:
        return False
    find_upright(line, 1, start, end, other, limits, buffers)
    if other[far // 4 : far // 2].any():
        return False
    find_upright(line, -1, start - far, start, other, limits, buffers)
    if other[far // 4 : far].any():
        return False
    find_upright(line, -1, end, end + far, other, limits, buffers)
    return not other[far // 4 : far].any()


@kernel
def find_upright(line, side, start, end, found, limits, buffers):
    """Write into `found` whether there are upright strokes at each distance from a stretch of a rule on one side."""
    length = len(found)
    for away in range(length):
        found[away] = 0
    for along in range(start, end):
        exact, away = place_at(line, along, limits.width // 2), line[rule.THICK] // 2 + 1
        while away < length:
            first = last = away
            while level_at(exact + side * last, along, False, limits, buffers) != 0:
                last += 1
            while last > away and level_at(exact + side * (first - 1), along, False, limits, buffers) != 0:
                first -= 1
            if last - first > rule.TALL:
                for one in range(away, min(last, length)):
                    found[one] = 1
            away = last + 1


@kernel
def take_out(line, start, end, upright, reach, usual, box, limits, buffers):
    """Mark the pixels of a rule as BEFORE, but not those of writing that crosses it or lies on it, and add them to a
    box. How much ink it has is compared with so far around each place, and with what is usual unless that is 0. Returns
    the highest contrast of the rule."""
    long = limits.height if upright else limits.width
    first, last = max(start, 0), min(end, long)
    length = max(last - first, 0)
    across, written = buffers.votes[:length], buffers.votes[length : 2 * length]
    darkest = measure(line, first, upright, across, written, limits, buffers)
    free = crossed = buffers.votes[2 * length : 3 * length]
    for one in range(length):
        free[one] = free_ink(line, first + one, upright, limits, buffers) if usual > 0 else 0
    find_written(reach, usual, across, written, free)
    find_crossed(line, first, upright, darkest, crossed, limits, buffers)
    for along in range(first, last):
        if written[along - first] == 0 and crossed[along - first] == 0:
            take_across(line, along, upright, darkest, box, limits, buffers)
    for along in range(first, last):
        exact = place_at(line, along, long // 2)
        for place in range(exact - THICKEST - 2, exact + THICKEST + 3):
            if ink_at(place, along, upright, limits, buffers) != 0:
                y, x = (along, place) if upright else (place, along)
                buffers.mask[y * limits.width + x] = BEFORE if buffers.mask[y * limits.width + x] == NOW else INK
    return darkest


@kernel
def take_across(line, along, upright, darkest, box, limits, buffers):
    """Mark the pixels of a rule at one place as NOW, and add them to a box."""
    exact = place_at(line, along, (limits.height if upright else limits.width) // 2)
    centre = centre_of(exact, along, upright, limits, buffers)
    if centre < 0:
        return
    before = ink_beyond(centre, along, -1, upright, limits, buffers)
    after = ink_beyond(centre, along, 1, upright, limits, buffers)
    low = centre - with_rim(centre, before, along, -1, upright, limits, buffers)
    upper = centre + with_rim(centre, after, along, 1, upright, limits, buffers)
    if before + after > line[rule.THICK]:
        low, upper = exact - max(line[rule.THICK] // 2, 1), exact + max(line[rule.THICK] // 2, 1)
    for place in range(low, upper + 1):
        if 0 < ink_at(place, along, upright, limits, buffers) <= darkest:
            y, x = (along, place) if upright else (place, along)
            buffers.mask[y * limits.width + x] = NOW
            add_to_box(box, y, x)


@kernel
def is_thicker(line, along, upright, limits, buffers):
    """Whether the ink at one place of a rule is thicker than the rule."""
    exact = place_at(line, along, (limits.height if upright else limits.width) // 2)
    centre, more = centre_of(exact, along, upright, limits, buffers), 0
    for step in (-1, 1):
        more += ink_beyond(centre, along, step, upright, limits, buffers)
    return more > line[rule.THICK]


@kernel
def add_to_box(box, y, x):
    box[part.LEFT], box[part.RIGHT] = min(box[part.LEFT], x), max(box[part.RIGHT], x + 1)
    box[part.TOP], box[part.BOTTOM] = min(box[part.TOP], y), max(box[part.BOTTOM], y + 1)


@kernel
def take_corner(line, wall, darkest, box, limits, buffers):
    """Mark what is left of a rule and a wall where they meet, and is not darker than they are."""
    column = place_of_wall(wall, line, limits)
    row = place_at(line, column, limits.width // 2)
    for y in range(max(row - rule.NEAR, 0), min(row + rule.NEAR + 1, limits.height)):
        for x in range(max(column - rule.NEAR, 0), min(column + rule.NEAR + 1, limits.width)):
            if 0 < ink_at(y, x, False, limits, buffers) <= darkest:
                buffers.mask[y * limits.width + x] = BEFORE
                add_to_box(box, y, x)


@kernel
def measure(line, first, upright, across, beyond, limits, buffers):
    """Write into `across` how much ink a rule has across at each place from `first` on, 0 for none, and into `beyond`
    how far that goes to one side. Returns its highest contrast, by the mean of its thin places: darker ink is writing
    on it."""
    long = limits.height if upright else limits.width
    total, thin = 0, 0
    for one in range(len(across)):
        along = first + one
        centre = centre_of(place_at(line, along, long // 2), along, upright, limits, buffers)
        across[one] = beyond[one] = 0
        if centre >= 0:
            before = ink_beyond(centre, along, -1, upright, limits, buffers)
            after = ink_beyond(centre, along, 1, upright, limits, buffers)
            across[one] = ink_at(centre, along, upright, limits, buffers)
            for step in (-1, 1):
                across[one] += ink_to_valley(centre, along, step, upright, limits, buffers)
            beyond[one] = max(before, after)
            if before + after < THICKEST:
                total, thin = total + ink_at(centre, along, upright, limits, buffers), thin + 1
    return rule.DARKER * total // (4 * max(thin, 1))


@kernel
def ink_to_valley(centre, along, step, upright, limits, buffers):
    """How much ink follows a pixel of a rule, up to a valley behind which another stroke begins."""
    highest = lowest = ink_at(centre, along, upright, limits, buffers)
    total, far = 0, 0
    while far <= THICKEST:
        level = ink_at(centre + step * (far + 1), along, upright, limits, buffers)
        if level == 0 or 2 * lowest <= min(highest, level):
            break
        lowest = level if level >= highest else min(lowest, level)
        highest = max(highest, level)
        total, far = total + level, far + 1
    return total


@kernel
def find_written(reach, usual, across, beyond, free):
    """Write into `beyond` whether a stroke lies on a rule at each place, for longer than a stroke that crosses it: it
    has much more ink across than around, and goes on beyond it somewhere; or its core stands free, and has much more
    than is usual."""
    length, first, farthest, heavy = len(across), 0, 0, 0
    for one in range(length + 1):
        if one < length:
            unusual = 4 * free[one] > rule.DARKER * usual
            if unusual or 4 * across[one] > rule.DARKER * ink_around(one, reach, across):
                farthest, heavy = max(farthest, beyond[one]), heavy + unusual
                continue
        for place in range(first, one):
            beyond[place] = one - first > rule.TALL and (farthest > THICKEST or heavy > rule.TALL)
        if one < length:
            beyond[one] = 0
        first, farthest, heavy = one + 1, 0, 0


@kernel
def free_ink(line, along, upright, limits, buffers):
    """How much ink there is in the core of a rule at one place if that stands free, 0 if not."""
    exact = place_at(line, along, (limits.height if upright else limits.width) // 2)
    centre = centre_of(exact, along, upright, limits, buffers)
    is_free = centre >= 0 and stands_free(centre, along, upright, limits, buffers)
    return core_ink(centre, along, upright, limits, buffers) if is_free else 0


@kernel
def usual_ink(line, limits, buffers):
    """How much ink a lying rule usually has across."""
    length = line[rule.END] - line[rule.START]
    across, beyond = buffers.votes[:length], buffers.votes[length : 2 * length]
    measure(line, line[rule.START], False, across, beyond, limits, buffers)
    return ink_around(0, length, across)


@kernel
def ink_around(place, reach, across):
    """Mean ink across a rule, of the places so far around one that have at most the mean: writing may lie on many."""
    around = across[max(place - reach, 0) : place + reach + 1]
    mean = 0
    for _ in range(2):
        total, count = 0, 0
        for ink in around:
            if ink > 0 and (mean == 0 or ink <= mean):
                total, count = total + ink, count + 1
        mean = total // max(count, 1)
    return mean


@kernel
def find_crossed(line, first, upright, darkest, crossed, limits, buffers):
    """Write into `crossed` whether a stroke crosses a rule at each place from `first` on: there is ink on both sides,
    and the rule is thicker there; or fainter ink goes on, in a stretch that is no longer than a stroke is wide."""
    half, faintest = max(line[rule.THICK] // 2, 1), rule.FAINTER * darkest // rule.DARKER
    start = 0
    for one in range(len(crossed) + 1):
        onward = False
        if one < len(crossed):
            along = first + one
            exact = place_at(line, along, (limits.height if upright else limits.width) // 2)
            onward = goes_on(exact, half, along, upright, limits, buffers)
            crossed[one] = FAINT if onward else NOT
            if is_thicker(line, along, upright, limits, buffers):
                near = strongest_across(exact, half + 1, along, upright, limits, buffers)
                crossed[one] = SURE if onward or near >= max(faintest, 1) else NOT
        if onward:
            continue
        if one - start > rule.TALL:
            for place in range(start, one):
                crossed[place] = NOT if crossed[place] == FAINT else crossed[place]
        start = one + 1


@kernel
def goes_on(exact, half, along, upright, limits, buffers):
    """Whether ink goes on far beyond both sides of a rule."""
    for away in (1, rule.ONWARD // 2, rule.ONWARD):
        if strongest_across(exact, half + away, along, upright, limits, buffers) == 0:
            return False
    return True


@kernel
def strongest_across(exact, away, along, upright, limits, buffers):
    """The contrast of ink that is so far away on both sides of a rule, opposite or aslant; 0 where there is none."""
    strongest = 0
    for aside in range(-rule.CROSSING, rule.CROSSING + 1):
        before = ink_at(exact - away, along - aside, upright, limits, buffers)
        if before != 0:
            strongest = max(strongest, min(before, ink_at(exact + away, along + aside, upright, limits, buffers)))
    return strongest
