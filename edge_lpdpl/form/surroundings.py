"""What is looked at around a printed field: room beside it for a number that overruns it, corrections above it, and
where its box is.

Who has one digit too many writes it beside the last box, and who has forgotten one writes it above. If a field were
read up to its box alone, that digit would be lost without a word.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.form.blobs import boxes_of
from edge_lpdpl.form.fields import MARGIN
from edge_lpdpl.form.sheet import PAPERS, QUIET, Area, mark_areas

NAME, BELOW_NAME = 7.0, 0.5
"""Millimetres above a field between which its name is, and corrections of its number are."""
ASIDE = 1.0
"""Millimetres beside a printed rule, where the paper is compared with it."""
PRINTED = 0.015
"""Share of the paper's light that a rule takes at least, as a camera sees it."""
PIECE = 8.0
"""Length in millimetres of the pieces of a rule that are looked for. Each may be off by another distance: a sheet is
never quite flat."""
FOUND, SIDES = 0.5, 3
"""Share of the pieces of a rule that are found at least, and rules of a box: writing may hide the others."""
ABOVE_SCALE = 4.0
"""Pixels a millimetre of the picture in which corrections are looked for."""
TALLEST = 3.6
"""Height in millimetres of the tallest letter of a name, a bracket or a Chinese character; digits are taller."""
INK = 0.65
"""Light of writing over that of the paper, at most; the printed boxes are lighter."""
TITLE = 19.0
"""Millimetres from the top of the paper to below its title."""


def read_areas(areas: Sequence[Area], paper: str) -> list[Area]:
    """What is read of each field of a sheet: MARGIN around it, and beside it as much as it is high, up to where another
    field, its name or a mark is.

    >>> read = read_areas([Area(30, 40, 27, 12), Area(75, 40, 40, 12), Area(75, 60, 40, 12)], "A4")
    >>> [(area.x, area.right) for area in read]
    [(18, 69), (63, 117.5), (63, 127)]
    """
    marks = [mark.grown(QUIET) for mark in mark_areas(paper)]
    return [_read_area(area, [one for one in areas if one is not area], marks, PAPERS[paper][0]) for area in areas]


def _read_area(area: Area, others: Sequence[Area], marks: Sequence[Area], width: float) -> Area:
    read = area.grown(MARGIN)
    left, right = max(area.x - area.height, MARGIN), min(area.right + area.height, width - MARGIN)
    for other in others:
        box = other.grown(MARGIN)
        named = Area(box.x, other.y - NAME, box.width, NAME - MARGIN)
        has_name = _share_rows(named, read)  # how far it reaches, the PDF alone knows
        if not has_name and not _share_rows(box, read):
            continue
        if other.x >= area.right:
            right = min(right, box.x)
        elif other.x >= area.x:
            right = min(right, read.right)
        else:
            left = max(left, read.x if has_name else box.right)
    for mark in marks:
        if _share_rows(mark, read):
            left, right = (left, min(right, mark.x)) if mark.x >= area.right else (max(left, mark.right), right)
    left, right = min(left, read.x), max(right, read.right)
    return Area(left, read.y, right - left, read.height)


def _share_rows(one: Area, other: Area) -> bool:
    return one.y < other.bottom and other.y < one.bottom


def areas_above(areas: Sequence[Area]) -> list[Area]:
    """Where corrections are looked for above each field of a sheet: below other fields and the title.

    >>> [(area.y, area.height) for area in areas_above([Area(30, 40, 27, 12), Area(30, 56, 27, 12)])]
    [(33.0, 6.5), (54.5, 1.0)]
    """
    found = []
    for area in areas:
        above = Area(area.x, area.y - NAME, area.width, NAME - BELOW_NAME)
        feet = [other.bottom + MARGIN for other in areas if other.y < area.y and other.grown(MARGIN).overlaps(above)]
        top = min(max([above.y, TITLE, *feet]), above.bottom)
        found.append(Area(above.x, top, above.width, above.bottom - top))
    return found


def is_corrected(picture: NDArray[np.uint8]) -> bool:
    """Whether something is written that is taller than the letters of a name, and does not reach down into the field.

    Args:
        picture: (height, width) uint8, upright, of the area above a field, ABOVE_SCALE pixels a millimetre.

    >>> above = np.full((26, 100), 200, np.uint8)
    >>> above[4:21, 50:53] = 40
    >>> is_corrected(above), is_corrected(above[12:])
    (True, False)
    """
    if picture.shape[0] < TALLEST * ABOVE_SCALE:
        return False
    boxes = boxes_of(picture < INK * np.percentile(picture, 90))
    return any(bottom - top >= TALLEST * ABOVE_SCALE and bottom < len(picture) for top, _, bottom, _ in boxes)


def is_in_place(picture: NDArray[np.uint8], read: Area, field: Area, scale: float) -> bool:
    """Whether the printed box of a field is within MARGIN of where it should be: it is not, if a mark was taken for
    another or the sheet is bent.

    Args:
        picture: (height, width) uint8, upright, of the area `read`.
        scale: pixels a millimetre.

    >>> picture = np.full((100, 200), 200, np.uint8)
    >>> picture[[25, 75], 25:176] = 150
    >>> picture[25:76, [25, 175]] = 150
    >>> read, field = Area(0, 0, 40, 20), Area(5, 5, 30, 10)
    >>> is_in_place(picture, read, field, 5.0), is_in_place(np.roll(picture, 20, axis=0), read, field, 5.0)
    (True, False)
    """
    x, y = (field.x - read.x) * scale, (field.y - read.y) * scale
    width, height, near = field.width * scale, field.height * scale, MARGIN * scale
    level = picture[:, _span(x, width)]
    upright = picture[_span(y, height)].T
    sides = [(level, y), (level, y + height), (upright, x), (upright, x + width)]
    return sum(_has_rule(strip[_span(place - near, 2 * near)], scale) for strip, place in sides) >= SIDES


def _has_rule(strip: NDArray[np.uint8], scale: float) -> bool:
    """Whether a rule lies along the columns of a strip (depth, length) of paper."""
    count, aside = max(round(strip.shape[1] / (PIECE * scale)), 1), max(round(ASIDE * scale), 1)
    found = 0
    for piece in np.array_split(strip, count, axis=1):
        rows = np.median(piece, axis=1)  # writing across the rule hides less than half of a piece
        paper = np.minimum(rows[: -2 * aside], rows[2 * aside :])
        found += bool((paper - rows[aside:-aside] >= PRINTED * paper).any())
    return bool(found >= FOUND * count)


def _span(start: float, length: float) -> slice:
    return slice(max(round(start), 0), round(start + length))
