"""A picture of a page: the boxes of its numerals, and what each was read as."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from edge_lpdpl.drawing.parts import BEST, FAINT, GROUND, SECOND, Glyphs, write
from edge_lpdpl.page import Found
from edge_lpdpl.recognise import Recogniser

_LONGEST, _FOOT, _GLYPH = 1200, 44, 34


def draw_page(recogniser: Recogniser, grey: NDArray[np.uint8], found: Sequence[Found]) -> Image.Image:
    """Draw what was read on a page, accepted numerals in orange, rejected ones in blue, each with its value.

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
    draw, glyphs = ImageDraw.Draw(sheet), Glyphs(recogniser)
    numerals = [(one.box, one.recognition) for one in found if one.box is not None]
    for box, read in numerals:
        colour = SECOND if read.rejected else BEST
        left, top, right, bottom = (round(edge * scale) for edge in (box.x, box.y, box.right, box.bottom))
        draw.rectangle((left - 4, top - 4, right + 3, bottom + 3), outline=colour, width=2)
        glyph = glyphs.of(read.label, _GLYPH) if read.label is not None else None
        below = bottom + 6 if bottom + 6 + _GLYPH <= height else top - 6 - _GLYPH
        if glyph is not None:
            sheet.paste(glyph, (left - 4, below))
        sure = f"{read.value}  {read.confidence:.0%}" if read.value is not None else "nothing"
        write(sheet, (left + (_GLYPH if glyph else 0), below + 8), sure, 16, colour)
    accepted = sum(not read.rejected for _, read in numerals)
    text = f"{accepted} read, {len(numerals) - accepted} rejected; model {recogniser.model.name}, {recogniser.backend}"
    write(sheet, (10, height + 12), text if numerals else "no numeral here", 16, FAINT)
    return sheet
