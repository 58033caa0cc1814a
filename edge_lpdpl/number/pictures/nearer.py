"""A large picture from nearer: read in tiles, each as a frame of its own, in which small writing is large enough.

Tiles overlap by half, so that a number that is shorter than half a tile is whole in one of them. Numbers that no tile
has whole are unread.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.model.model import Model
from edge_lpdpl.number.doubts.lost_ink import ABOVE
from edge_lpdpl.number.line_reader import INK_UNREAD, Number, Numeral
from edge_lpdpl.number.lines import WIDEST_GAP, in_reading_order
from edge_lpdpl.number.reader import PageReader, Reading
from edge_lpdpl.numeral.recogniser import UNSURE
from edge_lpdpl.page.boxes import BORDER, Box, Unread, around, holds_middle, longest_side


class Place(NamedTuple):
    """Where the picture of a numeral is found again: in the reading of a tile, or of the whole picture."""

    tile: Box
    numeral: int
    shrunk: int = 1
    """How many pixels of the picture, across and down, became one of what was read."""


class View(NamedTuple):
    """What was read of a picture, from afar or from nearer."""

    reading: Reading
    places: list[Place]
    """Of each numeral."""
    accepted: int = 0
    """Numerals of the accepted numbers that were read in its tiles, without those from farther."""
    found: int = 0
    """All numerals that were read in its tiles."""


class Found(NamedTuple):
    """A number of a view or a tile, with its boxes in the picture."""

    number: Number
    numerals: list[Numeral]
    places: list[Place]
    model: Model | None
    whole: bool = True
    """Whether all ink that may belong to it is in the tile."""


def tiles_of(grey: NDArray[np.uint8], nearer: int) -> list[Box]:
    """Tiles of one size that overlap by half at least and cover a picture (height, width); the longer side of one is
    that of the picture over `nearer`.

    >>> tiles_of(np.zeros((8, 16), np.uint8), 2)[1:]
    [Box(x=4, y=0, width=8, height=8), Box(x=8, y=0, width=8, height=8)]
    """
    height, width = grey.shape
    side = -(-max(height, width) // nearer)
    rows, columns = min(side, height), min(side, width)
    return [Box(x, y, columns, rows) for y in _starts(height, rows) for x in _starts(width, columns)]


def _starts(length: int, tile: int) -> list[int]:
    steps = -(-(length - tile) // max(tile // 2, 1))
    return [round(step * (length - tile) / steps) for step in range(steps + 1)] if steps else [0]


def read_afar(reader: PageReader, grey: NDArray[np.uint8]) -> View:
    """The numbers of a picture (height, width) uint8, read as one frame."""
    height, width = grey.shape
    whole, reading = Box(0, 0, width, height), reader.read(grey)
    return View(reading, [Place(whole, place) for place in range(len(reading.numerals))])


def read_nearer(reader: PageReader, grey: NDArray[np.uint8], tiles: Sequence[Box], farther: View) -> View:
    """The numbers of a picture (height, width) uint8, read in tiles, and those that were accepted from farther: they
    may be too large for a tile.

    A number that was read several times counts once, as it is accepted if it is; where different ones are accepted, it
    is in doubt.
    """
    seen, unread = list[Found](), list[Unread]()
    locate_us, recognise_us = farther.reading.locate_us, farther.reading.recognise_us
    for tile, core in zip(tiles, cores_of(tiles, *grey.shape), strict=True):
        read = reader.read(part_of(grey, tile))
        locate_us, recognise_us = locate_us + read.locate_us, recognise_us + read.recognise_us
        found = numbers_of(read, tile)
        seen += [one._replace(whole=_is_whole(one, tile, *grey.shape)) for one in found]
        unread += [one for one in (_moved(one, tile) for one in read.unread) if holds_middle(core, one.box)]
    here = _without_twins([found for found in seen if found.whole])
    known = [found for found in found_in(farther) if not found.number.rejected]
    kept, left = _with_rests(_without_twins([*here, *known]), seen)
    large = table_of([*({found.number.box for found in kept} & {found.number.box for found in known})])
    unread = [one for one in unread if not _has_middle(large, one.box)] + left
    kept = [kept[place] for place in in_order(kept)]
    reading = reading_of(kept)._replace(unread=unread, locate_us=locate_us, recognise_us=recognise_us)
    places = [place for found in kept for place in found.places]
    own = reading_of(here)
    return View(reading, places, accepted_in(own), len(own.numerals))


def accepted_in(reading: Reading) -> int:
    """Numerals of the accepted numbers."""
    return sum(len(number.numerals) for number in reading.numbers if not number.rejected)


def reading_of(found: Sequence[Found]) -> Reading:
    numbers, numerals = list[Number](), list[Numeral]()
    for one in found:
        places = range(len(numerals), len(numerals) + len(one.numerals))
        numbers.append(one.number._replace(numerals=tuple(places)))
        numerals += one.numerals
    return Reading(numbers, numerals, models=[one.model for one in found if one.model])


def found_in(view: View) -> Iterator[Found]:
    """The numbers of a view."""
    whole = Box(0, 0, 0, 0)
    for found in numbers_of(view.reading, whole):
        yield found._replace(places=[view.places[place.numeral] for place in found.places])


def cut_outs_of(
    reader_of: Callable[[int, int], PageReader], grey: NDArray[np.uint8], places: Sequence[Place]
) -> list[NDArray[np.uint8]]:
    """The pictures of numerals as the recogniser was given them: their tiles are read again.

    Args:
        reader_of: what reads a tile of this height and width.
    """
    found = dict[Place, NDArray[np.uint8]]()
    for tile, shrunk in dict.fromkeys((place.tile, place.shrunk) for place in places):
        part = part_of(grey, tile, shrunk)
        reader = reader_of(*part.shape)
        reader.read(part)
        found |= {Place(tile, number, shrunk): picture for number, picture in enumerate(reader.cut_outs())}
    return [found[place] for place in places]


def part_of(grey: NDArray[np.uint8], tile: Box, shrunk: int = 1) -> NDArray[np.uint8]:
    """A tile of a picture, C-contiguous; so many of its pixels, across and down, become one."""
    part = np.ascontiguousarray(grey[tile.y : tile.bottom, tile.x : tile.right])
    if shrunk == 1:
        return part
    return np.array(Image.fromarray(part).reduce(shrunk))


def enlarged(reading: Reading, scale: float) -> Reading:
    """A reading of a picture that was scaled down, with the boxes that it has in the picture itself.

    >>> from edge_lpdpl.number.line_reader import Number
    >>> enlarged(Reading([Number("4", 4, 0.9, None, Box(1, 2, 3, 4), (0,))], []), 2.0).numbers[0].box
    Box(x=2, y=4, width=6, height=8)
    """
    if scale == 1:
        return reading

    def grown(box: Box) -> Box:
        left, top, right, bottom = (round(scale * side) for side in (box.x, box.y, box.right, box.bottom))
        return Box(left, top, right - left, bottom - top)

    return reading.with_boxes(grown)


def cores_of(tiles: Sequence[Box], height: int, width: int) -> Iterator[Box]:
    """The part of each tile that is nearer to its middle than to that of any other: together they cover the picture
    once."""
    bounds = {}
    for axis, length in ((0, width), (1, height)):
        starts, side = sorted({tile[axis] for tile in tiles}), tiles[0][axis + 2]
        edges = [0, *((one + other + side) // 2 for one, other in pairwise(starts)), length]
        bounds[axis] = dict(zip(starts, pairwise(edges), strict=True))
    for tile in tiles:
        (left, right), (top, bottom) = bounds[0][tile.x], bounds[1][tile.y]
        yield Box(left, top, right - left, bottom - top)


def numbers_of(read: Reading, tile: Box, shrunk: int = 1) -> Iterator[Found]:
    """The numbers that were read in a tile, as `part_of` gives it."""
    read = enlarged(read, shrunk)
    models: Sequence[Model | None] = read.models or [None] * len(read.numbers)
    for number, model in zip(read.numbers, models, strict=True):
        numerals = [read.numerals[place] for place in number.numerals]
        moved = [one._replace(box=shifted(one.box, tile)) for one in numerals]
        places = [Place(tile, place, shrunk) for place in number.numerals]
        yield Found(number._replace(box=shifted(number.box, tile)), moved, places, model)


def shifted(box: Box, tile: Box) -> Box:
    return box._replace(x=box.x + tile.x, y=box.y + tile.y)


def _moved(one: Unread, tile: Box) -> Unread:
    return one._replace(box=shifted(one.box, tile))


def _is_whole(found: Found, tile: Box, height: int, width: int) -> bool:
    box, size = found.number.box, longest_side(one.box for one in found.numerals)
    across, down = WIDEST_GAP * size, ABOVE * size
    return (
        (tile.x == 0 or box.x - across >= tile.x)
        and (tile.y == 0 or box.y - down >= tile.y)
        and (tile.right == width or box.right + across <= tile.right)
        and (tile.bottom == height or box.bottom + down <= tile.bottom)
    )


def _without_twins(whole: Sequence[Found]) -> list[Found]:
    """Each number once: the surest of those that are accepted, then of the others."""
    kept, boxes = list[Found](), np.zeros((len(whole), 4), np.int64)
    for found in sorted(whole, key=lambda one: (one.number.rejected, -one.number.confidence)):
        twins = np.flatnonzero(together(found.number.box, boxes[: len(kept)]))
        if not len(twins):
            boxes[len(kept)] = found.number.box
            kept.append(found)
        elif not found.number.rejected:
            for place in twins.tolist():
                other = kept[place].number
                if other.value != found.number.value and not other.rejected:
                    kept[place] = kept[place]._replace(number=other._replace(reason=UNSURE))
    return kept


def together(box: Box, others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of these boxes (n, 4) have their middle in a box, or hold its middle."""
    x, y, width, height = others.T
    across, down = np.abs(2 * x + width - 2 * box.x - box.width), np.abs(2 * y + height - 2 * box.y - box.height)
    inside: NDArray[np.bool_] = (across < np.maximum(width, box.width)) & (down < np.maximum(height, box.height))
    return inside


