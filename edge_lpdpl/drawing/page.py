"""A picture of a page: what was read, what was rejected and what was left unread, each in its colour."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from edge_lpdpl.drawing.panels import BEST, FAINT, GROUND, SECOND, UNREAD, frame, grey_image, spaced, write, write_value
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.rejection import nothing_here

_LONGEST, _FOOT, _CUT_OUT, _NOTE, _GAP = 1200, 60, 34, 15, 3
_WIDEST = 240  # pixels of a tag


def draw_page(
    grey: NDArray[np.uint8], page: Reading, cut_outs: Sequence[NDArray[np.uint8]], about: str = ""
) -> Image.Image:
    """Draw a page: accepted numerals in orange, rejected ones in blue, unread ink in grey, and a legend below.

    A numeral has a tag with the cut-out that the recogniser was given, its value, and its confidence or the reason for
    its rejection. Unread ink is marked with its reason.

    Args:
        grey: (height, width) uint8.
        page: what was read on it.
        cut_outs: (height, width) uint8 for each numeral, light ink on black, as `PictureReader.cut_outs` gives them.
        about: what read it, for the legend.

    Returns:
        RGB, at most 1200 pixels a side and two lines of text below.
    """
    scale = min(_LONGEST / max(grey.shape), max(1.0, 640 / max(grey.shape)))
    width, height = (max(1, round(side * scale)) for side in grey.shape[::-1])
    sheet = Image.new("RGB", (width, height + _FOOT), GROUND)
    sheet.paste(Image.fromarray(grey).resize((width, height), Image.Resampling.LANCZOS), (0, 0))
    for box, reason, _ in page.unread:
        outline = _draw_outline(sheet, box, scale, UNREAD)
        tag = frame(_WIDEST, _NOTE)
        end = write(tag, (3, _NOTE // 2), spaced(reason), 11, FAINT, anchor="lm")
        left = max(0, min(outline.x, width - end - 3))
        sheet.paste(tag.crop((0, 0, end + 3, _NOTE)), (left, max(outline.y - _NOTE, 0)))
    outlines = [
        _draw_outline(sheet, one.box, scale, SECOND if one.recognition.rejected else BEST) for one in page.numerals
    ]
    taken = list(outlines)
    for (_, read), outline, cut_out in zip(page.numerals, outlines, cut_outs, strict=True):
        tag = _tag(read, cut_out)
        place = _place_tag(outline, tag.size, taken, (width, height))
        taken.append(place)
        sheet.paste(tag, place[:2])
    _draw_legend(sheet, (10, height + 8), page, about)
    return sheet


def _draw_legend(sheet: Image.Image, place: tuple[int, int], page: Reading, about: str) -> None:
    """A box in each colour with what it means and how often it occurs."""
    (left, top), start = place, place[0]
    rejected = sum(read.rejected for _, read in page.numerals)
    counts = ((BEST, "read", len(page.numerals) - rejected), (SECOND, "rejected", rejected))
    for colour, meaning, count in (*counts, (UNREAD, "unread", len(page.unread))):
        ImageDraw.Draw(sheet).rectangle((left, top + 3, left + 12, top + 15), outline=colour, width=2)
        left = write(sheet, (left + 20, top), f"{count} {meaning}", 16, colour) + 18
    rest = about if page.numerals else nothing_here(one.reason for one in page.unread)
    write(sheet, (start, top + 24), rest, 13, FAINT)


def _draw_outline(sheet: Image.Image, box: Box, scale: float, colour: str) -> Box:
    """Draw a box around some ink; returns it in pixels of the sheet."""
    left, top, right, bottom = (round(edge * scale) for edge in (box.x, box.y, box.right, box.bottom))
    outline = Box(left - 4, top - 4, right - left + 8, bottom - top + 8)
    corners = (outline.x, outline.y, outline.right - 1, outline.bottom - 1)
    ImageDraw.Draw(sheet).rectangle(corners, outline=colour, width=1 if colour == UNREAD else 2)
    return outline


def _tag(read: Recognition, cut_out: NDArray[np.uint8]) -> Image.Image:
    """The cut-out of a numeral, and beside it the value above the confidence or the reason for the rejection."""
    colour = SECOND if read.rejected else BEST
    image = frame(_WIDEST, _CUT_OUT)
    picture = grey_image(cut_out * (255 / max(int(cut_out.max()), 1)))
    picture.thumbnail((_CUT_OUT, _CUT_OUT), Image.Resampling.LANCZOS)
    image.paste(picture, ((_CUT_OUT - picture.width) // 2, (_CUT_OUT - picture.height) // 2))
    left = _CUT_OUT + 4
    if read.value is None:
        end = write(image, (left, _CUT_OUT // 2), "no ink found", 15, colour, anchor="lm")
    else:
        sure = spaced(read.reason) if read.reason else f"{read.confidence:.0%}"
        end = write_value(image, (left, 10), read.value, 15, colour)
        end = max(end, write(image, (left, 26), sure, 13, colour, anchor="lm"))
    return image.crop((0, 0, min(_WIDEST, end + 4), _CUT_OUT))


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
