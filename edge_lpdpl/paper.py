"""Which side of the threshold is paper, and how to take uneven paper off a photograph."""

from edge_lpdpl.compiled import kernel


@kernel
def border_is_light(grey, height, width, threshold):
    """True where more than half of the border pixels lie above `threshold`: the ink is dark.

    Writing rarely covers most of the frame it stands in, however bold it is, so the border tells the paper.
    """
    light = 0
    for x in range(width):
        light += (grey[x] > threshold) + (grey[(height - 1) * width + x] > threshold)
    for y in range(height):
        light += (grey[y * width] > threshold) + (grey[y * width + width - 1] > threshold)
    return light > height + width


@kernel
def invert(grey, size):
    """Exchange light and dark in the first `size` pixels."""
    for index in range(size):
        grey[index] = 255 - grey[index]


@kernel
def _extremum_down(source, target, height, width, step, largest, backward):
    """One doubling step along columns: target[y] = extremum of source[y] and source[y + step] (or y - step)."""
    for y in range(height):
        other = y - step if backward else y + step
        here = source[y * width : (y + 1) * width]
        out = target[y * width : (y + 1) * width]
        if 0 <= other < height:
            there = source[other * width : (other + 1) * width]
            if largest:
                for x in range(width):
                    out[x] = max(here[x], there[x])
            else:
                for x in range(width):
                    out[x] = min(here[x], there[x])
        else:
            for x in range(width):
                out[x] = here[x]


@kernel
def _extremum_across(source, target, height, width, step, largest, backward):
    """One doubling step along rows: target[x] = extremum of source[x] and source[x + step] (or x - step)."""
    for y in range(height):
        here = source[y * width : (y + 1) * width]
        out = target[y * width : (y + 1) * width]
        if backward:
            for x in range(min(step, width)):
                out[x] = here[x]
            for x in range(step, width):
                out[x] = max(here[x], here[x - step]) if largest else min(here[x], here[x - step])
        else:
            for x in range(width - step):
                out[x] = max(here[x], here[x + step]) if largest else min(here[x], here[x + step])
            for x in range(max(width - step, 0), width):
                out[x] = here[x]


@kernel
def _running_extremum(first, second, height, width, window, down, largest, backward):
    """Extremum over `window` pixels from each pixel on (or up to it), by doubling; the result is left in `first`."""
    reach = 1
    while reach < window:
        step = min(reach, window - reach)
        if down:
            _extremum_down(first, second, height, width, step, largest, backward)
        else:
            _extremum_across(first, second, height, width, step, largest, backward)
        for index in range(height * width):
            first[index] = second[index]
        reach += step


@kernel
def subtract_paper(grey, height, width, window, scratch):
    """Subtract the paper under the ink: a morphological opening by the squares that lie inside the picture.

    Strokes narrower than `window` vanish from the opening, so what is left of the picture is the strokes.

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
    _running_extremum(paper, spare, height, width, window, True, False, False)
    _running_extremum(paper, spare, height, width, window, False, False, False)
    # Squares that would stick out at the bottom or the right do not count: 0 never wins a maximum.
    for y in range(height):
        for x in range(width):
            if y > height - window or x > width - window:
                paper[y * width + x] = 0
    _running_extremum(paper, spare, height, width, window, True, True, True)
    _running_extremum(paper, spare, height, width, window, False, True, True)
    for index in range(size):
        grey[index] -= paper[index]
