"""On which line of a TOML file a key is set, which `tomllib` does not tell."""

import tomllib
from itertools import chain, count
from typing import Any

_MOST_TRIES = 64


def line_of(text: str, path: tuple[str, ...]) -> int:
    """First line (from 1) of the statement that brings the key `path` into the document.

    A document that is cut off between two statements is a document, and one that is cut off within a statement is none;
    so the statement is found by reading beginnings of the text, with the same parser that read the whole.

    That takes a parser's run for each beginning. It is tried where a statement can begin, and so often at most that a
    file made to cost time costs a second or two; then the line may be that of a statement before it.

    Args:
        text: a document that can be read and holds `path`.

    >>> line_of("[frames]\\nwidth = 640\\n\\nheight = [\\n1]\\n", ("frames", "height"))
    4
    """
    lines = text.split("\n")
    cuts = [number for number, line in enumerate(lines) if "=" in line or line.lstrip().startswith("[")]
    cuts.append(len(lines))
    without, within = 0, len(cuts) - 1  # what is above these cuts is a document without the key, and one with it
    tries = count()
    while True:
        middle = (without + within) // 2
        ends = chain(range(middle, within), range(middle - 1, without, -1))
        found = ((end, _read(lines, cuts[end])) for end in ends if next(tries) < _MOST_TRIES)
        end, document = next(((end, read) for end, read in found if read is not None), (without, None))
        if end == without:
            return cuts[without] + 1
        if _holds(document, path):
            within = end
        else:
            without = end


def _read(lines: list[str], number: int) -> dict[str, Any] | None:
    try:
        return tomllib.loads("\n".join(lines[:number]) + "\n")
    except tomllib.TOMLDecodeError:
        return None


def _holds(document: object, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True
