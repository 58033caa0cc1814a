"""What is across a line at one place: its ink, how far that goes, and what follows it.

What runs along a column or, if `upright`, along a row is `across` in it. `edge_lpdpl.page.rules_table` explains the
lines.
"""

from edge_lpdpl.jit.compiler import inlined, kernel
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.rules_table import BEFORE, ONE, THICKEST


@inlined
def level_at(across, along, upright, limits, buffers):
    """The contrast of a pixel; 0 outside of the frame and, if `upright`, in a valley."""
    y, x = (along, across) if upright else (across, along)
    if y < 0 or x < 0 or y >= limits.height or x >= limits.width:
        return 0
    return int(buffers.own[y * limits.width + x] if upright else buffers.contrast[buffers.starts[y] + x])


@inlined
def ink_at(across, along, upright, limits, buffers):
    """The contrast of a pixel that belongs to no rule, 0 outside of the frame and without ink."""
    level = level_at(across, along, upright, limits, buffers)
    y, x = (along, across) if upright else (across, along)
    return level if level == 0 or buffers.mask[y * limits.width + x] != BEFORE else 0


@inlined
def place_at(line, along, middle):
    """Where a line is across."""
    return (line[rule.LEVEL] + line[rule.SLOPE] * (along - middle) + ONE // 2) >> 16


@kernel
def centre_of(exact, along, upright, limits, buffers):
    """Where a rule has ink: at its exact place, or beside that where it is more than twice as dark; -1 without."""
    best, most = -1, 0
    for place in (exact, exact - 1, exact + 1):
        level = ink_at(place, along, upright, limits, buffers)
        if level > 2 * most:
            best, most = place, level
    return best


@kernel
def ink_beyond(across, along, step, upright, limits, buffers):
    """How many pixels of ink that belongs to no rule, at least half as dark as one, follow that, at most one more than
    a rule is thick."""
    count, level = 0, ink_at(across, along, upright, limits, buffers)
    while count <= THICKEST and 2 * ink_at(across + step * (count + 1), along, upright, limits, buffers) >= level:
        count += 1
    return count


@kernel
def with_rim(centre, count, along, step, upright, limits, buffers):
    """How many pixels of a rule there are on one side of its centre: so many, and ink behind them that fades."""
    level = ink_at(centre + step * count, along, upright, limits, buffers)
    while count <= THICKEST:
        fainter = ink_at(centre + step * (count + 1), along, upright, limits, buffers)
        if fainter == 0 or fainter > level:
            break
        count, level = count + 1, fainter
    return count


@kernel
def stands_free(centre, along, upright, limits, buffers):
    """Whether the ink across a rule ends on both sides: in the rim of a shadow it goes on."""
    for step in (-1, 1):
        away = 1
        while away <= rule.ONWARD and ink_at(centre + step * away, along, upright, limits, buffers) != 0:
            away += 1
        if away > rule.ONWARD:
            return False
    return True


@kernel
def core_ink(centre, along, upright, limits, buffers):
    """How much ink there is across that is at least half as dark as the centre of a rule."""
    before = ink_beyond(centre, along, -1, upright, limits, buffers)
    after = ink_beyond(centre, along, 1, upright, limits, buffers)
    total = 0
    for place in range(centre - before, centre + after + 1):
        total += ink_at(place, along, upright, limits, buffers)
    return total


@kernel
def run_across(line, along, upright, limits, buffers):
    """Length of the run of ink that a line crosses, or that is beside it, 0 without; long ones as THICKEST + 1."""
    place = place_at(line, along, (limits.height if upright else limits.width) // 2)
    level = level_at(place, along, upright, limits, buffers)
    for beside in (place - 1, place + 1):
        other = level_at(beside, along, upright, limits, buffers)
        if other > 2 * level:
            place, level = beside, other
    if level == 0:
        return 0
    length = 1 + reach(place, along, -1, level, upright, limits, buffers)
    return min(length + reach(place, along, 1, level, upright, limits, buffers), THICKEST + 1)


@kernel
def reach(across, along, step, level, upright, limits, buffers):
    """How many pixels follow one of this contrast that are at least half as dark, at most one more than a rule is
    thick."""
    count = 0
    while count <= THICKEST and 2 * level_at(across + step * (count + 1), along, upright, limits, buffers) >= level:
        count += 1
    return count


@kernel
def widest_gap(line, start, end, limits, buffers):
    """The longest stretch of a lying line without ink."""
    gap = widest = 0
    for along in range(start, end):
        gap = gap + 1 if run_across(line, along, False, limits, buffers) == 0 else 0
        widest = max(widest, gap)
    return widest


@kernel
def thickness(total, count):
    """A mean, rounded."""
    return (2 * total + count) // (2 * max(count, 1))


@kernel
def place_of_wall(wall, line, limits):
    """The column in which a wall meets a rule."""
    return place_at(wall, place_at(line, wall[rule.PLACE], limits.width // 2), limits.height // 2)


@kernel
def is_at(wall, line, end, limits):
    """Whether a wall meets a rule at an end, which is as far as the middle of the wall or half a wall before it."""
    return abs(place_of_wall(wall, line, limits) - end) <= rule.NEAR + wall[rule.THICK] // 2
