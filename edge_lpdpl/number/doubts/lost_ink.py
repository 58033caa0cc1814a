"""Numbers in doubt because other ink in the frame may be a stroke or a numeral of them."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from edge_lpdpl.number.doubts.marks import AS_STRONG, BESIDE
from edge_lpdpl.number.line_reader import INK_UNREAD, Line, Number
from edge_lpdpl.number.lines import LEAST_STROKE, THINNEST
from edge_lpdpl.numeral.recogniser import UNSURE
from edge_lpdpl.page.boxes import (
    BORDER,
    RULES,
    TOO_FAINT,
    Box,
    Unread,
    around,
    covered,
    free_between,
    holds_middle,
    longest_side,
)

ABOVE, APART = 0.3, 0.5
"""How far from a number ink may be and still belong to it, in sizes of the numerals: to its left or right, its middle
above or below the number; and free rows to ink straight above or below it (two lines are farther apart)."""
ALIKE, MOST_ALIKE = 0.6, 1.5
"""Longer side of fainter ink over the size of the numerals, between which it may be one of them."""
LOOSE, MOST_FAINT = 0.25, 40
"""How far apart the parts of a fainter numeral are at most, in sizes of the numerals, and how many of them
may be beside a number: more are not put together, so that no frame keeps the reader for long."""
BAR = 3
"""One side over the other from which on fainter ink is a bar: a piece of a ruled line, if it lies and is thinner than
what the pen of the numerals leaves, or of a printed box."""
LONGEST_BAR = 1.2
"""Length of a printed rule over the height of the boxes that it is in, up to which it may be a bar of a numeral."""
THIN_PEN = 0.4
"""Width of the thinnest upright bar of another pen over that of the strokes of the numerals."""
COVERED = 0.25
"""Share of the box of fainter ink that the boxes of numerals cover, from which on it is no numeral beside them, but
goes around or through one, as a printed box and a crease do."""


def with_lost_ink(
    reads: Sequence[Line],
    parts: Sequence[Sequence[Unread]],
    rows: Sequence[int],
    entries: Sequence[Box],
    unread: Sequence[Unread],
    is_numeral: Callable[[Box], bool],
    is_alone: Callable[[Line, Sequence[Box]], bool],
    are_apart: Callable[[Box, Box], bool],
    has_bars: bool,
) -> list[Number]:
    """The numbers; in doubt are those that other ink may belong to, and those that such ink is read in.

    Args:
        parts: of each line.
        rows: the row of boxes that each line is in, negative where it is in none: one number is in a row.
        entries: the rows of boxes.
        unread: ink that is in no line.
        is_numeral: whether what is in a box looks like a numeral.
        is_alone: whether there is only paper around the number of a line, and other ink in these boxes.
        are_apart: whether two boxes are in different cells of a table.
        has_bars: whether a bar may be a numeral.
    """
    owned = [(place, ink) for place, inks in enumerate(parts) for ink in inks] + [(-1, ink) for ink in unread]
    others = sorted((_Other(ink.box.y + ink.box.height / 2, place, ink) for place, ink in owned), key=itemgetter(0))
    # Ink may be near several numbers, and a look at it is a reading.
    frames = [entries[row] if row >= 0 else None for row in rows]
    lost = _lines_with_lost_ink(reads, frames, others, cache(is_numeral), is_alone, are_apart)
    numbers = [(place, read.number) for place, read in enumerate(reads) if read.number]
    if has_bars and (barred := _frames_with_bars([ink.box for ink in unread if ink.reason == RULES])):
        lost |= {place for place, number in numbers if covered(number.box, barred)}
    return [
        number._replace(reason=INK_UNREAD) if place in lost and number.reason in (None, UNSURE) else number
        for place, number in numbers
    ]


class _Other(NamedTuple):
    """Ink that may belong to a line that it is not read in."""

    middle: float
    """Its row."""
    owner: int
    """The line that it is read in, negative for none."""
    ink: Unread


def _lines_with_lost_ink(
    reads: Sequence[Line],
    frames: Sequence[Box | None],
    others: Sequence[_Other],
    is_numeral: Callable[[Box], bool],
    is_alone: Callable[[Line, Sequence[Box]], bool],
    are_apart: Callable[[Box, Box], bool],
) -> set[int]:
    """The lines to whose number other ink belongs, and those in which this ink is read: both halves of a line that
    breaks at a faint digit. `others` are in the order of their middles."""
    near, belongs, middles = dict[int, set[int]](), list[int](), [other.middle for other in others]
    for place, read in enumerate(reads):
        if read.number is None:
            continue
        zone, faint, frame = _zone_of(read, read.number.box), list[int](), frames[place]
        for one in range(bisect_left(middles, zone.highest), bisect_right(middles, zone.lowest)):
            _, owner, ink = others[one]
            is_in_row = frame is not None and holds_middle(frame, ink.box)
            if owner == place or not (is_in_row or _may_belong(ink.box, zone, are_apart)):
                continue
            if _goes_around(ink, zone):
                known = [other.ink for other in others if other.owner != place]
                if is_alone(read, [other.box for other in known if not _goes_around(other, zone)]):
                    continue
            near.setdefault(one, {owner}).add(place)
            if _is_like(ink, zone):
                belongs.append(one)
            elif ink.reason == TOO_FAINT:
                faint.append(one)
        for group in _together([others[one].ink for one in faint], LOOSE * zone.size):
            if _may_be_faint_numeral(group.ink, zone) and is_numeral(group.ink.box):
                belongs += [faint[one] for one in group.places]
    return set[int]().union(*(near[one] for one in belongs))


def _frames_with_bars(rules: Sequence[Box]) -> list[Box]:
    """The printed boxes in which a rule may be a bar of a numeral: the lower one of a 二 may reach both walls."""

    def may_have(frame: Box, bar: Box) -> bool:
        is_across = frame.x <= bar.x + bar.width / 2 <= frame.right
        is_inside = is_across and frame.y < bar.y and bar.bottom < frame.bottom
        return is_inside and BAR * bar.height <= bar.width <= LONGEST_BAR * frame.height

    return [frame for frame in rules if any(may_have(frame, bar) for bar in rules)]


class _Group(NamedTuple):
    """Faint ink that may be one numeral."""

    places: Sequence[int]
    """Of its parts."""
    ink: Unread
    """All of them together."""


def _together(inks: Sequence[Unread], apart: float) -> Iterator[_Group]:
    """Each of some ink alone, and what is less than `apart` from each other together: a 六 has four parts."""
    yield from (_Group([place], ink) for place, ink in enumerate(inks))
    left = set(range(len(inks))) if len(inks) <= MOST_FAINT else set()
    while left:
        waiting, group = [left.pop()], list[int]()
        while waiting:
            group.append(one := waiting.pop())
            waiting += [other for other in left if free_between(inks[one].box, inks[other].box) < apart]
            left.difference_update(waiting)
        if len(group) > 1:
            parts = [inks[place] for place in group]
            box, pen = around([ink.box for ink in parts]), max(ink.pen for ink in parts)
            yield _Group(group, parts[0]._replace(box=box, pen=pen))


class _Zone(NamedTuple):
    """Where other ink may belong to a number, and how large it then is, how thick, and how strong."""

    box: Box
    numerals: Sequence[Box]
    size: int
    """Of the largest numeral."""
    usual: int
    """Of half of them at least: one may be much wider than the others."""
    thinnest: float
    strength: float

    @property
    def highest(self) -> float:
        """Row of the middle of the highest ink, which is at most twice as high as the numerals are large."""
        return self.box.y - (APART + 1) * self.size

    @property
    def lowest(self) -> float:
        """Row of the middle of the lowest ink."""
        return self.box.bottom + (APART + 1) * self.size


def _zone_of(line: Line, box: Box) -> _Zone:
    boxes = [one.box for one in line.numerals]
    usual = sorted(max(one.width, one.height) for one in boxes)[len(boxes) // 2]
    return _Zone(box, boxes, longest_side(boxes), usual, line.thinnest, AS_STRONG * line.strength)


def _goes_around(ink: Unread, zone: _Zone) -> bool:
    """Whether ink that the border cuts may be what is around the page that a number is on: a table."""
    (left, top, width, height), number = ink.box, zone.box
    is_aside = left <= number.x - zone.size and left + width >= number.right + zone.size
    return ink.reason == BORDER and is_aside and top <= number.y and top + height >= number.bottom


def _is_like(ink: Unread, zone: _Zone) -> bool:
    """Whether other ink may be a stroke of a number: of its pen, or cut off by the border."""
    shorter, longer = sorted((ink.box.width, ink.box.height))
    is_large = shorter >= _thinnest(ink, zone) and longer >= LEAST_STROKE * zone.size
    return ink.strength >= zone.strength and (is_large or ink.reason == BORDER)


def _thinnest(ink: Unread, zone: _Zone) -> float:
    """Shorter side of the thinnest ink that the pen of a number may have left: a straight 1 is thinner than the mean of
    all strokes, and a lying bar so thin is a piece of a ruled line."""
    is_upright = ink.box.width < ink.box.height and ALIKE * zone.size <= ink.box.height <= MOST_ALIKE * zone.size
    return zone.thinnest * (THIN_PEN / THINNEST if is_upright else 1)


def _may_be_faint_numeral(ink: Unread, zone: _Zone) -> bool:
    """Whether faint ink is in the row of a number, about as large as its numerals, at a place of its own, and no piece
    of a printed line."""
    width, height = ink.box.width, ink.box.height
    if ink.reason != TOO_FAINT or not zone.box.y <= ink.box.y + height / 2 <= zone.box.bottom:
        return False
    shorter, longer = sorted((width, height))
    is_large = ALIKE * zone.usual <= longer <= MOST_ALIKE * zone.size
    is_thick = ink.pen >= zone.thinnest * THIN_PEN / THINNEST
    is_stroke = is_thick and (longer < BAR * shorter or ink.pen >= _thinnest(ink, zone))
    return is_large and is_stroke and covered(ink.box, zone.numerals) < COVERED * width * height


def _may_belong(ink: Box, zone: _Zone, are_apart: Callable[[Box, Box], bool]) -> bool:
    """Whether other ink is where a stroke of a number may be, and not what is written in another cell of a table."""
    return _is_near(ink, zone) and not (_is_free(ink, zone) and are_apart(ink, zone.box))


def _is_free(ink: Box, zone: _Zone) -> bool:
    """Whether ink in another cell of a table is no part of a number: as large as a numeral, and above or below, or not
    right beside it as its next numeral would be."""
    gap = max(ink.x - zone.box.right, zone.box.x - ink.right)
    return max(ink.width, ink.height) >= ALIKE * zone.size and not 0 <= gap < APART * zone.size


def _is_near(ink: Box, zone: _Zone) -> bool:
    """Whether other ink is where a stroke of a number may be."""
    (left, top, width, height), number, size = ink, zone.box, zone.size
    above = max(number.y - top - height, top - number.bottom)
    if left < number.right and left + width > number.x and height <= 2 * size:
        return above <= APART * size
    if left > number.right + BESIDE * size or left + width < number.x - BESIDE * size:
        return False
    middle = top + height / 2
    shared = min(top + height, number.bottom) - max(top, number.y)  # a digit may hang together with a crease below it
    return shared >= APART * size or number.y - ABOVE * size <= middle <= number.bottom + ABOVE * size
