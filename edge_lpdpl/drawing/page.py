"""A picture of a page: what was read, what was rejected and what was left unread, each in its colour."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from edge_lpdpl.drawing.panels import (
    ACCEPTED,
    FAINT,
    GROUND,
    REJECTED,
    UNREAD,
    frame,
    grey_image,
    spaced,
    write,
    write_value,
)
from edge_lpdpl.number.line_reader import Number
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.rejection import nothing_here

_LONGEST, _FOOT, _CUT_OUT, _NOTE, _GAP = 1200, 60, 34, 15, 3
_WIDEST = 240  # pixels of a tag
_STEPS = 4  # places of a tag in each direction, each as far from the last as it is large


def draw_page(
    grey: NDArray[np.uint8], page: Reading, cut_outs: Sequence[NDArray[np.uint8]], about: str = ""
) -> Image.Image:
    """Draw a page: accepted numerals in orange, rejected ones and those of rejected numbers in blue, unread ink in
    grey, and a legend below.

    A numeral has a tag with the cut-out that the recogniser was given, its value, and its confidence or the reason for
    its rejection; where there is no room for all of them, as on a sheet of many numbers, each number has one note. A
    number that is rejected as a whole and unread ink have their reasons beside them, where there is room.

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
    unread = [_draw_outline(sheet, one.box, scale, UNREAD) for one in page.unread]
    rejected = _rejected(page)
    outlines = [
        _draw_outline(sheet, one.box, scale, REJECTED if place in rejected else ACCEPTED)
        for place, one in enumerate(page.numerals)
    ]
    labels = list(zip(outlines, map(_tag, (one.recognition for one in page.numerals), cut_outs), strict=True))
    tags, room = _places_of(labels, [*outlines, *unread], (width, height))
    doubted = [one for one in page.numbers if _as_a_whole(one, page)]
    if page.numbers and None in tags:
        labels, tags, doubted = [], [], list(page.numbers)
    for (outline, tag), place in zip(labels, tags, strict=True):
        sheet.paste(tag, (place or _place_tag(outline, tag.size, (width, height)))[:2])
    # Notes say more where there is room: those of numbers, and of ink that is not read.
    notes = [(_outline_of(one.box, scale), _note_of(one, whole=bool(labels))) for one in doubted]
    notes += [(outline, _note(spaced(one.reason), FAINT)) for outline, one in zip(unread, page.unread, strict=True)]
    places, _ = _places_of(notes, room if labels else [*outlines, *unread], (width, height))
    for (_, note), place in zip(notes, places, strict=True):
        if place is not None:
            sheet.paste(note, place[:2])
    _draw_legend(sheet, (10, height + 8), page, about)
    return sheet


def _rejected(page: Reading) -> set[int]:
    """The places of the numerals that are rejected, by themselves or with the number that they are in."""
    alone = {place for place, one in enumerate(page.numerals) if one.recognition.rejected}
    return alone | {place for number in page.numbers if number.rejected for place in number.numerals}


def _as_a_whole(number: Number, page: Reading) -> bool:
    """Whether a number is rejected although none of its numerals is."""
    return number.rejected and not any(page.numerals[place].recognition.rejected for place in number.numerals)


def _places_of(
    labels: Sequence[tuple[Box, Image.Image]], taken: Sequence[Box], sheet: tuple[int, int]
) -> tuple[list[Box | None], list[Box]]:
    """Where labels stand beside their outlines, None where there is no room, and all that is taken then."""
    places, room = list[Box | None](), list(taken)
    for outline, label in labels:
        place = _free_place(outline, label.size, room, sheet)
        places.append(place)
        room.append(place or _place_tag(outline, label.size, sheet))
    return places, room


def _note_of(number: Number, *, whole: bool) -> Image.Image:
    """What is said of a number: why it is rejected, where its numerals have tags of their own; else all of it."""
    reason = spaced(number.reason or f"{number.confidence:.0%}")
    read = number.text if number.text.isascii() or number.value is None else f"{number.value:,}"
    return _note(reason if whole else f"{read} {reason}", REJECTED if number.rejected else ACCEPTED)


def _note(text: str, colour: str) -> Image.Image:
    note = frame(_WIDEST, _NOTE)
    end = write(note, (3, _NOTE // 2), text, 11, colour, anchor="lm")
    return note.crop((0, 0, min(_WIDEST, end + 3), _NOTE))


def _draw_legend(sheet: Image.Image, place: tuple[int, int], page: Reading, about: str) -> None:
    """A box in each colour with what it means and how often it occurs."""
    (left, top), start = place, place[0]
    rejected = len(_rejected(page))
    counts = ((ACCEPTED, "read", len(page.numerals) - rejected), (REJECTED, "rejected", rejected))
    for colour, meaning, count in (*counts, (UNREAD, "unread", len(page.unread))):
        ImageDraw.Draw(sheet).rectangle((left, top + 3, left + 12, top + 15), outline=colour, width=2)
        left = write(sheet, (left + 20, top), f"{count} {meaning}", 16, colour) + 18
    rest = about if page.numerals else nothing_here(one.reason for one in page.unread)
    write(sheet, (start, top + 24), rest, 13, FAINT)


def _draw_outline(sheet: Image.Image, box: Box, scale: float, colour: str) -> Box:
    """Draw a box around some ink; returns it in pixels of the sheet."""
    outline = _outline_of(box, scale)
    corners = (outline.x, outline.y, outline.right - 1, outline.bottom - 1)
    ImageDraw.Draw(sheet).rectangle(corners, outline=colour, width=1 if colour == UNREAD else 2)
    return outline


def _outline_of(box: Box, scale: float) -> Box:
    left, top, right, bottom = (round(edge * scale) for edge in (box.x, box.y, box.right, box.bottom))
    return Box(left - 4, top - 4, right - left + 8, bottom - top + 8)


def _tag(read: Recognition, cut_out: NDArray[np.uint8]) -> Image.Image:
    """The cut-out of a numeral, and beside it the value above the confidence or the reason for the rejection."""
    colour = REJECTED if read.rejected else ACCEPTED
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


def _free_place(outline: Box, size: tuple[int, int], taken: Sequence[Box], sheet: tuple[int, int]) -> Box | None:
    """Where a tag of that size stands wholly on the picture and on nothing else: below its numeral, above it or beside
    it, as near as there is such a place; None where there is none near."""
    width, height = size
    left = max(0, min(outline.x, sheet[0] - width))
    last_left, last_top = sheet[0] - width, sheet[1] - height
    for step in range(_STEPS):
        away = _GAP + step * (height + _GAP)
        corners = (
            *((left, outline.bottom + away), (left, outline.y - away - height)),
            *((side, outline.y) for side in (outline.right + away, outline.x - away - width)),
            *((outline.right - width, outline.bottom + away), (outline.right - width, outline.y - away - height)),
        )
        for x, y in corners:
            place = Box(x, y, width, height)
            if 0 <= x <= last_left and 0 <= y <= last_top and not any(_meet(place, other) for other in taken):
                return place
    return None


def _place_tag(outline: Box, size: tuple[int, int], sheet: tuple[int, int]) -> Box:
    """Where the tag of a numeral stands that has no free place near: below it, or as low as the picture goes."""
    width, height = size
    left, low = max(0, min(outline.x, sheet[0] - width)), max(0, sheet[1] - height)
    return Box(left, min(outline.bottom + _GAP, low), width, height)


def _meet(one: Box, other: Box) -> bool:
    """Whether two boxes share a pixel."""
    beside = one.right <= other.x or other.right <= one.x
    return not beside and one.y < other.bottom and other.y < one.bottom
