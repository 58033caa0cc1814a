"""A Unix socket that any number of clients read decisions from, and that answers their requests.

One thread serves them all. A client has a bounded queue of its own, and of what it asks one line is taken at a time, so
that one that reads slowly, floods, sends nonsense or is gone harms nobody else.
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
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.publish.message import Message, as_line
from edge_lpdpl.live.publish.requests import LONGEST_LINE, Reply, RequestHandler, parse_request

SOCKET_NAME = "edge-lpdpl.sock"
_PAUSE = 0.05  # seconds, where there are no file descriptors left
_BREATH = 0.001  # seconds after a round of answers, so that the loop, which shares the interpreter, has its turn


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
        # In their order: replies, one at most for each request that was taken, and a turn for each of the decisions.
        self._waiting: deque[Callable[[], None]] = deque()
        self._handing_over = threading.Lock()
        self._decisions: deque[bytes] = deque()
        self._missed = 0  # decisions that were dropped before any client had them
        self._selector = selectors.DefaultSelector()
        self._listener = _listen(path)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._bell, self._bell_rope = socket.socketpair()
        for end in (self._bell, self._bell_rope):
            end.setblocking(False)
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._answered = self._closing = False
        self._thread = threading.Thread(target=self._serve, name="socket", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        clients = list(self._clients.values())
        return self._dropped_by_gone + sum(client.dropped for client in clients) + self._missed * len(clients)

    @property
    def clients(self) -> int:
        """How many there are."""
        return len(self._clients)

    def publish(self, message: Message, line: bytes) -> None:
        with self._handing_over:
            if len(self._decisions) == self._capacity:  # the thread itself does not come to its turn
                self._decisions.popleft()
                self._missed += 1
            else:
                self._waiting.append(self._to_all)
            self._decisions.append(line)
        self._ring()

    def close(self) -> None:
        self._later(self._stop)
        self._thread.join(1.0)
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _later(self, call: Callable[[], None]) -> None:
        """Have the thread of the socket call something."""
        self._waiting.append(call)
        self._ring()

    def _ring(self) -> None:
        with contextlib.suppress(OSError):  # it rings already, or all is over
            self._bell_rope.send(b"!")

    def _serve(self) -> None:
        while not self._closing:
            if self._answered:
                self._answered = False
                time.sleep(_BREATH)
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
            while self._bell.recv(4096):
                pass
        for _ in range(len(self._waiting)):  # what comes meanwhile rings again
            self._waiting.popleft()()

    def _to_all(self) -> None:
        """The oldest decision that waits, to everybody."""
        with self._handing_over:
            line = self._standing = self._decisions.popleft()
            missed, self._missed = self._missed, 0
        for client in list(self._clients.values()):
            client.miss(missed)
            if not client.finished:
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
        if events & selectors.EVENT_READ and not client.finished:
            line = client.receive()
            if line.strip():
                self._answer(client, line)
                self._answered = True
        self._send(client)

    def _answer(self, client: "_Client", line: bytes) -> None:
        client.unanswered += 1

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
            client.unanswered -= 1
            client.put(line)
            self._send(client)

    def _send(self, client: "_Client") -> None:
        if not client.send_on() or client.is_served:
            self._drop(client)
            return
        wanted = 0 if client.finished else selectors.EVENT_READ
        self._wait_for(client, wanted | (selectors.EVENT_WRITE if client.waits else 0))

    def _wait_for(self, client: "_Client", events: int) -> None:
        """Be told of these events of a connection; of none where it only waits for an answer that is being made."""
        known = client.connection in self._selector.get_map()
        if known and events:
            self._selector.modify(client.connection, events)
        elif events:
            self._selector.register(client.connection, events)
        elif known:
            self._selector.unregister(client.connection)

    def _drop(self, client: "_Client") -> None:
        if self._clients.pop(client.connection, None) is not None:
            self._dropped_by_gone += client.dropped
            self._wait_for(client, 0)
            client.connection.close()


class _Client:
    """One connection: what came in of a request, and what waits to go out."""

    def __init__(self, connection: socket.socket, capacity: int) -> None:
        self.connection = connection
        self.dropped = self._dropped_since = 0
        self._capacity = capacity
        self._lines: deque[bytes] = deque()
        self._sending = b""  # the rest of a line that went out in part
        self.unanswered = 0
        """Requests that were taken and whose replies are not there yet."""
        self.finished = False
        """Whether it has closed its side, or sent more than a line may have: no more is taken."""
        self._received = b""  # of a line whose end is not there yet

    @property
    def waits(self) -> bool:
        """Whether there is more to send than the connection took."""
        return bool(self._sending or self._lines)

    @property
    def is_served(self) -> bool:
        """Whether it will ask no more, and has all its answers."""
        return self.finished and not self.unanswered and not self.waits

    def put(self, line: bytes) -> None:
        if len(self._lines) >= self._capacity:
            self._lines.popleft()
            self.miss(1)
        self._lines.append(line)

    def miss(self, lines: int) -> None:
        """So many lines will not come to it; it is told before the next one."""
        self.dropped += lines
        self._dropped_since += lines

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

    def receive(self) -> bytes:
        """The next line that has come in whole, or the beginning of one that is too long; empty for none.

        The end of the stream ends a line, too. What comes after a line waits in the socket: who floods fills that,
        and has one turn like everybody.
        """
        try:
            seen = self.connection.recv(LONGEST_LINE + 1, socket.MSG_PEEK)
            taken = self.connection.recv(seen.find(b"\n") + 1 or len(seen)) if seen else b""
        except BlockingIOError:
            return b""
        except OSError:
            taken = b""
        line, end, _ = (self._received + taken).partition(b"\n")
        too_long = len(line) > LONGEST_LINE
        self.finished = not taken or too_long
        is_whole = end or self.finished
        self._received = b"" if is_whole else line
        return line if is_whole else b""


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
