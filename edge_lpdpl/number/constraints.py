"""What is known about a number before it is read: its length, its range, its decimals, a check digit."""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from importlib import import_module
from typing import Any

from edge_lpdpl.errors import ConfigError, how_to_install


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
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise ConfigError(f"minimum is {self.minimum}, above the maximum {self.maximum}")
        if self.length is not None and self.minimum is not None and self.minimum >= 10**self.length:
            raise ConfigError(f"length is {self.length}, too short for the minimum {self.minimum}")
        if self.length is not None and self.decimals is not None and self.decimals >= self.length:
            raise ConfigError(f"decimals is {self.decimals}, not less than the length {self.length}")
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
            and (self._is_valid is None or bool(self._is_valid(digits)))
        )


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
