"""What both command lines are understood with: complaints of one line, and numbers."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from edge_lpdpl.exit_status import ERROR


class OneLineParser(argparse.ArgumentParser):
    """A parser whose complaints are one line, without the usage, that points to its own help; so are its subparsers.

    >>> OneLineParser(prog="edge-lpdpl").add_subparsers().add_parser("demo").prog
    'edge-lpdpl demo'
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Those of a subparser are its own to refuse: argparse would hand them up to the parser of all commands."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """End the process with status 2 and the message on one line."""
        self.exit(ERROR, f"{self.prog}: {' '.join(message.split())}; see {self.prog} --help\n")


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
