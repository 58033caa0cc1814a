"""What is known about a number before it is read: its length, its range, its decimals, a check digit."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from importlib import import_module
from typing import Any

from edge_lpdpl.errors import ConfigError, how_to_install
from edge_lpdpl.model.labels import Label
from edge_lpdpl.number.grammar import MOST_DIGITS, marks_for


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
        ConfigError: they contradict each other, or python-stdnum has no such check or is not installed. The message
            begins with the name of the argument.

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
        if fault := self._fault():
            raise ConfigError(fault)
        if self.check is not None:
            object.__setattr__(self, "_is_valid", _is_valid_of(self.check))

    def _fault(self) -> str | None:
        """Why no number satisfies all parts but the check, beginning with the name of one."""
        length, decimals = self.length, self.decimals or 0
        if length is not None and not 1 <= length <= MOST_DIGITS:
            return f"length is {length}, not 1 to {MOST_DIGITS}"
        if not 0 <= decimals < MOST_DIGITS:
            return f"decimals is {decimals}, not 0 to {MOST_DIGITS - 1}"
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            return f"minimum is {self.minimum}, above the maximum {self.maximum}"
        if decimals and self.check is not None:
            return f"check is {self.check!r}, for whole numbers, but decimals is {decimals}"
        if length is None:
            return None
        if decimals >= length:
            return f"decimals is {decimals}, not less than the length {length}"
        too_large, behind = 10 ** (length - decimals), f" with decimals = {decimals}" if decimals else ""
        if self.minimum is not None and self.minimum >= too_large:
            return f"length is {length}, too short for the minimum {self.minimum}{behind}"
        if self.maximum is not None and self.maximum <= -too_large:
            return f"length is {length}, too short for the maximum {self.maximum}{behind}"
        return None

    def allow(self, digits: str) -> bool:
        """Whether a number, as ASCII digits with a minus and a point, satisfies them."""
        value, (whole, _, decimals) = Decimal(digits), digits.removeprefix("-").partition(".")
        return (
            self.length in (None, len(whole) + len(decimals))
            and self.decimals in (None, len(decimals))
            and (self.minimum is None or value >= self.minimum)
            and (self.maximum is None or value <= self.maximum)
            and (self._is_valid is None or bool(self._is_valid(digits)))
        )


def check_decimals(constraints: Constraints | None, models: Mapping[str, Sequence[Label]]) -> None:
    """Check that numbers of one of these models, each a name and labels, can have the decimals that are asked for.

    Raises:
        ConfigError: none has a point.

    >>> from edge_lpdpl.model.labels import CHINESE
    >>> check_decimals(Constraints(decimals=2), {"chinese15": CHINESE})
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ConfigError: decimals is 2, but numbers of chinese15 have no point
    """
    if constraints and constraints.decimals and not any(map(marks_for, models.values())):
        raise ConfigError(f"decimals is {constraints.decimals}, but numbers of {' and '.join(models)} have no point")


def constraints_of(
    length: int | None, minimum: int | None, maximum: int | None, decimals: int | None, check: str | None
) -> Constraints | None:
    """Constraints from settings, where 0, "" and -1 decimals stand for none; None where there is none at all.

    >>> constraints_of(0, 0, 0, -1, ""), constraints_of(4, 0, 0, 0, "")
    (None, Constraints(length=4, minimum=None, maximum=None, decimals=0, check=None))
    """
    known = Constraints(
        length or None, minimum or None, maximum or None, None if decimals == -1 else decimals, check or None
    )
    return None if known == Constraints() else known


def _is_valid_of(check: str) -> Any:
    try:
        import_module("stdnum")
    except ModuleNotFoundError:
        raise ConfigError(f"check needs python-stdnum: {how_to_install('numbers')}") from None
    try:
        if not re.fullmatch(r"[a-z]\w*(\.[a-z]\w*)?", check, re.ASCII):
            raise ModuleNotFoundError
        return import_module(f"stdnum.{check}").is_valid
    except (ModuleNotFoundError, AttributeError):
        raise ConfigError(f"check is {check[:60]!r}, which python-stdnum does not have") from None
