"""How a command ends, `edge-lpdpl` and `lpdpl-train` alike: its exit status, and one line about what went wrong."""

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
"""Exit statuses: done; `doctor` found a problem; the input's fault, which a person has to mend; the machine's, so that
another start may help; Ctrl-C; nobody reads on (as a shell counts it)."""


def run_command(program: str, command: Callable[[], int], *, debug: bool = False) -> int:
    """Run a command to its end; returns the exit status of the process.

    Args:
        program: its name, which begins the line on standard error.
        command: returns the status of a run without an error.
        debug: show where an error comes from, too.

    >>> run_command("edge-lpdpl", lambda: OK)
    0
    """
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a console without Chinese shall not end the command
    try:
        status = command()
        tell("", end="")  # what a library has printed, too
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
    """One line about the error that is being handled."""
    if debug:
        import traceback

        traceback.print_exc()
    text = str(error) or ("not enough memory" if isinstance(error, MemoryError) else type(error).__name__)
    print(f"{program}: {' '.join(text.split())}", file=sys.stderr, flush=True)


def _nowhere() -> TextIO:
    """For a stream that was closed before Python began. Python has None, and prints what is for None where it can."""
    return open(os.devnull, "w", errors="backslashreplace")


def _drop_what_is_left() -> None:
    """Python would try again at its end to write what could not be written, and add lines and a status of its own."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _drop_output()


def _drop_output() -> None:
    """Let nothing more be said on standard output, not even what Python flushes at its end."""
    with contextlib.suppress(OSError, ValueError):  # no real file, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
