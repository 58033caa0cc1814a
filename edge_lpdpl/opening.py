"""Morphological opening by squares: what is left of a picture when everything narrower than a window is taken off.

A window is doubled until it is wide enough, so its cost grows with its logarithm only. Every step is one loop over the
whole map, the minimum or maximum of a map and itself further on, which vectorises. It runs from one row into the next,
but only where a square would stick out of the map: those squares do not count, and are set to 0 in the middle of it.
"""

from edge_lpdpl.compiled import kernel


@kernel
def open_map(levels, spare, height, width, stride, window):
    """Opening by the squares of `window` pixels that lie inside the map, in place.

    Args:
        levels: (at least height * stride,) uint8; row y begins at y * stride. What lies between rows becomes 0.
        spare: (at least height * stride,) uint8 scratch.
        window: side of the squares, at most height and width.
    """
    size = height * stride
    here, there = _spread(levels[:size], spare[:size], stride, window, False)
    for y in range(height - window + 1):
        outside = here[y * stride + width - window + 1 : (y + 1) * stride]
        for x in range(len(outside)):
            outside[x] = 0
    outside = here[(height - window + 1) * stride :]
    for place in range(len(outside)):
        outside[place] = 0
    _spread(here, there, stride, window, True)  # as many steps again, an even number: the last one ends in `levels`


@kernel
def _spread(here, there, stride, window, greatest):
    """Down and across, every pixel becomes the least of the `window` pixels from itself on, or the greatest up to
    itself.

    Returns:
        The array in which it ended, and the other one.
    """
    for unit in (stride, 1):
        reach = 1
        while reach < window:
            step = min(reach, window - reach)
            if greatest:
                _most(here, there, step * unit)
            else:
                _least(here, there, step * unit)
            here, there = there, here
            reach += step
    return here, there


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
