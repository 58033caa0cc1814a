"""Numbers of Chinese characters in doubt, because ink beside a character may be a mark or another character, or because
what is one character may be two.

The strokes of a Chinese character are often apart from each other, so ink that is no part of it may be joined to it.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from edge_lpdpl.number.lattice import Candidate, Lattice, Piece, is_small_and_low
from edge_lpdpl.number.lines import Row
from edge_lpdpl.number.record import Path
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.boxes import Box, around, free_between
from edge_lpdpl.page.record import Member

POINT = 0.3
"""Side of the largest point or comma over the size of the digits or characters."""
LOW, LOW_BEFORE = 0.3, 0.75
"""How far down the middle of a point is at least, of the height of its number or of the character before it (some write
it at half height), and of the character behind it: the left stroke of an 八 may be small."""
BLURRED = 0.5
"""Pixels of the reduced frame by which the free space beside a mark may look wider than it is."""
BARS = frozenset("一二三")
"""A bar above another one is mostly one numeral."""
WITH_BARS = BARS | {"零"}
"""What may have lost a bar to the character above or below it, or taken one from it."""
TALL, FREE = 1.5, 0.15
"""Height of a character, and the free rows between two parts of it, over its width, from which on it may be two, one
above the other: a 六 may be as high, a 百 or a 零 higher, but their parts are nearer."""


def is_broken_off(lattice: Lattice, piece: int, characters: Sequence[Candidate], apart: float) -> bool:
    """Whether a piece is a stroke of one of these characters that the pen has not joined to it: both together are
    accepted as the same character, and no more than `apart` pixels of the reduced frame are between them."""
    spans = {
        (min(one.first, piece), max(one.last, piece + 1)): one.read.label
        for one in characters
        if piece in (one.first - 1, one.last)
    }
    wholes = (one for one in lattice.candidates if not one.read.rejected)
    return any(
        one.read.label == spans.get((one.first, one.last)) and _free_around(lattice, piece, one) <= apart
        for one in wholes
    )


def may_have_mark(lattice: Lattice, one: Candidate, apart: float) -> bool:
    """Whether a character has a small low piece at an end, more than `apart` pixels beside the others, without which it
    is accepted as the same character: 四、 is a 四, and 、八 an 八."""
    if one.last - one.first < 2:
        return False
    pieces, ends, most = lattice.pieces[one.first : one.last], list[tuple[int, int]](), apart + BLURRED
    first, last = pieces[0], pieces[-1]
    if _is_mark(first, one, lattice.size, LOW_BEFORE) and min(one.left for one in pieces[1:]) - first.right > most:
        ends.append((one.first + 1, one.last))
    if _is_mark(last, one, lattice.size, LOW) and last.left - max(one.right for one in pieces[:-1]) > most:
        ends.append((one.first, one.last - 1))
    return bool(ends) and any(
        (other.first, other.last) in ends and other.read.label == one.read.label and not other.read.rejected
        for other in lattice.candidates
    )


def cuts_a_character(lattice: Lattice, path: Path) -> bool:
    """Whether two characters of a path were cut out of what is accepted as one, such as a 十 with a long bar."""
    if len(path.characters) < 2:
        return False
    wholes = {(one.first, one.last) for one in lattice.candidates if not one.read.rejected}
    row = [lattice.candidates[one] for one, _ in path.characters]
    return any(one.crossed[1] > 0 and (one.first, other.last) in wholes for one, other in pairwise(row))


def may_share_bars(text: str) -> bool:
    """Whether bars of a column may be those of another character: 二 is 一 above 一, and 零 begins with a bar.

    >>> may_share_bars("一百二十三"), may_share_bars("一二"), may_share_bars("一百零二")
    (False, True, True)
    """
    return any(BARS & pair and WITH_BARS.issuperset(pair) for pair in map(set, pairwise(text)))


def may_be_two_above(table: Sequence[Row], one: Candidate, label_of: Callable[[list[Member]], str | None]) -> bool:
    """Whether a character may be two, one above the other: it is tall, and its parts above and below its widest free
    rows are accepted as numerals, too, and not both as bars. 六 above 十 looks like 零.

    Args:
        label_of: what a group is accepted as, None where it is rejected.
    """
    left, top, right, bottom = one.row[: part.AREA]
    if len(one.members) < 2 or bottom - top < TALL * (right - left):
        return False
    ordered = sorted(one.members, key=lambda one: table[one[0]][part.TOP])
    widest, place, lowest = FREE * (right - left), 0, table[ordered[0][0]][part.BOTTOM]
    for number, (row, _, _) in enumerate(ordered):
        if (free := table[row][part.TOP] - lowest) >= widest:
            widest, place = free, number
        lowest = max(lowest, table[row][part.BOTTOM])
    if not place:
        return False
    labels = label_of(ordered[:place]), label_of(ordered[place:])
    return None not in labels and not BARS.issuperset(labels)


def _is_mark(piece: Piece, character: Candidate, size: int, lowest: float) -> bool:
    return is_small_and_low(piece[1:5], character.row, POINT * size, lowest)


def _free_around(lattice: Lattice, piece: int, one: Candidate) -> int:
    """Free pixels between a piece and the box of the other ones of a character, across or down, whichever are more."""
    others = [_box_of(lattice.pieces[place]) for place in range(one.first, one.last) if place != piece]
    return free_between(_box_of(lattice.pieces[piece]), around(others)) if others else 0


def _box_of(piece: Piece) -> Box:
    return Box(piece.left, piece.top, piece.right - piece.left, piece.bottom - piece.top)
