"""Numbers that are named on the command line by where they begin and end, such as the writers 1-40,49-80."""

import argparse

Span = tuple[int, int]
"""First and last."""


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
