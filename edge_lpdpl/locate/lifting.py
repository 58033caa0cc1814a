"""One numeral, cleaned of the paper and of everything around it: what the recogniser is given."""

from edge_lpdpl.compiled import kernel
from edge_lpdpl.locate.buffers import LIGHT, RUN_COUNT
from edge_lpdpl.locate.parts_table import BOTTOM, FINE_SIDE, LEFT, REACH, RIGHT, TOP


@kernel
def lift(grey, top, left, numeral, limits, stride, buffers):
    """Write the contrast of one numeral's ink into `buffers.lifted`, 255 for all of the paper's light, 0 around it.

    Large numerals come from the reduced frame, small ones from the frame itself, where their strokes are finer.

    Args:
        grey: (frame height, frame width) uint8, the frame that was searched from (top, left) on.
        numeral: row of the table.

    Returns:
        Height and width of what was written, row by row without gaps.
    """
    row = buffers.table[numeral]
    y0, y1 = max(row[TOP] - 2 * REACH, 0), min(row[BOTTOM] + 2 * REACH, limits.height)
    x0, x1 = max(row[LEFT] - 2 * REACH, 0), min(row[RIGHT] + 2 * REACH, limits.width)
    mark_ink(numeral, y0, y1, x0, x1, limits, stride, buffers)
    if max(row[BOTTOM] - row[TOP], row[RIGHT] - row[LEFT]) > FINE_SIDE or limits.factor == 1:
        _lift_reduced(y0, y1, x0, x1, stride, buffers)
        return y1 - y0, x1 - x0
    _lift_fine(grey, top, left, y0, y1, x0, x1, limits.factor, stride, buffers)
    return (y1 - y0) * limits.factor, (x1 - x0) * limits.factor


@kernel
def mark_ink(numeral, y0, y1, x0, x1, limits, stride, buffers):
    """Set `buffers.mask` inside the box to 1 on the numeral's ink and REACH pixels around it, but not on other ink."""
    mask, starts, ends = buffers.mask, buffers.starts, buffers.ends
    for y in range(y0, y1):
        line = mask[y * stride + x0 : y * stride + x1]
        for x in range(len(line)):
            line[x] = 0
    for run in range(buffers.found[RUN_COUNT]):
        if buffers.row_of[buffers.parts[run]] == numeral:
            y = starts[run] // stride
            first = max(starts[run] - y * stride - REACH, x0)
            last = min(ends[run] - y * stride + REACH, x1)
            for near in range(max(y - REACH, y0), min(y + REACH + 1, y1)):
                line = mask[near * stride + first : near * stride + last]
                for x in range(len(line)):
                    line[x] = 1
    for run in range(buffers.found[RUN_COUNT]):
        y = starts[run] // stride
        if y0 <= y < y1 and buffers.row_of[buffers.parts[run]] != numeral:
            first, last = max(starts[run] - y * stride, x0), min(ends[run] - y * stride, x1)
            for place in range(y * stride + first, y * stride + last):
                mask[place] = 0


@kernel
def _lift_reduced(y0, y1, x0, x1, stride, buffers):
    at = 0
    for y in range(y0, y1):
        for place in range(y * stride + x0, y * stride + x1):
            rise = int(buffers.ink[place]) - int(buffers.paper[place])
            buffers.lifted[at] = (rise * buffers.scale[buffers.paper[place]]) >> 8 if buffers.mask[place] else 0
            at += 1


@kernel
def _lift_fine(grey, top, left, y0, y1, x0, x1, factor, stride, buffers):
    light = buffers.found[LIGHT]
    at = 0
    for y in range(y0 * factor, y1 * factor):
        line = grey[top + y, left + x0 * factor : left + x1 * factor]
        base = y // factor * stride + x0
        for x in range(len(line)):
            place = base + x // factor
            value = 0
            if buffers.mask[place]:
                level = int(line[x]) if light else 255 - int(line[x])
                rise = max(level - int(buffers.paper[place]), 0)
                value = (rise * buffers.scale[buffers.paper[place]]) >> 8
            buffers.lifted[at] = value
            at += 1
