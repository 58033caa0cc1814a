"""Numerals and their values: what a class is called and what it counts."""

from itertools import starmap
from typing import NamedTuple


class Label(NamedTuple):
    """One class: the character that is written and the number it stands for.

    >>> Label("五", 5).value
    5
    """

    character: str
    value: int


_VALUES = (*range(11), 100, 1000, 10_000, 100_000_000)
CHINESE = tuple(starmap(Label, zip("零一二三四五六七八九十百千万亿", _VALUES, strict=True)))
TRADITIONAL = tuple(starmap(Label, zip("零壹貳參肆伍陸柒捌玖拾佰仟萬億", _VALUES, strict=True)))
"""The numerals of cheques in traditional characters."""
CHEQUE = tuple(starmap(Label, zip("零壹贰叁肆伍陆柒捌玖拾佰仟万亿", _VALUES, strict=True)))
"""The numerals of cheques in simplified characters; a model of them may know the traditional ones as other shapes."""
ARABIC_INDIC = tuple(Label(chr(0x0660 + value), value) for value in range(10))
LATIN = tuple(Label(str(value), value) for value in range(10))

BARS = frozenset("一二三١1")
"""Characters of straight strokes only; pieces of ruled lines look like them."""
LYING = frozenset("一二三")
"""Characters of lying bars only; an underline looks like them."""
FRAMED = frozenset("四")
"""The character with a frame around it; two letters side by side, such as `up` or `Do`, look like it."""
BENT = frozenset("4")
"""The character of two crossed strokes one of which has a bend; a plus looks like it."""
DOTS = frozenset("٠")
"""The character that is a dot."""
TWO_HALVES = frozenset("亿億伍佰仟拾陸陆捌")
"""Characters of two halves, written side by side."""
