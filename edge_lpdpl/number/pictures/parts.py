"""Which part of a picture is read again around a number, and from how near."""

from collections.abc import Iterator, Sequence

from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.settings import reduction

STEP = 160
"""Where each pixel is one of the reduced frame, the height of a part is a multiple of it, and the width one of twice as
much: a few readers do for all parts."""


def distances_below(from_afar: int) -> list[int]:
    """From where to look nearer, the nearest one first: how many pixels of a picture become one of the reduced frame,
    each about half of the next one, and the last one half of what it is from afar.

    >>> distances_below(7), distances_below(2), distances_below(1)
    ([1, 2, 4], [1], [])
    """
    found = list[int]()
    while from_afar > 1:
        from_afar = (from_afar + 1) // 2
        found.insert(0, from_afar)
    return found


def parts_around(own: Box, distances: Sequence[int], shape: tuple[int, int]) -> Iterator[tuple[Box, int]]:
    """The part of a picture (height, width) that a box is in, as far as that is in the picture, for each of these
    distances from which all of it is seen, with the distance.

    >>> list(parts_around(Box(900, 500, 400, 90), [1, 2, 4], (1500, 2000)))
    [(Box(x=900, y=500, width=640, height=320), 2), (Box(x=720, y=500, width=1280, height=640), 4)]
    """
    height, width = shape
    for distance in distances:
        step = distance * STEP
        high, wide = min(-(-own.height // step) * step, height), min(-(-own.width // (2 * step)) * 2 * step, width)
        if reduction(max(high, wide)) == distance:
            yield Box(min(max(own.x, 0), width - wide), min(max(own.y, 0), height - high), wide, high), distance
