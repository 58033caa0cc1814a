"""Numerals and their values: what a class is called and what it counts."""

from typing import NamedTuple

from edge_lpdpl.errors import EdgeError


class Label(NamedTuple):
    """One class: the character that is written and the number it stands for.

    >>> Label("五", 5).value
    5
    """

    character: str
    value: int


CHINESE = tuple(
    Label(character, value)
    for character, value in zip(
        "零一二三四五六七八九十百千万亿", [*range(11), 100, 1000, 10_000, 100_000_000], strict=True
    )
)
TRADITIONAL = tuple(
    Label(character, label.value) for character, label in zip("零壹貳參肆伍陸柒捌玖拾佰仟萬億", CHINESE, strict=True)
)
"""The numerals of cheques in traditional characters."""
CHEQUE = tuple(
    Label(character, label.value) for character, label in zip("零壹贰叁肆伍陆柒捌玖拾佰仟万亿", CHINESE, strict=True)
)
"""The numerals of cheques in simplified characters; a model of them may know the traditional ones as other shapes."""
ARABIC_INDIC = tuple(Label(chr(0x0660 + value), value) for value in range(10))
LATIN = tuple(Label(str(value), value) for value in range(10))

BARS = frozenset("一二三١1")
"""Characters of straight strokes only; pieces of ruled lines look like them."""
FRAMED = frozenset("四")
"""The character with a frame around it; two letters side by side, such as `up` or `Do`, look like it."""
DOTS = frozenset("٠")
"""The character that is a dot."""
TWO_HALVES = frozenset("亿億伍佰仟拾陸陆捌")
"""Characters of two halves, written side by side."""

_VALUE_OF = {
    label.character: label.value for script in (CHINESE, TRADITIONAL, CHEQUE, ARABIC_INDIC, LATIN) for label in script
}
_VALUE_OF["〇"] = 0


def value_of(name: str) -> int:
    """Value of a class name, which is a numeral's character or a decimal number.

    Raises:
        EdgeError: the name is neither.

    >>> value_of("05"), value_of("五"), value_of("٥")
    (5, 5, 5)
    """
    if name in _VALUE_OF:
        return _VALUE_OF[name]
    if name.isascii() and name.isdigit() and len(name) <= 9:
        return int(name)
    raise EdgeError(f"{name!r} is neither a numeral nor a number such as 05")
