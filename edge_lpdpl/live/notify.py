"""systemd's notification protocol: datagrams of `NAME=VALUE` lines to the socket that it names.

Without that socket, on a terminal say, nothing is sent.
"""

import contextlib
import os
import socket
import time
from collections.abc import Mapping


class Notifier:
    """What tells the service manager how the service does.

    Args:
        environment: that of the process when left out.

    >>> Notifier({}).ready("waiting for a frame")
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get("NOTIFY_SOCKET", "")
        self._socket: socket.socket | None = None
        if address.startswith(("/", "@")):
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.setblocking(False)  # a manager that does not read must not stop the loop
            self._address = address.replace("@", "\0", 1) if address[0] == "@" else address
        self.watchdog_seconds = _watchdog_seconds(environment)
        """How often the watchdog wants to be fed at least; None where there is none."""

    def ready(self, status: str) -> None:
        """The service is up, or a reload is over."""
        self._send(f"READY=1\nSTATUS={status}")

    def reloading(self) -> None:
        """A reload begins; the time tells systemd that it is the one that it asked for."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}\nSTATUS=reloading")

    def stopping(self) -> None:
        """The service goes down as it was asked to."""
        self._send("STOPPING=1\nSTATUS=stopping")

    def status(self, text: str) -> None:
        """One line for `systemctl status`."""
        self._send(f"STATUS={text}")

    def feed_watchdog(self) -> None:
        """There was progress."""
        self._send("WATCHDOG=1")

    def _send(self, text: str) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # nobody listens
                self._socket.sendto(text.encode(), self._address)


def _watchdog_seconds(environment: Mapping[str, str]) -> float | None:
    """From WATCHDOG_USEC, if it is meant for this process.

    >>> _watchdog_seconds({"WATCHDOG_USEC": "10000000"})
    10.0
    """
    text, process = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", str(os.getpid()))
    if not text.isdecimal() or int(text) == 0 or process != str(os.getpid()):
        return None
    return int(text) / 1e6
