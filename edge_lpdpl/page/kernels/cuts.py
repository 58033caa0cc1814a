"""Where touching characters may be cut: seams through a part, from its top to its bottom, that cross little ink.

A seam goes down one row at a time, straight or one pixel aside. The cheapest seam through each pixel of the middle row
is found by dynamic programming from both ends (Avidan and Shamir, "Seam carving", 2007).
"""

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.page import parts_table as part


@kernel
def find_cuts(row, slot, limits, buffers):
    """Write the seams through a part from `buffers.seams[slot]` on, the cheapest first, and their COST and
    COLUMN into `buffers.crossings`; returns how many there are.

    Every seam crosses the middle row where no neighbour is cheaper, an eighth of the part's height apart from the
    others and from both sides of the part.
    """
    left, top = buffers.table[row, part.LEFT], buffers.table[row, part.TOP]
    width, height = buffers.table[row, part.RIGHT] - left, buffers.table[row, part.BOTTOM] - top
    above, below, total = buffers.measures
    if height < 8 or width * height > len(above):
        return 0
    fill_costs(row, left, top, width, height, above, buffers)
    for place in range(width * height):
        below[place] = above[place]
    for y in range(1, height):
        for x in range(width):
            step = cheapest_step(above, (y - 1) * width, x, width)
            above[y * width + x] += above[(y - 1) * width + x + step] + part.EMPTY * (step != 0)
    for y in range(height - 2, -1, -1):
        for x in range(width):
            step = cheapest_step(below, (y + 1) * width, x, width)
            below[y * width + x] += below[(y + 1) * width + x + step] + part.EMPTY * (step != 0)
    middle, apart, count = height // 2, max(2, height // 8), 0
    most = min(int(part.CUTS * width / height) + 1, part.MOST_SEAMS - slot)
    for x in range(width):
        step = cheapest_step(below, (middle + 1) * width, x, width)
        total[x] = above[middle * width + x] + below[(middle + 1) * width + x + step] + part.EMPTY * (step != 0)
    while count < most:
        best = -1
        for x in range(apart, width - apart):
            if total[x] <= min(total[x - 1], total[x + 1]) and (best < 0 or total[x] < total[best]):
                free = True
                for other in range(slot, slot + count):
                    free = free and abs(buffers.crossings[other, part.COLUMN] - left - x) >= apart
                if free:
                    best = x
        if best < 0:
            break
        seam, crossing = buffers.seams[slot + count], buffers.crossings[slot + count]
        crossing[part.COST], crossing[part.COLUMN] = total[best], left + best
        trace(seam, best, middle, left, top, width, height, above, below)
        count += 1
    return count


@kernel
def fill_costs(row, left, top, width, height, costs, buffers):
    """What each pixel of a part's box costs a seam: EMPTY, and for the part's ink the square of its contrast, 255 at
    the usual peak of its strokes. Between two strokes that blur has joined it is half as strong, and costs a quarter:
    a seam had rather go between them than across one."""
    peak = max(buffers.table[row, part.RIDGE] // buffers.table[row, part.RUNS], 1)
    for place in range(width * height):
        costs[place] = part.EMPTY
    for y in range(height):
        contrast = buffers.contrast[buffers.starts[top + y] :]
        for run in range(buffers.firsts[top + y], buffers.firsts[top + y + 1]):
            if buffers.row_of[buffers.parts[run]] == row:
                for x in range(buffers.borders[2 * run], buffers.borders[2 * run + 1]):
                    share = min(255 * int(contrast[x]) // peak, 255)
                    costs[y * width + x - left] += share * share // 255


@kernel
def cheapest_step(costs, start, x, width):
    """-1, 0 or 1: where the cheapest way goes from column x into the row of costs that begins at `start`."""
    step, least = 0, costs[start + x]
    if x > 0 and costs[start + x - 1] + part.EMPTY < least:
        step, least = -1, costs[start + x - 1] + part.EMPTY
    if x + 1 < width and costs[start + x + 1] + part.EMPTY < least:
        step = 1
    return step


@kernel
def trace(seam, x, middle, left, top, width, height, above, below):
    """Write the columns of the cheapest seam through column x of the middle row."""
    seam[top + middle] = left + x
    at = x
    for y in range(middle - 1, -1, -1):
        at += cheapest_step(above, y * width, at, width)
        seam[top + y] = left + at
    at = x
    for y in range(middle + 1, height):
        at += cheapest_step(below, y * width, at, width)
        seam[top + y] = left + at
