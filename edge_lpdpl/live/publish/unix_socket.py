"""Two Unix sockets: any number of clients read decisions from them and send requests; one is for listeners only.

One thread serves all clients. Each client has a bounded queue, and one line of its requests is handled in each round:
a client that reads slowly, floods, sends nonsense or is gone harms no other client.
"""

import contextlib
import errno
import grp
import os
import resource
import select
import socket
import stat
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from edge_lpdpl.errors import EdgeError, PublishError
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.place import LISTENERS, listen_path
from edge_lpdpl.live.publish.message import Message, as_line
from edge_lpdpl.live.publish.requests import (
    LONGEST_LINE,
    WITH_DATA,
    Peer,
    Reply,
    RequestError,
    RequestHandler,
    check_allowed,
    parse_request,
)

_CREDENTIALS = struct.Struct("iII")  # pid, uid, gid of the process that connected
_PAUSE = 0.05  # seconds to wait when no file descriptor is left
_MOST_WITH_DATA = 8  # clients to which bytes of a picture are on their way
_MOST_PICTURES = 2  # that wait for one client: a frame and cut-outs
_BREATH = 0.001  # seconds of sleep after a round of answers, which lets the loop of the service run


class SocketPublisher:
    """A publisher, see `Publisher`, for the clients of two Unix sockets.

    Args:
        path: of the socket for all requests, for the group of the service. Beside it is one for listeners, for the
            group `LISTENERS` where the service belongs to it. The sockets of a service that died are replaced.
        capacity: lines that may wait for one client. If more wait, the oldest are dropped, and the client is told how
            many.
        handle: answers requests.
        complain: is told who is refused; called in another thread.

    Raises:
        PublishError: a socket cannot be made, or another service answers there.
    """

    name = "socket"
    broken: OSError | None = None

    def __init__(
        self,
        path: Path,
        capacity: int,
        handle: RequestHandler,
        complain: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.path = path
        self._capacity, self._handle, self._complain = capacity, handle, complain
        self._most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2  # leaves descriptors to the rest of the service
        self._lock = threading.Lock()  # other threads put lines into the queues of clients
        self._clients: dict[int, _Client] = {}  # by file descriptor
        self._unsent: set[_Client] = set()  # clients with lines that were put since the thread looked last
        self._standing = b""  # the latest decision, for a client that comes later
        self._dropped_by_gone = 0
        self._closing = False
        control = _listen(path)
        try:
            listening = _listen(listen_path(path), _group_of_listeners())
        except PublishError:
            control.close()
            path.unlink()
            raise
        self._listeners = {control.fileno(): (control, True), listening.fileno(): (listening, False)}
        self._bell = os.eventfd(0)  # wakes the thread
        self._poll = select.poll()
        for descriptor in (*self._listeners, self._bell):
            self._poll.register(descriptor, select.POLLIN)
        self._thread = threading.Thread(target=self._serve, name="socket", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        with self._lock:
            return self._dropped_by_gone + sum(client.dropped for client in self._clients.values())

    def publish(self, message: Message, line: bytes) -> None:
        with self._lock:
            self._standing = line
            for client in self._clients.values():
                if not client.finished:
                    client.put(line)
                    self._unsent.add(client)
        os.eventfd_write(self._bell, 1)

    def close(self) -> None:
        self._closing = True
        os.eventfd_write(self._bell, 1)
        self._thread.join(1.0)
        os.close(self._bell)
        for path in (self.path, listen_path(self.path)):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def _serve(self) -> None:
        while not self._closing:
            answered = False
            for descriptor, events in self._poll.poll():
                if descriptor in self._listeners:
                    self._accept(*self._listeners[descriptor])
                elif descriptor == self._bell:
                    self._answer_bell()
                elif client := self._clients.get(descriptor):
                    answered |= self._serve_client(client, events)
            if answered:
                time.sleep(_BREATH)
        for client in list(self._clients.values()):
            self._send(client)
            client.connection.close()
        for listener, _ in self._listeners.values():
            listener.close()

    def _answer_bell(self) -> None:
        os.eventfd_read(self._bell)
        with self._lock:  # a line that is put from now on rings again
            unsent, self._unsent = self._unsent, set()
        for client in unsent:
            self._send(client)

    def _accept(self, listener: socket.socket, may_change: bool) -> None:
        try:
            connection, _ = listener.accept()
        except OSError:  # no descriptor is left, or the client is gone
            time.sleep(_PAUSE)  # poll reports a client that waits again at once
            return
        listening = sum(not client.peer.may_change for client in self._clients.values())
        if len(self._clients) >= self._most or (not may_change and listening >= self._most // 2):
            connection.close()  # listeners leave room for the others
            return
        connection.setblocking(False)
        self._poll.register(connection, select.POLLIN)
        client = _Client(connection, self._capacity, self._lock, may_change)
        with self._lock:
            self._clients[client.descriptor] = client
            if self._standing:
                client.put(self._standing)
        self._send(client)

    def _serve_client(self, client: "_Client", events: int) -> bool:
        """Handle one line of requests at most; returns whether there was one."""
        if client.finished and events & select.POLLHUP:
            self._drop(client)  # nobody is left to read the answers
            return False
        line = client.receive() if events & ~select.POLLOUT and not client.finished else b""
        if asked := bool(line.strip()):
            self._answer(client, line)
        self._send(client)
        return asked

    def _answer(self, client: "_Client", line: bytes) -> None:
        identity: Reply = {}

        def reply(answer: Reply, data: bytes = b"") -> None:
            reply_line = _reply_line(identity | answer | ({"bytes": len(data)} if data else {}))
            with self._lock:
                if data:
                    client.pictures.append(reply_line + data)
                else:
                    client.put(reply_line, spare=1)
                client.unanswered -= 1
                self._unsent.add(client)
            os.eventfd_write(self._bell, 1)

        with self._lock:
            client.unanswered += 1
        try:
            request = parse_request(line)
            identity = {"reply": request["request"]} | ({"id": request["id"]} if "id" in request else {})
            check_allowed(request, client.peer)
            if request["request"] in WITH_DATA:
                self._check_room(client)
            self._handle(request, reply, client.peer)
        except RequestError as error:
            if identity and not client.peer.may_change:
                self._complain(f"{client.peer.name} (uid {client.peer.uid}) is refused: {error}")
            reply(error.identity | {"error": str(error)})
        except EdgeError as error:
            reply({"error": str(error)})
        except Exception as error:  # a fault of the handler must not end the thread
            reply({"error": f"{type(error).__name__}: {error}"})

    def _check_room(self, client: "_Client") -> None:
        """Refuse a picture while others wait: a client that asks and does not read must not fill the memory."""
        with self._lock:
            busy = sum(one.has_pictures for one in self._clients.values())
            if len(client.pictures) >= _MOST_PICTURES or (not client.has_pictures and busy >= _MOST_WITH_DATA):
                raise RequestError("pictures wait to be read already; ask again when they have come")

    def _send(self, client: "_Client") -> None:
        """Send what the connection takes now; drop a client that is gone or needs nothing more."""
        if self._clients.get(client.descriptor) is not client:
            return  # it was dropped before
        if client.send_on() and not client.is_served:
            self._poll.register(client.descriptor, client.events)
        else:
            self._drop(client)

    def _drop(self, client: "_Client") -> None:
        with self._lock:
            del self._clients[client.descriptor]
            self._dropped_by_gone += client.dropped
        self._poll.unregister(client.descriptor)
        client.connection.close()


class _Client:
    """One connection: the lines that wait to be sent, and the part of a request that was received."""

    def __init__(self, connection: socket.socket, capacity: int, lock: threading.Lock, may_change: bool) -> None:
        self.connection, self.descriptor = connection, connection.fileno()
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        pid, uid, _ = _CREDENTIALS.unpack(credentials)
        self.peer = Peer(uid, pid, may_change)
        self.dropped = 0
        self.unanswered = 0
        """Requests that were received and not answered yet."""
        self.finished = False
        """Whether it has closed its side, or sent a line that is too long: nothing more is received."""
        self._capacity, self._lock = capacity, lock
        self._lines: deque[bytes] = deque()
        self._untold = 0  # dropped lines that the client was not told about yet
        self.pictures: deque[bytes] = deque(maxlen=_MOST_PICTURES)
        """Answers with the bytes of pictures behind them: few, since they are large."""
        self._draws = False  # whether one of them is being sent
        self._sending = memoryview(b"")  # the rest of a line that was sent in part
        self._received = b""  # the beginning of a line that has not ended yet

    @property
    def _waits(self) -> bool:
        return bool(self._sending or self._lines or self.pictures)

    @property
    def has_pictures(self) -> bool:
        """Whether pictures wait to be sent, or one is being sent."""
        return bool(self.pictures) or self._draws

    @property
    def is_served(self) -> bool:
        """Whether it sends no more requests and has all its answers."""
        return self.finished and not self.unanswered and not self._waits

    @property
    def events(self) -> int:
        """Events to poll for; 0 if its side is closed and an answer is being prepared."""
        return (0 if self.finished else select.POLLIN) | (select.POLLOUT if self._waits else 0)

    def put(self, line: bytes, spare: int = 0) -> None:
        """Add a line to the queue, which may hold `spare` lines more than its capacity. The caller holds the lock."""
        if len(self._lines) >= self._capacity + spare:
            self._lines.popleft()
            self.dropped += 1
            self._untold += 1
        self._lines.append(line)

    def send_on(self) -> bool:
        """Send what the connection takes now; False if the client is gone."""
        while self._waits:
            if not self._sending:
                with self._lock:
                    untold, self._untold = self._untold, 0
                    self._sending = memoryview(as_line({"dropped": untold}) if untold else self._next())
            try:
                self._sending = self._sending[self.connection.send(self._sending) :]
            except BlockingIOError:
                return True
            except OSError:
                return False
            self._draws = self._draws and bool(self._sending)
        return True

    def _next(self) -> bytes:
        """The line to send next, pictures last. The caller holds the lock."""
        if self._lines:
            return self._lines.popleft()
        self._draws = True
        return self.pictures.popleft()

    def receive(self) -> bytes:
        """The next complete line, or the beginning of a line that is too long; empty if there is none.

        The end of the stream also ends a line. Bytes after a line stay in the socket: a client that floods fills its
        own socket, and gets one turn like every other client.
        """
        try:
            seen = self.connection.recv(LONGEST_LINE + 1, socket.MSG_PEEK)
            taken = self.connection.recv(seen.find(b"\n") + 1 or len(seen)) if seen else b""
        except BlockingIOError:
            return b""
        except OSError:
            taken = b""
        line, end, _ = (self._received + taken).partition(b"\n")
        self.finished = not taken or len(line) > LONGEST_LINE
        is_whole = end or self.finished
        self._received = b"" if is_whole else line
        return line if is_whole else b""


def _reply_line(reply: Reply) -> bytes:
    """A reply as a line; a reply that cannot be written as JSON becomes an error.

    >>> _reply_line({"reply": "status", "status": {"last": "\\ud800"}})
    b'{"error":"the answer cannot be written as JSON"}\\n'
    """
    try:
        return as_line(reply)
    except (TypeError, ValueError):
        return as_line({"error": "the answer cannot be written as JSON"})


def _group_of_listeners() -> int | None:
    """The group `LISTENERS`; None where the service does not belong to it."""
    try:
        group = grp.getgrnam(LISTENERS).gr_gid
    except KeyError:
        return None
    return group if group in os.getgroups() else None


def _listen(path: Path, group: int | None = None) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_dead(path)
        listener.bind(str(path))
        if group is not None:
            os.chown(path, -1, group)
        path.chmod(0o660)
        listener.listen(64)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        fault = f"the socket cannot be made ({error.strerror or error}); set publish.socket to another path"
        raise PublishError(f"{printable(str(path))}: {fault}") from error
    return listener


def _remove_dead(path: Path) -> None:
    """Remove the socket of a service that has ended; nothing else is removed.

    Raises:
        OSError: a service answers there, or the path is not a socket.
    """
    if not os.path.lexists(path):
        return
    if not stat.S_ISSOCK(path.lstat().st_mode):
        raise FileExistsError(errno.EEXIST, "there is something else")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.5)
        code = probe.connect_ex(str(path))
    if code != errno.ECONNREFUSED:
        raise OSError(code or errno.EADDRINUSE, os.strerror(code) if code else "another service answers there")
    path.unlink()
