"""What is known about a number before it is read: its length, its range, a check digit."""

import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from edge_lpdpl.errors import ConfigError, how_to_install


@dataclass(frozen=True)
class Constraints:
    """What a number has to satisfy. Each part is optional.

    Args:
        length: number of digits, zeros in front included. A spoken number (一百零五) has those of its value.
        minimum, maximum: of its value.
        check: a module of python-stdnum with a function `is_valid`, such as `luhn`, `ean`, `isbn` or `nl.bsn`.

    Raises:
        ConfigError: they contradict each other, or python-stdnum has no such check or is not installed. The message
            begins with the name of the argument.

    >>> Constraints(length=3, maximum=500).allow("427"), Constraints(length=3, maximum=500).allow("0427")
    (True, False)
    """

    length: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    check: str | None = None
    _is_valid: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise ConfigError(f"minimum is {self.minimum}, above the maximum {self.maximum}")
        if self.length is not None and self.minimum is not None and self.minimum >= 10**self.length:
            raise ConfigError(f"length is {self.length}, too short for the minimum {self.minimum}")
        if self.check is not None:
            object.__setattr__(self, "_is_valid", _is_valid_of(self.check))

    def allow(self, digits: str) -> bool:
        """Whether a number, as ASCII digits, satisfies them."""
        value = int(digits)
        return (
            self.length in (None, len(digits))
            and (self.minimum is None or value >= self.minimum)
            and (self.maximum is None or value <= self.maximum)
            and (self._is_valid is None or bool(self._is_valid(digits)))
        )


def constraints_of(
    length: int | None, minimum: int | None, maximum: int | None, check: str | None
) -> Constraints | None:
    """Constraints from settings, where 0 and "" stand for none; None where there is none at all.

    >>> constraints_of(0, 0, 0, ""), constraints_of(4, 0, 0, "")
    (None, Constraints(length=4, minimum=None, maximum=None, check=None))
    """
    parts = length or None, minimum or None, maximum or None, check or None
    return Constraints(*parts) if any(parts) else None


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