def _with_rests(kept: Sequence[Found], seen: Sequence[Found]) -> tuple[list[Found], list[Unread]]:
    """The numbers that are kept, in doubt where a tile saw more numerals in them, and all numerals that no kept number
    has, each once."""
    kept, boxes, rests = list(kept), table_of([found.number.box for found in kept]), list[Unread]()
    owned, told = table_of([one.box for found in kept for one in found.numerals]), table_of([])
    for found in sorted(seen, key=lambda one: not one.whole):  # a tile that has a number whole knows best
        rest = [one.box for one in found.numerals if not _has_middle(owned, one.box)]
        for place in np.flatnonzero(together(found.number.box, boxes)).tolist() if rest else ():
            number = kept[place].number
            kept[place] = kept[place]._replace(number=number._replace(reason=number.reason or INK_UNREAD))
        if new := [box for box in rest if not _has_middle(told, box)]:
            rests.append(Unread(around(new), "no_numeral" if found.whole else BORDER))
            told = np.concatenate([told, table_of(new)])
    return kept, rests


def table_of(boxes: Sequence[Box]) -> NDArray[np.int64]:
    """Boxes as rows of a table (n, 4)."""
    return np.array(boxes, np.int64).reshape(-1, 4)


def _has_middle(boxes: NDArray[np.int64], box: Box) -> bool:
    """Whether one of these boxes (n, 4) holds the middle of a box."""
    inside = np.array(_middle(box)) - boxes[:, :2]
    return bool(((inside >= 0) & (inside < boxes[:, 2:])).all(axis=1).any())


def _middle(box: Box) -> tuple[int, int]:
    return box.x + box.width // 2, box.y + box.height // 2


def in_order(kept: Sequence[Found]) -> list[int]:
    """The places of numbers in reading order."""
    table = [[one.number.box.x, one.number.box.y, one.number.box.right, one.number.box.bottom] for one in kept]
    sizes = sorted(longest_side(numeral.box for numeral in one.numerals) for one in kept)
    lines = [[place] for place in range(len(kept))]
    return [place for line in in_reading_order(lines, table, sizes[len(sizes) // 2] if sizes else 0) for place in line]
