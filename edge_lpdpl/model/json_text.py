"""Untrusted JSON, without repeated keys, and the one canonical text of a value.

`json` alone takes the last of repeated keys, so two readers may see two contents in one file. The safetensors package
does the same, which is why the header of a model file is read with this module, too.
"""

import json
from typing import Any

from edge_lpdpl.errors import ModelError


def read_json(text: str, what: str) -> Any:
    """Value of a JSON text; `what` names the text in errors.

    Raises:
        ModelError: no JSON, or a key is repeated. NaN and infinite numbers pass; `canonical_json` refuses them.
        RecursionError: nested more deeply than Python can parse.

    >>> read_json('{"a": [1, 2.5, null]}', "header")
    {'a': [1, 2.5, None]}
    >>> read_json('{"a": 1, "a": 2}', "header")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ModelError: the header is not strict JSON (repeated key 'a')
    """
    try:
        return json.loads(text, object_pairs_hook=_table)
    except ValueError as error:
        raise ModelError(f"the {what} is not strict JSON ({error})") from error


def canonical_json(value: object, what: str) -> str:
    """The one text for a value: keys sorted, no spaces, characters as they are.

    Raises:
        ModelError: the value is not plain, finite JSON.

    >>> canonical_json({"b": (1, 0.5), "a": "五"}, "metadata")
    '{"a":"五","b":[1,0.5]}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelError(f"the {what} is not plain JSON ({error})") from error


def texts(value: object) -> list[str]:
    """Every text in a JSON value, keys included.

    >>> sorted(texts({"a": ["b", 1, {"c": "d"}]}))
    ['a', 'b', 'c', 'd']
    """
    if isinstance(value, str):
        return [value]
    items = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in items for text in texts(item)]


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise ValueError(f"repeated key {key[:40]!r}")
        table[key] = value
    return table
