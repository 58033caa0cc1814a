"""A picture of a page: the boxes of its numerals, and what each was read as."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from edge_lpdpl.drawing.panels import BEST, FAINT, GROUND, SECOND, Glyphs, frame, write, write_value
from edge_lpdpl.numeral.recogniser import Recogniser, Recognition
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.reader import Found

_LONGEST, _FOOT, _GLYPH, _GAP = 1200, 44, 34, 3
_WIDEST = 240  # pixels of a tag


def draw_page(recogniser: Recogniser, grey: NDArray[np.uint8], found: Sequence[Found]) -> Image.Image:
    """Draw what was read on a page: accepted numerals in orange, rejected ones in blue, each with a tag that has the
    class's picture, its value and the confidence.

    Args:
        recogniser: has read it; its shipped pictures of the classes are drawn where there are some.
        grey: (height, width) uint8.
        found: as `PictureReader.read` gives it.

    Returns:
        RGB, at most 1200 pixels a side and a line of text below.
    """
    scale = min(_LONGEST / max(grey.shape), max(1.0, 640 / max(grey.shape)))
    width, height = (max(1, round(side * scale)) for side in grey.shape[::-1])
    sheet = Image.new("RGB", (width, height + _FOOT), GROUND)
    sheet.paste(Image.fromarray(grey).resize((width, height), Image.Resampling.LANCZOS), (0, 0))
    glyphs = Glyphs(recogniser)
    numerals = [(_outline(one.box, scale), one.recognition) for one in found if one.box is not None]
    taken = [outline for outline, _ in numerals]
    for outline, read in numerals:
        colour = SECOND if read.rejected else BEST
        right, bottom = outline.right - 1, outline.bottom - 1
        ImageDraw.Draw(sheet).rectangle((outline.x, outline.y, right, bottom), outline=colour, width=2)
        tag = _tag(read, glyphs, colour)
        place = _place_tag(outline, tag.size, taken, (width, height))
        taken.append(place)
        sheet.paste(tag, place[:2])
    accepted = sum(not read.rejected for _, read in numerals)
    text = f"{accepted} read, {len(numerals) - accepted} rejected; model {recogniser.model.name}, {recogniser.backend}"
    write(sheet, (10, height + 12), text if numerals else "no numeral here", 16, FAINT)
    return sheet


def _outline(box: Box, scale: float) -> Box:
    """Around a numeral, in pixels of the sheet."""
    left, top, right, bottom = (round(edge * scale) for edge in (box.x, box.y, box.right, box.bottom))
    return Box(left - 4, top - 4, right - left + 8, bottom - top + 8)


def _tag(read: Recognition, glyphs: Glyphs, colour: str) -> Image.Image:
    """What a numeral was read as: the class's picture, and beside it the value above the confidence."""
    image = frame(_WIDEST, _GLYPH)
    glyph = glyphs.of(read.label, _GLYPH) if read.label is not None else None
    left = 4
    if glyph is not None:
        image.paste(glyph, (0, 0))
        left += _GLYPH
    if read.value is None:
        end = write(image, (left, _GLYPH // 2), "nothing", 15, colour, anchor="lm")
    else:
        end = write_value(image, (left, 10), read.value, 15, colour)
        end = max(end, write(image, (left, 26), f"{read.confidence:.0%}", 13, colour, anchor="lm"))
    return image.crop((0, 0, min(_WIDEST, end + 4), _GLYPH))


def _place_tag(outline: Box, size: tuple[int, int], taken: Sequence[Box], sheet: tuple[int, int]) -> Box:
    """Where a tag of that size stands: below its numeral, above it or beside it, wholly on the picture, and on nothing
    else where there is such a place."""
    width, height = size
    left = max(0, min(outline.x, sheet[0] - width))
    below, above = outline.bottom + _GAP, outline.y - _GAP - height
    corners = (
        *((left, top) for top in (below, above)),
        *((side, outline.y) for side in (outline.right + _GAP, outline.x - _GAP - width)),
        *((left, top) for top in (below + height + _GAP, above - height - _GAP)),
    )
    last_left, last_top = sheet[0] - width, sheet[1] - height
    inside = [Box(x, y, width, height) for x, y in corners if 0 <= x <= last_left and 0 <= y <= last_top]
    free = (place for place in inside if not any(_meet(place, other) for other in taken))
    return next(free, inside[0] if inside else Box(left, max(0, min(below, last_top)), width, height))


def _meet(one: Box, other: Box) -> bool:
    """Whether two boxes share a pixel."""
    beside = one.right <= other.x or other.right <= one.x
    return not beside and one.y < other.bottom and other.y < one.bottom
