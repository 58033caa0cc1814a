"""How people write a number with the characters of a script: the texts that scenes of numbers show."""

from collections.abc import Mapping, Sequence

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import Label
from edge_lpdpl.number.grammar import MOST_DIGITS
from train_host.synthetic.dice import Dice

_DIGIT_STRINGS = 0.15  # share of the Chinese numbers that are written digit by digit
_ONE_BEFORE_TEN = 0.1  # 一十五 and 一千零一十五 instead of 十五 and 一千零十五
_ONE_ON_CHEQUES = 0.95
_ZERO_AFTER_TENS = 0.3  # 十万零七千 instead of 十万七千


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
