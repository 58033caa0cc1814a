"""A group of parts, cleaned of the paper and of everything around it: what the recogniser is given."""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import array_at
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.buffers import LIFTED_HEIGHT, LIFTED_WIDTH, LIGHT, UNREAD_COUNT
from edge_lpdpl.page.kernels.contrast import double, paper_at
from edge_lpdpl.page.kernels.rules.across import level_at
from edge_lpdpl.page.kernels.rules.taking import ink_around
from edge_lpdpl.page.kernels.writing import half_outline, side_of


@kernel
def lift(grey, top, left, count, uncovered, limits, buffers):
    """Write the ink of a group into `buffers.lifted`: how much more of the paper's light it takes than its strokes'
    soft edge does, and 0 around it. Its measures are in `buffers.group`.

    A small numeral comes from the frame itself, where its strokes are finer, a usual one from the reduced frame, and a
    large one from means of its blocks: the recogniser needs no more than LIFTED_SIDE pixels. A long and thin one keeps
    LEAST_LIFTED across.

    Args:
        grey: (frame height, frame width) uint8, the frame that was searched from (top, left) on.
        count: of the members of the group.
        uncovered: whether with the strokes of `buffers.hidden`, if they were found for this group.
    """
    row = buffers.group
    y0, y1 = max(row[part.TOP] - 2 * part.REACH, 0), min(row[part.BOTTOM] + 2 * part.REACH, limits.height)
    x0, x1 = max(row[part.LEFT] - 2 * part.REACH, 0), min(row[part.RIGHT] + 2 * part.REACH, limits.width)
    side, soft = max(y1 - y0, x1 - x0), row[part.RIDGE] // (part.SOFT * row[part.RUNS])
    mark_ink(count, y0, y1, x0, x1, limits, buffers)
    if uncovered:
        mark_hidden(y0, y1, x0, x1, limits, buffers)
    thinnest = (min(y1 - y0, x1 - x0) - 1) // (part.LEAST_LIFTED - 1)
    shrunk, grown = max(min((side + part.LIFTED_SIDE - 1) // part.LIFTED_SIDE, thinnest), 1), 1
    if side * limits.factor <= part.LIFTED_SIDE:
        grown, flip = limits.factor, np.uint8(0 if buffers.found[LIGHT] else 255)
        _lift_pixels(grey[top:, left:], grown, flip, y0, y1, x0, x1, soft, limits, buffers)
    elif shrunk == 1:
        ink = array_at(buffers.ink.ctypes.data, (limits.height, limits.stride), np.uint8)
        _lift_pixels(ink[0:, 0:], 1, np.uint8(0), y0, y1, x0, x1, soft, limits, buffers)
    else:
        _lift_means(y0, y1, x0, x1, shrunk, soft, limits, buffers)
    buffers.found[LIFTED_HEIGHT] = (y1 - y0 + shrunk - 1) // shrunk * grown
    buffers.found[LIFTED_WIDTH] = (x1 - x0 + shrunk - 1) // shrunk * grown


@kernel
def measure_group(count, limits, buffers):
    """Measure the group of `buffers.members` into `buffers.group`; a group without ink has no runs."""
    table, group, members, seams = buffers.table, buffers.group, buffers.members, buffers.seams
    for column in range(part.COLUMNS):
        group[column] = 0
    group[part.LEFT], group[part.TOP] = limits.width, limits.height
    for member in range(count):
        row, start, end = members[member, part.MEMBER], members[member, part.FROM], members[member, part.TO]
        left, top, right, bottom, area = limits.width, limits.height, 0, 0, 0
        for y in range(table[row, part.TOP], table[row, part.BOTTOM]):
            for run in range(buffers.firsts[y], buffers.firsts[y + 1]):
                if buffers.row_of[buffers.parts[run]] == row:
                    first = max(buffers.borders[2 * run], seams[start, y])
                    last = min(buffers.borders[2 * run + 1], seams[end, y])
                    if first < last:
                        left, right, top, bottom = min(left, first), max(right, last), min(top, y), y + 1
                        area += last - first
                        group[part.RUNS] += 1
        if area > 0:
            group[part.LEFT], group[part.RIGHT] = min(group[part.LEFT], left), max(group[part.RIGHT], right)
            group[part.TOP], group[part.BOTTOM] = min(group[part.TOP], top), max(group[part.BOTTOM], bottom)
            group[part.LONGEST] = max(group[part.LONGEST], max(right - left, bottom - top))
            group[part.AREA] += area
            for column in (part.SHARED, part.RIDGE, part.OPEN):
                group[column] += table[row, column] * area // table[row, part.AREA]


@kernel
def doubt_about(row, limits, buffers):
    """The doubt that a printed rule leaves about a group, 0 for none. The frames of rules are the first ink that is
    unread."""
    if buffers.found[UNREAD_COUNT] == 0 or buffers.unread[0, part.REASON] != part.RULES:
        return 0
    if is_rest(row, limits, buffers):
        return rule.REST
    return rule.HIDDEN if find_hidden(row, limits, buffers) else 0


@kernel
def find_hidden(row, limits, buffers):
    """Find where a stroke of a group may have been taken out with a printed rule: along one of its edges a rule had
    more ink than around, for longer than a stroke is wide. Without its bar on the wall of a box a 7 is a 1. Returns the
    number of such stretches in `buffers.hidden`."""
    for place in range(buffers.hidden.size):
        buffers.hidden.flat[place] = 0
    count = 0
    pen = row[part.RIDGE] * row[part.AREA] // (row[part.RUNS] * half_outline(row))
    for upright in (False, True):
        first, last, low, high = extent(row, upright)
        for edge, step in ((first, -1), (last - 1, 1)):
            if touches_rule(edge, step, low, high, upright, limits, buffers):
                start, end = heavy_stretch(edge + step, low, high, pen // rule.HEAVIER, upright, limits, buffers)
                if end - start > rule.THICKEST and rule.LEAST_HIDDEN * (end - start) > side_of(row):
                    hidden = buffers.hidden[count]
                    hidden[rule.HIDES_UPRIGHT], hidden[rule.HIDES_ACROSS] = upright, edge + step
                    hidden[rule.HIDES_FROM], hidden[rule.HIDES_TO] = start, end
                    count += 1
    return count


@kernel
def is_rest(row, limits, buffers):
    """Whether a group may be what is left of a rule that was not taken out whole: a bar from one rule to another one,
    as a wall is, or a speck at one."""
    for upright in (False, True):
        first, last, low, high = extent(row, upright)
        met = meets_rule(first, -1, low, high, upright, limits, buffers)
        met += meets_rule(last - 1, 1, low, high, upright, limits, buffers)
        is_bar, is_speck = rule.SLIM * (high - low) <= last - first, side_of(row) <= rule.TALL
        if (met == 2 and is_bar) or (met > 0 and is_speck):
            return True
    return False


@kernel
def extent(row, upright):
    """From where to where a group goes across rules that lie, or across upright ones, and then along them."""
    if upright:
        return row[part.LEFT], row[part.RIGHT], row[part.TOP], row[part.BOTTOM]
    return row[part.TOP], row[part.BOTTOM], row[part.LEFT], row[part.RIGHT]


@kernel
def meets_rule(edge, step, low, high, upright, limits, buffers):
    """Whether there is a rule across one end of a group, or right beside it."""
    for away in range(-rule.THICKEST, 2):
        for along in range(low - 1, high + 1):
            if mark_at(edge + step * away, along, upright, limits, buffers) == rule.RULED:
                return True
    return False


@kernel
def touches_rule(edge, step, low, high, upright, limits, buffers):
    """Whether ink at the edge of a group has a rule beside it."""
    for along in range(low, high):
        if mark_at(edge, along, upright, limits, buffers) > rule.RULED:
            for near in range(along - 1, along + 2):
                if mark_at(edge + step, near, upright, limits, buffers) == rule.RULED:
                    return True
    return False


@kernel
def heavy_stretch(place, low, high, more, upright, limits, buffers):
    """Start and end of the longest stretch of a rule, along a group or from it on, that has more ink across than around
    it, by more than `more`."""
    reach = high - low + rule.TALL
    start = max(low - reach, 0)
    across = buffers.votes[: high + reach - start]
    for one in range(len(across)):
        across[one] = rule_across(place, start + one, upright, limits, buffers)
    usual = ink_around(0, len(across), across)
    longest = begin = first = 0
    for one in range(len(across) + 1):
        if one < len(across) and across[one] > usual + more:
            continue
        if start + one >= low and start + first <= high and one - first > longest:
            longest, begin = one - first, start + first
        first = one + 1
    return begin, begin + longest


@kernel
def rule_across(place, along, upright, limits, buffers):
    """How much ink the pixels of a rule have across, near a place."""
    total = 0
    for across in range(place - rule.THICKEST, place + rule.THICKEST + 1):
        if mark_at(across, along, upright, limits, buffers) == rule.RULED:
            y, x = (along, across) if upright else (across, along)
            paper = paper_at(buffers.blocks, y, x, limits)
            rise = int(buffers.ink[y * limits.stride + x]) - int(paper)
            total += max(rise * int(buffers.scale[paper]) >> 8, 0)
    return total


@kernel
def mark_at(across, along, upright, limits, buffers):
    """The contrast of a pixel of ink, `rule.RULED` of one that belonged to a rule; 0 elsewhere and beyond the frame."""
    y, x = (along, across) if upright else (across, along)
    return level_at(y, x, False, limits, buffers)


@kernel
def mark_ink(count, y0, y1, x0, x1, limits, buffers):
    """Set `buffers.mask` to 255 on the group's ink and REACH pixels around it, but not on other ink, 0 elsewhere.

    Its rows are those of the box, REACH pixels longer on either side, and `buffers.own` has REACH rows more above and
    below, so that nothing reaches out of it.
    """
    own, mask, borders, firsts = buffers.own, buffers.mask, buffers.borders, buffers.firsts
    table, members, seams = buffers.table, buffers.members, buffers.seams
    pitch = x1 - x0 + 2 * part.REACH
    for place in range((y1 - y0 + 2 * part.REACH) * pitch):
        own[place] = 0
    for member in range(count):
        row, start, end = members[member, part.MEMBER], members[member, part.FROM], members[member, part.TO]
        for y in range(table[row, part.TOP], table[row, part.BOTTOM]):
            offset = (y - y0 + part.REACH) * pitch + part.REACH - x0
            for run in range(firsts[y], firsts[y + 1]):
                if buffers.row_of[buffers.parts[run]] == row:
                    first, last = max(borders[2 * run], seams[start, y]), min(borders[2 * run + 1], seams[end, y])
                    for place in range(offset + first, offset + last):
                        own[place] = 255
    size = (y1 - y0) * pitch
    a, b, c, d, e = own, own[pitch:], own[2 * pitch :], own[3 * pitch :], own[4 * pitch :]
    for place in range(size):
        mask[place] = a[place] | b[place] | c[place] | d[place] | e[place]
    for y in range(y0, y1):
        line, ink = mask[(y - y0) * pitch : (y - y0 + 1) * pitch], own[(y - y0 + part.REACH) * pitch + part.REACH :]
        contrast = buffers.contrast[buffers.starts[y] + x0 : buffers.starts[y] + x1]
        for x in range(x1 - x0):
            free = ink[x] | (np.uint8(255) if contrast[x] == 0 else np.uint8(0))
            line[x] = (line[x] | line[x + 1] | line[x + 2] | line[x + 3] | line[x + 4]) & free


@kernel
def mark_hidden(y0, y1, x0, x1, limits, buffers):
    """Set `buffers.mask` on the pixels of rules that may hide strokes of the group, too."""
    pitch = x1 - x0 + 2 * part.REACH
    for stretch in buffers.hidden:
        for along in range(stretch[rule.HIDES_FROM], stretch[rule.HIDES_TO]):
            for away in range(-rule.THICKEST, rule.THICKEST + 1):
                across, upright = stretch[rule.HIDES_ACROSS] + away, stretch[rule.HIDES_UPRIGHT] != 0
                y, x = (along, across) if upright else (across, along)
                is_inside = y0 <= y < y1 and x0 <= x < x1
                if is_inside and mark_at(across, along, upright, limits, buffers) == rule.RULED:
                    buffers.mask[(y - y0) * pitch + x - x0] = 255


@kernel
def _lift_means(y0, y1, x0, x1, side, soft, limits, buffers):
    """From the reduced frame, by means over blocks of `side` x `side` pixels; each has the paper of its first."""
    sums, lifted, blocks, scale = buffers.sums, buffers.lifted, buffers.blocks, buffers.scale
    wide, paper = buffers.lines[2], buffers.lines[2, x0 % part.BLOCK :]
    pitch, width = x1 - x0 + 2 * part.REACH, x1 - x0
    columns, area = (width + side - 1) // side, np.uint32(256 * side * side)
    at = 0
    for first in range(y0, y1, side):
        for x in range(columns * side):
            sums[x] = 0
        for y in range(first, min(first + side, y1)):
            ink = buffers.ink[y * limits.stride + x0 : y * limits.stride + x1]
            base = y // part.BLOCK * limits.block_stride
            double(blocks[base + x0 // part.BLOCK : base + (x1 + 1) // part.BLOCK], wide)
            mask = buffers.mask[(y - y0) * pitch : (y - y0) * pitch + width]
            for x in range(width):
                sums[x] += np.uint32(np.uint8(ink[x] - paper[x]) & mask[x])
        for column in range(columns):
            rise = np.uint32(0)
            for x in range(column * side, (column + 1) * side):
                rise += sums[x]
            taken = np.uint32(rise * scale[paper_at(blocks, first, x0 + column * side, limits)]) // area
            # A block with darker paper than that of its first pixel may seem to take more than all light.
            lifted[at] = min(max(int(taken) - soft, 0), 255)
            at += 1


@kernel
def _lift_pixels(grey, factor, flip, y0, y1, x0, x1, soft, limits, buffers):
    """From a picture with `factor` x `factor` pixels for each one of the reduced frame, which is one such picture."""
    blocks, scale = buffers.blocks, buffers.scale
    pitch = x1 - x0 + 2 * part.REACH
    at = 0
    for y in range(y0, y1):
        mask = buffers.mask[(y - y0) * pitch : (y - y0 + 1) * pitch]
        base = blocks[y // part.BLOCK * limits.block_stride :]
        for line in range(y * factor, (y + 1) * factor):
            pixels = grey[line, x0 * factor : x1 * factor]
            out = buffers.lifted[at : at + len(pixels)]
            for x in range(x1 - x0):
                paper = base[(x0 + x) // part.BLOCK]
                for fine in range(x * factor, (x + 1) * factor):
                    level = np.uint8(pixels[fine] ^ flip)
                    rise = np.uint32(level - paper) if mask[x] != 0 and level > paper else np.uint32(0)
                    out[fine] = max(int((rise * scale[paper]) >> np.uint32(8)) - soft, 0)
            at += len(pixels)
