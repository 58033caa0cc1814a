"""Which side of the threshold is paper, and how to take uneven paper off a photograph."""

from edge_lpdpl.compiled import kernel
from edge_lpdpl.opening import open_map


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
    open_map(paper, spare, height, width, width, window)
    for index in range(size):
        grey[index] -= paper[index]
