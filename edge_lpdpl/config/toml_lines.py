"""On which line of a TOML file a key is set, which `tomllib` does not tell."""

import tomllib
from itertools import chain
from typing import Any


def line_of(text: str, path: tuple[str, ...]) -> int:
    """First line (from 1) of the statement that brings the key `path` into the document.

    A document that is cut off between two statements is a document, and one that is cut off within a statement is none;
    so the statement is found by reading beginnings of the text, with the same parser that read the whole.

    Args:
        text: a document that can be read and holds `path`.

    >>> line_of("[frames]\\nwidth = 640\\n\\nheight = [\\n1]\\n", ("frames", "height"))
    4
    """
    lines = text.split("\n")
    without, within = 0, len(lines)  # so many first lines are a document without the key, and one with it
    while True:
        middle = (without + within) // 2
        ends = chain(range(middle, within), range(middle - 1, without, -1))
        end, document = next(((end, read) for end in ends if (read := _read(lines, end)) is not None), (without, None))
        if end == without:
            return without + 1
        if _holds(document, path):
            within = end
        else:
            without = end


def _read(lines: list[str], count: int) -> dict[str, Any] | None:
    try:
        return tomllib.loads("\n".join(lines[:count]) + "\n")
    except tomllib.TOMLDecodeError:
        return None


def _holds(document: object, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True
