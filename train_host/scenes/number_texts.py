"""How people write a number with the characters of a script: the texts that scenes of numbers show.

Among digits there may be points, commas and minus signs, as somebody writes them.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.ndimage import gaussian_filter

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import Label
from edge_lpdpl.number.grammar import MARKS, MOST_DIGITS, marks_for
from train_host.synthetic.dice import Array, Dice

_DIGIT_STRINGS = 0.15  # share of the Chinese numbers that are written digit by digit
_ONE_BEFORE_TEN = 0.1  # 一十五 and 一千零一十五 instead of 十五 and 一千零十五
_ONE_ON_CHEQUES = 0.95
_ZERO_AFTER_TENS = 0.3  # 十万零七千 instead of 十万七千
_MINUS = 0.3
"""Share of the numbers with marks that have a minus."""
_THOUSANDS = 0.25
"""Share of those of four digits or more that have commas."""
_STROKES = {
    ",": ((0.12, 0.28), 0.6, (0.95, 1.1)),
    "٫": ((0.15, 0.38), 0.8, (0.85, 1.1)),
    "٬": ((0.12, 0.3), 0.8, (-0.1, 0.18)),
}
"""The comma, and the Arabic-Indic point and comma: how long they are, how far they lean at most, and where their
middles are, as `draw_mark` has them."""


def number_text(value: int, labels: Sequence[Label], dice: Dice) -> str:
    """One of the ways to write a number; a `Grammar` for the labels reads each of them as `value`.

    Labels that have a ten are spoken numbers for the most part, and digit by digit sometimes. Others are only digits.
    Short forms (一百五) are not among them.

    Args:
        value: 0 to 10 ** 16 - 1.
        labels: of one script. Of two labels with one value, the first is written.

    Raises:
        DatasetError: the value is out of its range, or needs a character that the labels lack.

    >>> from edge_lpdpl.model.labels import ARABIC_INDIC, CHINESE
    >>> [number_text(2026, labels, Dice(1)) for labels in (ARABIC_INDIC, CHINESE)]
    ['٢٠٢٦', '二千零二十六']
    """
    if not 0 <= value < 10**MOST_DIGITS:
        raise DatasetError(f"the number {value} cannot be written; give 0 to {10**MOST_DIGITS - 1}")
    characters = {label.value: label.character for label in reversed(labels)}
    try:
        if value < 10 or 10 not in characters or dice.chance(_DIGIT_STRINGS):
            return "".join(characters[int(digit)] for digit in str(value))
        return _leave_out_ones(_spoken(value, characters, dice), characters, dice)
    except KeyError as missing:
        raise DatasetError(f"the number {value} cannot be written: no label has the value {missing}") from None


def _spoken(value: int, characters: Mapping[int, str], dice: Dice) -> str:
    """A spoken number of 1 or more, in full: every ten has its digit."""
    for unit in (100_000_000, 10_000, 1000, 100, 10):
        count, rest = divmod(value, unit)
        if count:
            text = _spoken(count, characters, dice) + characters[unit]
            if not rest:
                return text
            tens = unit == 10_000 and count % 10 == 0
            if rest < unit // 10 or (tens and dice.chance(_ZERO_AFTER_TENS)):
                text += characters[0]
            return text + _spoken(rest, characters, dice)
    return characters[value]


def _leave_out_ones(text: str, characters: Mapping[int, str], dice: Dice) -> str:
    """The text with 十 for 一十 at its start and after 零, for the most part."""
    zero, ten = characters.get(0, ""), characters[10]
    one_ten = characters.get(1, "") + ten
    keep = _ONE_ON_CHEQUES if ten == "拾" else _ONE_BEFORE_TEN
    if text.startswith(one_ten) and not dice.chance(keep):
        text = text.removeprefix(one_ten[:-1])
    return text if dice.chance(keep) else text.replace(zero + one_ten, zero + ten)


def put_marks(digits: str, labels: tuple[Label, ...], dice: Dice) -> str:
    """A number of Latin or Arabic-Indic digits with a minus, a decimal point or commas; the digits alone in another
    script. Arabic-Indic digits have their own comma, which is for thousands alone.

    >>> from edge_lpdpl.model.labels import ARABIC_INDIC, LATIN
    >>> {put_marks("1234", LATIN, Dice(seed)) for seed in range(40)} >= {"-1234", "1,234", "12.34"}
    True
    >>> put_marks("٤٢", ARABIC_INDIC, Dice(0))
    '٤٫٢'
    """
    marks = marks_for(labels)
    if not marks:
        return digits
    sign, text, kind = "-" if dice.chance(_MINUS) else "", digits, dice.between(0, 1)
    if len(digits) >= 4 and kind < _THOUSANDS:
        first = len(digits) % 3 or 3
        text = ",".join([digits[:first], *(digits[place : place + 3] for place in range(first, len(digits), 3))])
    elif len(digits) >= 2 and (kind < 0.9 or not sign):
        place = 1 + int(dice.between(0, len(digits) - 1))
        comma = not dice.chance(0.75) and marks == MARKS
        text = f"{digits[:place]}{',' if comma else '.'}{digits[place:]}"
    return (sign + text).translate(str.maketrans(MARKS, marks))


def draw_mark(mark: str, height: float, pen: float, dice: Dice) -> tuple[Array, float]:
    """Ink on each pixel of a mark, float64 (height, width) in 0 to 1, and where its middle is between the top, 0, and
    the foot, 1, of the digits.

    Args:
        height: of the digits, in pixels.
        pen: width of the strokes, in pixels.
    """
    pen = max(pen, 2.0) * dice.between(0.9, 1.4)
    if mark == "-":
        length, slant = height * dice.between(0.3, 0.6), dice.around(0, 0.08)
        return _stroke([(0, slant * length), (length, 0)], pen * 0.9), dice.between(0.42, 0.62)
    if mark in _STROKES:
        lengths, lean, place = _STROKES[mark]
        length = height * dice.between(*lengths)
        return _stroke([(0, 0), (-length * dice.between(0.1, lean), length)], pen), dice.between(*place)
    run = pen * dice.between(0.05, 0.5)
    return _stroke([(0, 0), (run, dice.around(0, 0.3) * run)], pen), dice.between(0.88, 1.03)


def pen_of(cover: Array) -> float:
    """Mean width of the strokes of a drawn character, in pixels: its ink over the length of its outline's half."""
    ink = cover > 0.5
    edges = int((ink[1:] != ink[:-1]).sum() + (ink[:, 1:] != ink[:, :-1]).sum())
    return 2.2 * float(ink.sum()) / max(edges, 1)


def _stroke(ends: list[tuple[float, float]], pen: float) -> Array:
    (x0, y0), (x1, y1) = ends
    rim = pen / 2 + 2
    left, top = min(x0, x1) - rim, min(y0, y1) - rim
    y, x = np.mgrid[0 : int(max(y0, y1) + rim - top) + 1, 0 : int(max(x0, x1) + rim - left) + 1]
    x, y = x + left - x0, y + top - y0
    along = ((x * (x1 - x0) + y * (y1 - y0)) / max((x1 - x0) ** 2 + (y1 - y0) ** 2, 1e-9)).clip(0, 1)
    away = np.hypot(x - along * (x1 - x0), y - along * (y1 - y0))
    return gaussian_filter((pen / 2 + 0.5 - away).clip(0, 1), 0.4)
