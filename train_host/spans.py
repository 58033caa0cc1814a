"""Whole numbers on the command line, and several by where they begin and end, such as the writers 1-40,49-80."""

import argparse
import math
from collections.abc import Callable

Span = tuple[int, int]
"""First and last."""


def whole_number(least: int, largest: float = math.inf) -> Callable[[str], int]:
    """What reads a number between two bounds.

    >>> whole_number(2)("12")
    12
    """

    def whole_number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= largest:
            upper = "or more" if largest == math.inf else f"to {largest}"
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of {least} {upper}")
        return int(text)

    return whole_number


def span(text: str) -> Span:
    """A number, or two with a hyphen.

    Raises:
        argparse.ArgumentTypeError: it is neither.

    >>> span("3-6"), span("7")
    ((3, 6), (7, 7))
    """
    low, hyphen, high = text.partition("-")
    ends = (low, high) if hyphen else (low, low)
    if not all(end.isascii() and end.isdigit() and len(end) <= 6 for end in ends):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number, or two such as 3-6")
    first, last = map(int, ends)
    if last < first:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} begins above its end")
    return first, last


def spans(text: str) -> list[Span]:
    """Several of them, with commas in between.

    Raises:
        argparse.ArgumentTypeError: one is none.

    >>> spans("1-40,49-80")
    [(1, 40), (49, 80)]
    """
    return [span(part) for part in text.split(",")]
