"""Morphological opening by squares: what is left of a picture when everything narrower than a window is taken off.

A window is doubled until it is wide enough, so its cost grows with its logarithm only; every step is a minimum or a
maximum of two rows, or of a row and itself further on, which vectorises.
"""

from edge_lpdpl.compiled import kernel


@kernel
def open_map(levels, spare, height, width, stride, window):
    """Opening by the squares of `window` pixels that lie inside the map, in place.

    Args:
        levels: (at least height * stride,) uint8; row y begins at y * stride.
        spare: (at least width,) uint8 scratch.
        window: side of the squares, at most height and width.
    """
    _least_of_rows(levels, height, width, stride, window)
    for y in range(height):
        _least_along(levels[y * stride : y * stride + width], spare[:width], window)
    # Squares that would stick out at the bottom or the right do not count: 0 never wins a maximum.
    for y in range(height):
        outside = levels[y * stride + (width - window + 1 if y <= height - window else 0) : y * stride + width]
        for x in range(len(outside)):
            outside[x] = 0
    _most_of_rows(levels, height, width, stride, window)
    for y in range(height):
        _most_along(levels[y * stride : y * stride + width], spare[:width], window)


@kernel
def _least_of_rows(levels, height, width, stride, window):
    """Minimum over `window` rows from each row on, as far as there are rows."""
    reach = 1
    while reach < window:
        step = min(reach, window - reach)
        for y in range(height - step):
            row = levels[y * stride : y * stride + width]
            other = levels[(y + step) * stride : (y + step) * stride + width]
            for x in range(width):
                row[x] = min(row[x], other[x])
        reach += step


@kernel
def _most_of_rows(levels, height, width, stride, window):
    """Maximum over `window` rows up to each row, as far as there are rows."""
    reach = 1
    while reach < window:
        step = min(reach, window - reach)
        for y in range(height - 1, step - 1, -1):
            row = levels[y * stride : y * stride + width]
            other = levels[(y - step) * stride : (y - step) * stride + width]
            for x in range(width):
                row[x] = max(row[x], other[x])
        reach += step


@kernel
def _least_along(row, spare, window):
    """Minimum over `window` pixels of a row from each pixel on, as far as there are pixels."""
    reach = 1
    while reach < window:
        step = min(reach, window - reach)
        _least_step(row, spare, step)
        reach += step
        step = min(reach, window - reach)  # 0 where it is wide enough: back home
        _least_step(spare, row, step)
        reach += step


@kernel
def _least_step(source, target, step):
    """target[x] = the lesser of source[x] and source[x + step], as far as there is one."""
    both = len(source) - step
    near, further, out = source[:both], source[step:], target[:both]
    for x in range(both):
        out[x] = min(near[x], further[x])
    rest, out = source[both:], target[both:]
    for x in range(step):
        out[x] = rest[x]


@kernel
def _most_along(row, spare, window):
    """Maximum over `window` pixels of a row up to each pixel, as far as there are pixels."""
    reach = 1
    while reach < window:
        step = min(reach, window - reach)
        _most_step(row, spare, step)
        reach += step
        step = min(reach, window - reach)
        _most_step(spare, row, step)
        reach += step


@kernel
def _most_step(source, target, step):
    """target[x] = the greater of source[x] and source[x - step], as far as there is one."""
    both = len(source) - step
    near, further, out = source[:both], source[step:], target[step:]
    for x in range(both):
        out[x] = max(near[x], further[x])
    for x in range(step):
        target[x] = source[x]
