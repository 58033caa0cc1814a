"""Numbers on the command line of the device."""

import argparse
from collections.abc import Callable


def number_up_to(most: int) -> Callable[[str], int]:
    """What reads a number from 1 to `most`.

    >>> number_up_to(10_000)("12")
    12
    """

    def number(text: str) -> int:
        if not (text.isdecimal() and len(text) <= 9 and 1 <= int(text) <= most):  # int() refuses thousands of digits
            raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number from 1 to {most}")
        return int(text)

    return number
