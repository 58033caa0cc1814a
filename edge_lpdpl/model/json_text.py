"""Untrusted JSON: no repeated keys, no NaN, no number that a 64-bit machine cannot hold.

`json` alone takes the last of repeated keys, so two readers may see two contents in one file. The safetensors package
does the same, which is why the header of a model file is read with this module, too.
"""

import json
import math
from collections.abc import Iterator
from typing import Any, NoReturn

from edge_lpdpl.errors import ModelError


def read_json(text: str, what: str) -> Any:
    """Value of a JSON text; `what` names the text in errors.

    Raises:
        ModelError: anything but plain, finite JSON without repeated keys.
        RecursionError: nested more deeply than Python can parse.

    >>> read_json('{"a": [1, 2.5, null]}', "header")
    {'a': [1, 2.5, None]}
    >>> read_json('{"a": 1, "a": 2}', "header")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ModelError: the header is not strict JSON (repeated key 'a')
    """
    try:
        return json.loads(
            text, object_pairs_hook=_table, parse_int=_whole, parse_float=_finite, parse_constant=_not_finite
        )
    except ValueError as error:
        raise ModelError(f"the {what} is not strict JSON ({error})") from error


def canonical_json(value: object, what: str) -> str:
    """The one text for a value: keys sorted, no spaces, characters as they are.

    Raises:
        ModelError: the value is not plain JSON.

    >>> canonical_json({"b": (1, 0.5), "a": "五"}, "metadata")
    '{"a":"五","b":[1,0.5]}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelError(f"the {what} is not plain JSON ({error})") from error


def texts(value: object) -> Iterator[str]:
    """Every text in a JSON value, keys included.

    >>> sorted(texts({"a": ["b", 1, {"c": "d"}]}))
    ['a', 'b', 'c', 'd']
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise ValueError(f"repeated key {key[:40]!r}")
        table[key] = value
    return table


def _whole(digits: str) -> int:
    if len(digits) > 19 or not -(2**63) <= int(digits) < 2**63:
        raise ValueError(f"number {digits[:24]} is out of range")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _not_finite(digits)


def _not_finite(digits: str) -> NoReturn:
    raise ValueError(f"number {digits[:24]} is not finite")
