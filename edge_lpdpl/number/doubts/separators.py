"""Numbers in doubt because a digit 1 of them may be a slash, a bracket, a bar or a tally mark.

A slash of the size of a 1 has its shape. What tells them apart is where they are: a 1 is as high as its neighbours, and
two slashes stand where a date has them. A bracket is bowed, or has corners, and ends a number or a group of its digits,
as in 2) 99. Three strokes or more and nothing else may be a tally: few numbers are all ones.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.number.doubts.uneven import group_end
from edge_lpdpl.number.line_reader import Line
from edge_lpdpl.page.boxes import Box

BEYOND = 0.1
"""How far a slash or a bracket reaches beyond its neighbours, above and below, at least, over their height."""
FEWEST_MARKS = 3
"""Of a tally."""
BOWED, END = 0.04, 0.15
"""How far to one side of the line from end to end a bracket is, at least, and how long an end is, over its height."""
HEIGHTS = 0.3, 0.5, 0.7
"""Where that is measured, over its height. A 1 with an upstroke is as far from that line only near its head."""
_DAY, _MONTH, _YEAR = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])", "(?:19|20)[0-9][0-9]"
_SHORT = f"(?:{_YEAR}|[0-9][0-9])"
_ORDERS = (_DAY, _MONTH, _SHORT), (_MONTH, _DAY, _SHORT), (_YEAR, _MONTH, _DAY)
_DATE = re.compile("|".join(map("1".join, _ORDERS)))


def may_have_separators(
    read: Line, cut_outs: Callable[[Line, Sequence[int]], Iterable[NDArray[np.uint8] | None]]
) -> bool:
    """Whether a 1 of a number may be a slash, a bracket, a bar or a tally mark.

    Args:
        cut_outs: pictures of numerals of a line, by their places, with bright ink; None for one without a picture.
    """
    labels = "".join(one.recognition.label or "" for one in read.numerals)
    if not labels.isdecimal():
        return False
    digits = "".join(str(int(label)) for label in labels)
    has_marks = read.number is not None and len(read.number.text) > len(digits)
    if may_be_date(digits) or (may_be_tally(digits) and not has_marks):
        return True
    boxes = [one.box for one in read.numerals]
    if stands_out(boxes, digits, read.groups[0][1]):
        return True
    ends, last = [(0, -1), (len(digits) - 1, 1)], group_end(boxes)
    if last is not None:
        ends += [(last, 1), (last + 1, -1)]
    sides = [(place, side) for place, side in ends if digits[place] == "1"]
    if not sides:  # to cut out again what was not asked for takes time in every frame
        return False
    pictures = zip(cut_outs(read, [place for place, _ in sides]), [side for _, side in sides], strict=True)
    return any(picture is not None and is_bowed(picture, side) for picture, side in pictures)


def may_be_date(digits: str) -> bool:
    """Whether digits are a date, if a 1 on each side of its middle part is a slash.

    >>> [may_be_date(digits) for digits in ("1010812022", "2022110108", "51824", "518124", "5111198", "5113412")]
    [True, True, False, True, True, False]
    """
    return _DATE.fullmatch(digits) is not None


def may_be_tally(digits: str) -> bool:
    """Whether digits are nothing but ones, as tally marks are read.

    >>> [may_be_tally(digits) for digits in ("11", "111", "1111", "1112")]
    [False, True, True, False]
    """
    return len(digits) >= FEWEST_MARKS and set(digits) == {"1"}


def stands_out(boxes: Sequence[Box], digits: str, tilt: float) -> bool:
    """Whether a 1 reaches beyond each of its neighbours, above and below.

    Args:
        boxes: of the numerals of a line, in its order.
        digits: what they are.
        tilt: how far the line goes down for every pixel to the right.

    >>> five, high, low = Box(0, 10, 20, 30), Box(30, 6, 20, 38), Box(30, 10, 20, 34)
    >>> stands_out([five, high], "51", 0.0), stands_out([five, low], "51", 0.0), stands_out([five, high], "57", 0.0)
    (True, False, False)
    """
    tops = [box.y - tilt * (box.x + box.width / 2) for box in boxes]
    rows = [(top, top + box.height) for top, box in zip(tops, boxes, strict=True)]
    for place in (place for place, one in enumerate(digits) if one == "1"):
        (top, bottom), beside = rows[place], rows[max(place - 1, 0) : place] + rows[place + 1 : place + 2]
        beyond = [min(upper - top, bottom - lower) / (lower - upper) for upper, lower in beside]
        if beyond and min(beyond) >= BEYOND:
            return True
    return False


def is_bowed(picture: NDArray[np.uint8], side: int) -> bool:
    """Whether a stroke lies to one side of the line from one of its ends to the other, as a bracket does.

    Args:
        picture: (height, width), with bright ink.
        side: -1 for the left, 1 for the right.

    >>> bracket, one = np.zeros((2, 40, 20), np.uint8)
    >>> bracket[[0, 39], 5:15], bracket[:, 5] = 255, 255
    >>> one[:, 10] = 255
    >>> is_bowed(bracket, -1), is_bowed(bracket, 1), is_bowed(one, -1)
    (True, False, False)
    """
    rows = np.flatnonzero(2 * picture.max(axis=1).astype(int) >= picture.max())
    stroke = picture[rows[0] : rows[-1] + 1].astype(float)
    high, end = len(stroke), round(END * len(stroke)) + 1
    starts = [0, *(round(height * high) - end // 2 for height in HEIGHTS), high - end]
    parts = [stroke[start : start + end].sum(axis=0) for start in starts]
    if not all(part.any() for part in parts):  # a broken one
        return False
    upper, *between, lower = (np.average(np.arange(stroke.shape[1]), weights=part) for part in parts)
    line = [upper + (lower - upper) * start / starts[-1] for start in starts[1:-1]]
    return bool(min(side * (one - on_line) for one, on_line in zip(between, line, strict=True)) >= BOWED * high)
