"""A Unix socket that any number of clients read decisions from, and that answers their requests.

One thread serves them all. A client has a bounded queue of its own, so that one that reads slowly, sends nonsense or is
gone harms nobody else.
"""

import contextlib
import errno
import os
import resource
import selectors
import socket
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

from edge_lpdpl.errors import EdgeError, PublishError
from edge_lpdpl.live.publish.message import Message, as_line
from edge_lpdpl.live.publish.requests import LONGEST_LINE, Reply, RequestHandler, parse_request
from edge_lpdpl.terminal import printable

SOCKET_NAME = "edge-lpdpl.sock"
_CHUNK = 4096  # bytes taken at a time: a client that floods gets no more than its turn
_PAUSE = 0.05  # seconds, where there are no file descriptors left


def socket_path(setting: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Where the socket is, None for nowhere, from `publish.socket` of the configuration.

    >>> socket_path("auto", {"RUNTIME_DIRECTORY": "/run/edge-lpdpl"})
    PosixPath('/run/edge-lpdpl/edge-lpdpl.sock')
    """
    if setting != "auto":
        return Path(setting) if setting else None
    for name in ("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        if folder := environment.get(name, "").partition(":")[0]:
            return Path(folder) / SOCKET_NAME
    return None


class SocketPublisher:
    """A publisher, see `Publisher`, for the clients of a Unix socket.

    Args:
        path: of the socket; what is left there of a service that died is replaced.
        capacity: lines that may wait for one client; further ones are dropped, and it is told how many.
        handle: answers requests.

    Raises:
        PublishError: the socket cannot be made, or another service answers there.
    """

    name = "socket"

    def __init__(self, path: Path, capacity: int, handle: RequestHandler) -> None:
        self.path = path
        self.broken: OSError | None = None
        self._capacity, self._handle = capacity, handle
        self._clients: dict[socket.socket, _Client] = {}
        self._most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2  # the rest is for everything else
        self._dropped_by_gone = 0
        self._standing = b""
        self._waiting: deque[Callable[[], None]] = deque()
        self._selector = selectors.DefaultSelector()
        self._listener = _listen(path)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._bell, self._bell_rope = socket.socketpair()
        for end in (self._bell, self._bell_rope):
            end.setblocking(False)
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._closing = False
        self._thread = threading.Thread(target=self._serve, name="socket", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        return self._dropped_by_gone + sum(client.dropped for client in list(self._clients.values()))

    @property
    def clients(self) -> int:
        """How many there are."""
        return len(self._clients)

    def publish(self, message: Message, line: bytes) -> None:
        if len(self._waiting) < self._capacity:
            self._later(lambda: self._to_all(line))
        else:  # the thread itself does not come to its turn
            self._dropped_by_gone += 1

    def close(self) -> None:
        self._later(self._stop)
        self._thread.join(1.0)
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _later(self, call: Callable[[], None]) -> None:
        """Have the thread of the socket call something."""
        self._waiting.append(call)
        with contextlib.suppress(OSError):  # it rings already, or all is over
            self._bell_rope.send(b"!")

    def _serve(self) -> None:
        while not self._closing:
            for key, events in self._selector.select():
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj is self._bell:
                    self._answer_bell()
                elif (client := self._clients.get(key.fileobj)) is not None:  # type: ignore[call-overload]
                    self._serve_client(client, events)
        for client in list(self._clients.values()):
            client.send_on()
            self._drop(client)
        for end in (self._listener, self._bell, self._bell_rope):
            end.close()
        self._selector.close()

    def _stop(self) -> None:
        self._closing = True

    def _answer_bell(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._bell.recv(_CHUNK):
                pass
        while self._waiting:
            self._waiting.popleft()()

    def _to_all(self, line: bytes) -> None:
        self._standing = line
        for client in list(self._clients.values()):
            client.put(line)
            self._send(client)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                time.sleep(_PAUSE)  # who waits to be accepted is reported again at once
            return
        if len(self._clients) >= self._most:
            connection.close()
            return
        connection.setblocking(False)
        client = self._clients[connection] = _Client(connection, self._capacity)
        self._selector.register(connection, selectors.EVENT_READ)
        if self._standing:
            client.put(self._standing)
            self._send(client)

    def _serve_client(self, client: "_Client", events: int) -> None:
        if events & selectors.EVENT_READ:
            for line in client.receive():
                self._answer(client, line)
            if client.gone:
                self._later(lambda: self._drop(client))  # after the answers to what it has asked
        self._send(client)

    def _answer(self, client: "_Client", line: bytes) -> None:
        def reply(answer: Reply) -> None:
            line = _reply_line(identity | answer)
            self._later(lambda: self._reply(client, line))

        identity: Reply = {}
        try:
            request = parse_request(line)
            identity = {"reply": request["request"]} | ({"id": request["id"]} if "id" in request else {})
            self._handle(request, reply)
        except EdgeError as error:
            reply({"error": str(error)})
        except Exception as error:  # one client's answer is lost, and no other client
            reply({"error": f"{type(error).__name__}: {error}"})

    def _reply(self, client: "_Client", line: bytes) -> None:
        if client.connection in self._clients:
            client.put(line)
            self._send(client)

    def _send(self, client: "_Client") -> None:
        if not client.send_on():
            self._drop(client)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.waits else 0)
        self._selector.modify(client.connection, wanted)

    def _drop(self, client: "_Client") -> None:
        if self._clients.pop(client.connection, None) is not None:
            self._dropped_by_gone += client.dropped
            self._selector.unregister(client.connection)
            client.connection.close()


class _Client:
    """One connection: what came in of a request, and what waits to go out."""

    def __init__(self, connection: socket.socket, capacity: int) -> None:
        self.connection = connection
        self.dropped = self._dropped_since = 0
        self._capacity = capacity
        self._lines: deque[bytes] = deque()
        self._sending = b""  # the rest of a line that went out in part
        self.gone = False
        """Whether it has closed its side, or sends lines without an end."""
        self._received = b""

    @property
    def waits(self) -> bool:
        """Whether there is more to send than the connection took."""
        return bool(self._sending or self._lines)

    def put(self, line: bytes) -> None:
        if len(self._lines) >= self._capacity:
            self._lines.popleft()
            self.dropped += 1
            self._dropped_since += 1
        self._lines.append(line)

    def send_on(self) -> bool:
        """Send what the connection takes; False where it is gone."""
        while self.waits:
            if not self._sending:
                told, self._dropped_since = self._dropped_since, 0
                self._sending = as_line({"dropped": told}) if told else self._lines.popleft()
            try:
                self._sending = self._sending[self.connection.send(self._sending) :]
            except BlockingIOError:
                return True
            except OSError:
                return False
        return True

    def receive(self) -> list[bytes]:
        """Whole lines that came in."""
        try:
            data = self.connection.recv(_CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        *lines, self._received = (self._received + data).split(b"\n")
        self.gone = not data or len(self._received) > LONGEST_LINE
        return [line for line in lines if line.strip() and len(line) <= LONGEST_LINE]


def _reply_line(reply: Reply) -> bytes:
    """A reply as a line; what cannot be written as JSON must not end the thread that wants to send it.

    >>> _reply_line({"reply": "status", "status": {"last": "\\ud800"}})
    b'{"error":"the answer cannot be written as JSON"}\\n'
    """
    try:
        return as_line(reply)
    except (TypeError, ValueError):
        return as_line({"error": "the answer cannot be written as JSON"})


def _listen(path: Path) -> socket.socket:
    shown = printable(str(path))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_dead(path)
        listener.bind(str(path))
        path.chmod(0o660)
        listener.listen(64)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise PublishError(
            f"{shown}: the socket cannot be made ({reason}); set publish.socket to another path"
        ) from error
    return listener


def _remove_dead(path: Path) -> None:
    """Remove the socket of a service that is no more; nothing else is touched.

    Raises:
        OSError: somebody answers there, or it is no socket.
    """
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(errno.EEXIST, "there is something else")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(0.5)
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()
                return
        raise OSError(errno.EADDRINUSE, "another service answers there")
