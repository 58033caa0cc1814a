"""The client side of the socket: listen to decisions, or ask the running service."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import ServiceError
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.place import LISTENERS, default_socket, listen_path
from edge_lpdpl.live.triggers.asked import AskedTrigger

_LONGEST_LINE = 1 << 20
_MOST_DATA = 8 << 20  # bytes behind a line
_GONE = "the service went away"


class Client:
    """A connection to a service.

    Args:
        path: of its socket; default: as from `default_socket`, or the socket for listeners beside it where this user
            may not open that.

    Raises:
        ServiceError: no service answers there.
    """

    def __init__(self, path: Path | None = None) -> None:
        control = default_socket()
        paths = (control, listen_path(control)) if path is None else (path,)
        for path in paths:
            try:
                self._socket = _connected(path)
                break
            except PermissionError:
                continue
            except OSError as error:
                reason = error.strerror or str(error)
                hint = "is the service running? (edge-lpdpl run; systemctl status edge-lpdpl)"
                raise ServiceError(f"{printable(str(path))}: nobody answers ({reason}); {hint}") from None
        else:
            hint = f"join the group edge-lpdpl, or {LISTENERS} to listen only, and log in again"
            raise ServiceError(f"{printable(str(paths[0]))}: this user may not use it; {hint}")
        self.data = b""
        """The bytes behind the last line: pictures, for some requests."""
        self._rest = bytearray()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ask(self, request: dict[str, Any], patience: float = 10.0) -> dict[str, Any]:
        """Send a request and wait for its reply; after `recognise`, wait for the decision that answers it.

        Raises:
            ServiceError: it is refused, or no reply comes in time.
        """
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
        except OSError:
            raise ServiceError(_GONE) from None
        wanted, answered = request["request"], False
        for line in self.lines(patience):
            if line.get("reply") == wanted or "error" in line:
                if "error" in line:
                    raise ServiceError(str(line["error"]))
                answered = True
                if wanted != "recognise":
                    return line
            elif answered and line.get("trigger") == AskedTrigger.kind and "numbers" in line:
                return line
        raise ServiceError(_GONE)

    def lines(self, patience: float | None = None) -> Iterator[dict[str, Any]]:
        """What the service sends, line by line, until it closes the connection. `data` has the bytes behind a line.

        Args:
            patience: seconds to wait in all; default: no limit.

        Raises:
            ServiceError: the time is over, or a line is not JSON.
        """
        end = None if patience is None else time.monotonic() + patience
        while True:
            while b"\n" not in self._rest:
                if len(self._rest) > _LONGEST_LINE:
                    raise ServiceError("what comes from there are no lines")
                if not self._receive(patience, end):
                    return
            line, _, self._rest = self._rest.partition(b"\n")
            value = _parsed(line)
            size = value.get("bytes", 0)
            if not isinstance(size, int) or not 0 <= size <= _MOST_DATA:
                raise ServiceError("what comes from there is not from the service")
            while len(self._rest) < size:
                if not self._receive(patience, end):
                    return
            self.data, self._rest = bytes(self._rest[:size]), self._rest[size:]
            yield value

    def _receive(self, patience: float | None, end: float | None) -> bool:
        """Wait for more bytes; False if the service closed the connection."""
        self._socket.settimeout(None if end is None else max(0.001, end - time.monotonic()))
        try:
            data = self._socket.recv(1 << 16)
        except TimeoutError:
            raise ServiceError(f"the service did not answer within {patience:g} s") from None
        except ConnectionError:  # it closed the connection without reading all requests
            return False
        self._rest += data
        return bool(data)


def _connected(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        raise
    return connection


def _parsed(line: bytearray) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ServiceError("what comes from there is no JSON")
    return value
