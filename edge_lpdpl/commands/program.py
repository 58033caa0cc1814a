"""What `edge-lpdpl` and `lpdpl-train` share: exit statuses, one line about an error, and the parser of arguments."""

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TextIO

from edge_lpdpl.errors import EdgeError, may_pass
from edge_lpdpl.files.text import tell

OK, PROBLEM, ERROR, PASSING, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 130, 141
"""Exit statuses: done; `doctor` found a problem; an error in the input, which a person must correct; an error of the
machine, so that another start may help; Ctrl-C; nobody reads the output any more (as a shell counts it)."""


def run_command(program: str, command: Callable[[], int], *, debug: bool = False) -> int:
    """Run a command to its end; returns the exit status of the process.

    Args:
        program: its name, which begins the line on standard error.
        command: returns the status of a run without an error.
        debug: print the traceback of an error, too.

    >>> run_command("edge-lpdpl", lambda: OK)
    0
    """
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a console without Chinese does not end the command
    try:
        status = command()
        tell("", end="")  # flushes what a library has printed, too
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except (EdgeError, OSError, MemoryError) as error:
        complain(program, error, debug=debug)
        _drop_what_is_left()
        return PASSING if may_pass(error) else ERROR
    return status


def complain(program: str, error: Exception, *, debug: bool = False) -> None:
    """Print one line about the error that is being handled."""
    if debug:
        import traceback

        traceback.print_exc()
    text = str(error) or ("not enough memory" if isinstance(error, MemoryError) else type(error).__name__)
    print(f"{program}: {' '.join(text.split())}", file=sys.stderr, flush=True)


def _nowhere() -> TextIO:
    """Stands in for a stream that was closed before Python began, for which Python has None."""
    return open(os.devnull, "w", errors="backslashreplace")


def _drop_what_is_left() -> None:
    """Drop output that cannot be written: at its end Python would try again, and add lines and a status of its own."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _drop_output()


def _drop_output() -> None:
    """Drop all further standard output, and what Python flushes at its end."""
    with contextlib.suppress(OSError, ValueError):  # it is no real file in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line, which names its help instead of printing the usage; its subparsers are alike.

    >>> OneLineParser(prog="edge-lpdpl").add_subparsers().add_parser("demo").prog
    'edge-lpdpl demo'
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """A subparser refuses unknown arguments itself: argparse would pass them up to the parser of all commands."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """End the process with status 2 and the message on one line."""
        self.exit(ERROR, f"{self.prog}: {' '.join(message.split())}; see {self.prog} --help\n")


def number_up_to(most: int, least: int = 1) -> Callable[[str], int]:
    """A function that reads a number from `least` to `most`.

    >>> number_up_to(10_000)("12"), number_up_to(9, least=-9)("-5")
    (12, -5)
    """

    def number(text: str) -> int:
        is_short = text.removeprefix("-").isdecimal() and len(text) <= 17  # int() refuses thousands of digits
        if not (is_short and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number from {least} to {most}")
        return int(text)

    return number
