"""What is known about a number before it is read: its length, its range, its decimals, a check digit."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from importlib import import_module
from itertools import chain
from operator import index
from typing import Any, NamedTuple

from edge_lpdpl.errors import ConfigError, how_to_install
from edge_lpdpl.model.labels import Label
from edge_lpdpl.number.grammar import MOST_DIGITS, Grammar, marks_for

BEYOND = 10**MOST_DIGITS
"""Above every number that is read."""
_TRIES = 20_000
"""Numbers that are tried until a check accepts one. Of all modules of python-stdnum 2.2 that accept numbers of digits,
each does so within a third of them."""


@dataclass(frozen=True)
class Constraints:
    """What a number has to satisfy. Each part is optional.

    Args:
        length: number of digits, zeros in front and decimals included. A spoken number (一百零五) has those of its
            value.
        minimum, maximum: of its value.
        decimals: digits behind the decimal point; with 0 there is no point.
        check: a module of python-stdnum with a function `is_valid`, such as `luhn`, `ean`, `isbn` or `nl.bsn`.

    Raises:
        ConfigError: one is no whole number, they contradict each other, or python-stdnum has no such check or is not
            installed. The message begins with the name of the argument.

    >>> Constraints(length=3, maximum=500).allow("427"), Constraints(length=3, maximum=500).allow("0427")
    (True, False)
    >>> [Constraints(decimals=1).allow(number) for number in ("427", "42.7", "-0.5")]
    [False, True, True]
    """

    length: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    decimals: int | None = None
    check: str | None = None
    _is_valid: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("length", "minimum", "maximum", "decimals"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, _whole(name, value))
        if not isinstance(self.check, str | None):
            raise ConfigError(f"check is {self.check!r}; give the name of a module of python-stdnum")
        for fault in find_contradictions(Known(self.length, self.minimum, self.maximum, self.decimals, self.check)):
            raise ConfigError(fault)
        if self.check is not None:
            object.__setattr__(self, "_is_valid", _is_valid_of(self.check))

    def allow(self, digits: str) -> bool:
        """Whether a number, as ASCII digits with a minus and a point, satisfies them."""
        value, (whole, _, decimals) = Decimal(digits), digits.removeprefix("-").partition(".")
        return (
            self.length in (None, len(whole) + len(decimals))
            and self.decimals in (None, len(decimals))
            and (self.minimum is None or value >= self.minimum)
            and (self.maximum is None or value <= self.maximum)
            and (self._is_valid is None or (digits.isdecimal() and bool(self._is_valid(digits))))
        )


def _whole(name: str, value: Any) -> int:
    """A whole number of any type, NumPy's too."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return index(value)
    except TypeError:
        raise ConfigError(f"{name} is {value!r}; give a whole number") from None


def check_marks(known: "Constraints | Known", models: Mapping[str, Sequence[Label]]) -> None:
    """Check that numbers of one of these models, each a name and labels, can have the point and the minus that they
    need.

    Raises:
        ConfigError: none has one.

    >>> from edge_lpdpl.model.labels import CHINESE
    >>> check_marks(Known(decimals=2), {"chinese15": CHINESE})
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ConfigError: decimals is 2, but numbers of chinese15 have no point
    """
    if any(map(marks_for, models.values())):
        return
    if (known.decimals or 0) > 0:
        raise ConfigError(f"decimals is {known.decimals}, but numbers of {' and '.join(models)} have no point")
    if (known.maximum or 0) < 0:
        raise ConfigError(f"maximum is {known.maximum}, but numbers of {' and '.join(models)} have no minus")


class Known(NamedTuple):
    """What is known about a number, which may contradict itself."""

    length: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    decimals: int | None = None
    check: str | None = None


def known_from(length: int, minimum: int, maximum: int, decimals: int, check: str) -> Known:
    """What is known according to settings, where length 0, -1 decimals, "" and limits that no number reaches stand for
    nothing.

    >>> known_from(4, 0, 10**16, 0, "")
    Known(length=4, minimum=0, maximum=None, decimals=0, check=None)
    """
    return Known(
        length or None,
        None if minimum == -BEYOND else minimum,
        None if maximum == BEYOND else maximum,
        None if decimals == -1 else decimals,
        check or None,
    )


def constraints_of(known: Known) -> Constraints | None:
    """Constraints from what is known; None where that is nothing.

    Raises:
        ConfigError: as `Constraints` does.

    >>> constraints_of(Known()), constraints_of(Known(length=4)).allow("0427")
    (None, True)
    """
    return None if known == Known() else Constraints(*known)


