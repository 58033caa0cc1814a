"""The pixels of one rule are marked as no ink, but not those of writing that crosses it or lies on it."""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.kernels.rules.across import (
    centre_of,
    core_ink,
    ink_at,
    ink_beyond,
    place_at,
    stands_free,
    with_rim,
)
from edge_lpdpl.page.rules_table import BEFORE, INK, NOW, THICKEST

NOT, FAINT, SURE = range(3)
"""Whether a stroke crosses a rule: it does not; fainter ink goes on; it does, and the rule is thicker there."""


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
