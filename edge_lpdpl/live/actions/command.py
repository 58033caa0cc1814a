"""A program that is run."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

_STEP = 0.2  # seconds after which a waiting thread checks whether it must end


class Command:
    """A way to act, see `Way`: a program, without a shell, with the message on its standard input.

    Its standard output goes nowhere, because that of the service is its own; its standard error is that of the service.
    It is started with the rights of the service, and in its sandbox.

    Args:
        words: the program and its arguments.
        timeout_s: seconds until the program, and what it has started in its session, is killed.
    """

    def __init__(self, words: Sequence[str], timeout_s: float) -> None:
        self._words, self._timeout = list(words), timeout_s
        self._closing = threading.Event()

    def act(self, line: bytes) -> None:
        with open(os.memfd_create("message"), "w+b") as message:  # a file: nobody has to fill a pipe meanwhile
            message.write(line)
            message.seek(0)
            try:
                process = subprocess.Popen(
                    self._words, stdin=message, stdout=subprocess.DEVNULL, start_new_session=True
                )
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or error
                raise ChildProcessError(f"{self._words[0]}: cannot be started ({reason})") from error
        self._wait(process)
        if process.returncode:
            raise ChildProcessError(f"{self._words[0]} ended with {_shown(process.returncode)}")

    def close(self) -> None:
        self._closing.set()

    def _wait(self, process: "subprocess.Popen[bytes]") -> None:
        end = time.monotonic() + self._timeout
        while not self._closing.is_set() and time.monotonic() < end:
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(_STEP, self._timeout))
                return
        os.killpg(process.pid, signal.SIGKILL)  # it is not reaped yet, so the number is its own
        process.wait()
        raise TimeoutError(f"{self._words[0]} took longer than {self._timeout:g} s and was ended")


def _shown(status: int) -> str:
    """
    >>> _shown(2), _shown(-9)
    ('status 2', 'signal 9')
    """
    return f"status {status}" if status > 0 else f"signal {-status}"