def find_contradictions(known: Known) -> Iterator[str]:
    """Contradictions in what is known, and a check that does not exist; each text begins with the name of a setting.

    >>> list(find_contradictions(Known(length=17, minimum=9, maximum=3)))
    ['length is 17, not 1 to 16', 'minimum is 9, above the maximum 3']
    """
    length, minimum, maximum, decimals, check = known
    places = decimals or 0
    length_fits, decimals_fit = length is None or 1 <= length <= MOST_DIGITS, 0 <= places < MOST_DIGITS
    if not length_fits:
        yield f"length is {length}, not 1 to {MOST_DIGITS}"
    if not decimals_fit:
        yield f"decimals is {places}, not 0 to {MOST_DIGITS - 1}"
    if minimum is not None and maximum is not None and minimum > maximum:
        yield f"minimum is {minimum}, above the maximum {maximum}"
    if length_fits and decimals_fit:
        yield from _contradictions_of_length(length, minimum, maximum, places)
    if check is not None:
        yield from _contradictions_of_check(check, length if length_fits else None, maximum, places)


def _contradictions_of_length(
    length: int | None, minimum: int | None, maximum: int | None, decimals: int
) -> Iterator[str]:
    if length is not None and decimals >= length:
        yield f"decimals is {decimals}, not less than the length {length}"
        return
    behind = f" with decimals = {decimals}" if decimals else ""
    for key, limit, digits in digits_of_limits(minimum, maximum, decimals):
        if digits > (length or MOST_DIGITS):
            beyond = f"{key} is {limit}, beyond numbers of {MOST_DIGITS} digits"
            yield (f"length is {length}, too short for the {key} {limit}" if length else beyond) + behind


def digits_of_limits(minimum: int | None, maximum: int | None, decimals: int) -> Iterator[tuple[str, int, int]]:
    """The limits that leave 0 out, each with its name, and how many digits all numbers that satisfy it have at least.

    >>> list(digits_of_limits(100, None, 1)), list(digits_of_limits(-7, -20, 0))
    ([('minimum', 100, 4)], [('maximum', -20, 2)])
    """
    if minimum is not None and minimum > 0:
        yield "minimum", minimum, len(str(int(minimum))) + decimals
    if maximum is not None and maximum < 0:
        yield "maximum", maximum, len(str(int(-maximum))) + decimals


def _contradictions_of_check(check: str, length: int | None, maximum: int | None, decimals: int) -> Iterator[str]:
    shown = repr(check[:60])
    if decimals:
        yield f"check is {shown}, for whole numbers, but decimals is {decimals}"
    if (maximum or 0) < 0:
        yield f"check is {shown}, for numbers from 0 on, but maximum is {maximum}"
    try:
        if not _passes_any(check, length):
            yield f"check is {shown}, which no number of {length or f'1 to {MOST_DIGITS}'} digits passes"
    except ConfigError as error:
        yield str(error)


@lru_cache(maxsize=64)
def _passes_any(check: str, length: int | None) -> bool:
    """Whether a check accepts any number of digits: one of the examples of its module, or one drawn at random. Many
    modules are for longer numbers or for letters."""
    module, lengths = _module_of(check), [length] if length else range(1, MOST_DIGITS + 1)
    examples = (re.sub(r"[ ./-]", "", text) for text in re.findall(r"'([^']+)'", module.__doc__ or ""))
    chance = random.Random(0)  # always the same numbers
    drawn = ("".join(chance.choices("0123456789", k=one)) for _ in range(_TRIES // len(lengths)) for one in lengths)
    fit = (text for text in examples if text.isdecimal() and len(text) in lengths)
    return any(map(module.is_valid, chain(fit, drawn)))


def _is_valid_of(check: str) -> Any:
    return _module_of(check).is_valid


def _module_of(check: str) -> Any:
    """A module of python-stdnum that has `is_valid`."""
    try:
        import_module("stdnum")
    except ModuleNotFoundError:
        raise ConfigError(f"check needs python-stdnum: {how_to_install('numbers')}") from None
    try:
        if not re.fullmatch(r"[a-z]\w*(\.[a-z]\w*)?", check, re.ASCII):
            raise ModuleNotFoundError
        module = import_module(f"stdnum.{check}")
        if not hasattr(module, "is_valid"):
            raise ModuleNotFoundError
    except ModuleNotFoundError:
        raise ConfigError(f"check is {check[:60]!r}, which python-stdnum does not have") from None
    return module


def allows(constraints: Constraints | None, grammar: Grammar, text: str) -> bool:
    """Whether a text is a number that satisfies the constraints, if there are any."""
    if constraints is None:
        return True
    digits = grammar.digits(text)
    return digits is not None and constraints.allow(digits)
