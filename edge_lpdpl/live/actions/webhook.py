"""A message sent to a web address."""

import socket
import ssl
import threading
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from edge_lpdpl import __version__
from edge_lpdpl.live.config.conflicts import parse_webhook


class Webhook:
    """A way to act, see `Way`: one POST of JSON. It follows no redirection, and reads the status of the answer only.

    Args:
        address: with http or https.
        timeout_s: seconds for all of it. Looking up the name has the limits of the system's resolver in addition.
    """

    def __init__(self, address: str, timeout_s: float) -> None:
        parts = parse_webhook(address)
        self._host, self._tls = parts.hostname or "", parts.scheme == "https"
        self._port = parts.port or (443 if self._tls else 80)
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._timeout = timeout_s

    def act(self, line: bytes) -> None:
        headers = {"Content-Type": "application/json", "User-Agent": f"edge-lpdpl/{__version__}", "Connection": "close"}
        over = threading.Event()
        try:
            with socket.create_connection((self._host, self._port), self._timeout) as plain, plain.dup() as handle:
                end = threading.Timer(self._timeout, _cut, (handle, over))
                end.daemon = True
                end.start()
                try:
                    connection = self._connection(plain)
                    connection.request("POST", self._target, line.rstrip(b"\n"), headers)
                    status = connection.getresponse().status
                    connection.close()
                finally:
                    end.cancel()
            if over.is_set():  # an answer that was cut off may look like a whole one
                raise TimeoutError
        except (HTTPException, OSError) as error:
            if over.is_set() or isinstance(error, TimeoutError):
                raise TimeoutError(f"{self._host} did not answer within {self._timeout:g} s") from None
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise ConnectionError(f"{self._host}: {reason}") from error
        if not 200 <= status < 300:
            raise ConnectionError(f"{self._host} answers with status {status}")

    def close(self) -> None:
        """No-op: the time limit ends it."""

    def _connection(self, plain: socket.socket) -> HTTPConnection:
        if not self._tls:
            connection = HTTPConnection(self._host, self._port)
            connection.sock = plain
            return connection
        connection = HTTPSConnection(self._host, self._port)
        connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=self._host)
        return connection


def _cut(handle: socket.socket, over: threading.Event) -> None:
    """End a connection: the time limit of a socket is for each byte, so a server that drips would hold it for ever."""
    over.set()
    with suppress(OSError):
        handle.shutdown(socket.SHUT_RDWR)
