"""Conditions such as `number >= 10 and number < 20`: comparisons of a message's numbers. No text is run as code."""

import operator
import re
from collections.abc import Callable
from typing import Any

from edge_lpdpl.errors import ConfigError

Condition = Callable[[dict[str, Any]], bool]
"""Whether a message fulfils it."""

_OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_COMPARISON = re.compile(rf"number *({'|'.join(_OPERATORS)}) *(\d{{1,16}})", re.ASCII)


def parse_condition(text: str) -> Condition:
    """A condition from its text.

    `accepted` and `rejected`: a number of the message is. `number == 42`, also with `!=`, `<`, `<=`, `>` and `>=` and
    several joined by `and`: the value of one accepted number fulfils all comparisons.

    Raises:
        ConfigError: it is none of these.

    >>> holds = parse_condition("number >= 10 and number < 20")
    >>> holds({"numbers": [{"value": 12, "rejected": False}]}), holds({"numbers": [{"value": 12, "rejected": True}]})
    (True, False)
    """
    if text in ("accepted", "rejected"):
        wanted = text == "rejected"
        return lambda message: any(number["rejected"] is wanted for number in message["numbers"])
    comparisons = []
    for part in text.split(" and "):
        if (match := _COMPARISON.fullmatch(part.strip())) is None:
            raise ConfigError(f"is {text[:60]!r}, not accepted, rejected or a comparison as number == 42")
        comparisons.append((_OPERATORS[match[1]], int(match[2])))
    return lambda message: any(
        not number["rejected"] and all(compare(number["value"], bound) for compare, bound in comparisons)
        for number in message["numbers"]
    )
