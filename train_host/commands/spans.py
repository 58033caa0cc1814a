"""Whole numbers and ranges of them on the command line, such as the writers 1-40,49-80."""

import argparse
import math
from collections.abc import Callable

Span = tuple[int, int]
"""First and last."""


def whole_number(least: int, largest: float = math.inf) -> Callable[[str], int]:
    """A parser of whole numbers between two bounds, for the `type` of an argparse option.

    >>> whole_number(2)("12")
    12
    """

    def whole_number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and least <= int(text) <= largest):
            upper = "or more" if largest == math.inf else f"to {largest}"
            raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number of {least} {upper}")
        return int(text)

    return whole_number


def span(text: str) -> Span:
    """Parse a number, or a range of numbers with a hyphen.

    Raises:
        argparse.ArgumentTypeError: the text is neither, or the range ends before it starts.

    >>> span("3-6"), span("7")
    ((3, 6), (7, 7))
    """
    low, hyphen, high = text.partition("-")
    ends = (low, high) if hyphen else (low, low)
    if not all(end.isascii() and end.isdigit() and len(end) <= 6 for end in ends):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number or a range such as 3-6")
    first, last = map(int, ends)
    if last < first:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} starts above its end")
    return first, last


def spans(text: str) -> list[Span]:
    """Parse numbers and ranges with commas between them.

    Raises:
        argparse.ArgumentTypeError: a part is neither a number nor a range.

    >>> spans("1-40,49-80")
    [(1, 40), (49, 80)]
    """
    return [span(part) for part in text.split(",")]
