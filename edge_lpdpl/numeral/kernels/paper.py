"""Which side of the threshold is paper, and how to subtract uneven paper from a photograph."""

from edge_lpdpl.jit.compiler import kernel


@kernel
def border_is_light(grey, height, width, threshold):
    """True where more than half of the border pixels lie above `threshold`: the ink is dark.

    Even bold writing rarely covers most of the border, so most of the border is paper.
    """
    light = 0
    for x in range(width):
        light += int(grey[x] > threshold) + int(grey[(height - 1) * width + x] > threshold)
    for y in range(height):
        light += int(grey[y * width] > threshold) + int(grey[y * width + width - 1] > threshold)
    return light > height + width


@kernel
def invert(grey, size):
    """Invert the first `size` pixels."""
    for index in range(size):
        grey[index] = 255 - grey[index]


@kernel
def subtract_paper(grey, height, width, window, scratch):
    """Subtract the paper under the ink: a morphological opening by the squares that lie inside the picture.

    Strokes narrower than `window` vanish from the opening, so the difference is the strokes.

    Args:
        grey: (at least height * width,) uint8, light ink on dark; changed in place.
        window: side of the square in pixels; cut down to the picture's shorter side.
        scratch: (2, at least height * width) uint8.
    """
    size = height * width
    window = min(window, height, width)
    paper, spare = scratch[0], scratch[1]
    for index in range(size):
        paper[index] = grey[index]
    open_map(paper, spare, height, width, width, window)
    for index in range(size):
        grey[index] -= paper[index]


@kernel
def open_map(levels, spare, height, width, stride, window):
    """Opening by the squares of `window` pixels that lie inside the map, in place.

    Args:
        levels: (at least height * stride,) uint8; row y begins at y * stride. What lies between rows becomes 0.
        spare: (at least stride,) uint8 scratch.
        window: side of the squares, at most height and width.
    """
    levels = levels[: height * stride]
    _spread_across(levels, spare, stride, window, False)
    _spread_down(levels, spare, stride, window, False)
    for y in range(height - window + 1):
        outside = levels[y * stride + width - window + 1 : (y + 1) * stride]
        for x in range(len(outside)):
            outside[x] = 0
    outside = levels[(height - window + 1) * stride :]
    for place in range(len(outside)):
        outside[place] = 0
    _spread_across(levels, spare, stride, window, True)
    _spread_down(levels, spare, stride, window, True)


@kernel
def _spread_across(levels, spare, stride, window, greatest):
    """Across, every pixel becomes the least of the `window` pixels from itself on, or the greatest up to itself."""
    strip = len(spare) // stride * stride
    for start in range(0, len(levels), strip):
        _spread(levels[start : start + strip], spare, 1, window, greatest)


@kernel
def _spread_down(levels, spare, stride, window, greatest):
    """The same down."""
    if len(levels) <= len(spare):
        _spread(levels, spare, stride, window, greatest)
        return
    reach = 1
    while reach < window:
        step = min(reach, window - reach)
        if greatest:
            _most_in_place(levels, step * stride)
        else:
            _least_in_place(levels, step * stride)
        reach += step


@kernel
def _spread(levels, spare, unit, window, greatest):
    """The same in steps of `unit`, to and fro between `levels` and `spare`."""
    here, there = levels, spare[: len(levels)]
    reach, steps = 1, 0
    while reach < window:
        step = min(reach, window - reach)
        if greatest:
            _most(here, there, step * unit)
        else:
            _least(here, there, step * unit)
        here, there = there, here
        reach, steps = reach + step, steps + 1
    if steps % 2:
        for x in range(len(levels)):
            levels[x] = spare[x]


@kernel
def _least(source, target, distance):
    """target[x] = the lesser of source[x] and source[x + distance], as far as there is one."""
    both = len(source) - distance
    near, further, out = source[:both], source[distance:], target[:both]
    for x in range(both):
        out[x] = min(near[x], further[x])
    rest, out = source[both:], target[both:]
    for x in range(len(rest)):
        out[x] = rest[x]


@kernel
def _most(source, target, distance):
    """target[x] = the greater of source[x] and source[x - distance], as far as there is one."""
    both = len(source) - distance
    near, further, out = source[distance:], source[:both], target[distance:]
    for x in range(both):
        out[x] = max(near[x], further[x])
    for x in range(distance):
        target[x] = source[x]


@kernel
def _least_in_place(levels, distance):
    """levels[x] = the lesser of levels[x] and levels[x + distance], in pieces that do not reach what they read."""
    both = len(levels) - distance
    for start in range(0, both, distance):
        here, further = levels[start : min(start + distance, both)], levels[start + distance :]
        for x in range(len(here)):
            here[x] = min(here[x], further[x])


@kernel
def _most_in_place(levels, distance):
    """levels[x] = the greater of levels[x] and levels[x - distance], from the end on, as far as there is one."""
    for stop in range(len(levels), distance, -distance):
        start = max(stop - distance, distance)
        here, before = levels[start:stop], levels[start - distance :]
        for x in range(len(here)):
            here[x] = max(here[x], before[x])
