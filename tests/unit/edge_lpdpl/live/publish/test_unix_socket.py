"""The Unix socket: what clients get, who they are, and where it is."""

import contextlib
import json
import os
import pwd
import socket
import stat
import threading
import time

import pytest
from service_bench import wait_until
from socket_clients import CAPACITY, connect, publish

from edge_lpdpl.errors import PublishError, ServiceError
from edge_lpdpl.live.client import Client
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.place import listen_path, socket_path
from edge_lpdpl.live.publish.publisher import open_publishers
from edge_lpdpl.live.publish.requests import LONGEST_LINE, REQUESTS, Peer
from edge_lpdpl.live.publish.unix_socket import SocketPublisher


def test_every_client_gets_every_message_and_a_late_one_the_standing_decision(publisher):
    with Client(publisher.path) as first, Client(publisher.path) as second:
        wait_until(lambda: len(publisher._clients) == 2)
        for number in range(3):
            publish(publisher, {"number": number})
        for client in (first, second):
            lines = client.lines(5)
            assert [next(lines)["number"] for _ in range(3)] == [0, 1, 2]
        with Client(publisher.path) as late:
            assert next(late.lines(5)) == {"number": 2}


def test_only_the_group_may_connect(publisher):
    for path in (publisher.path, listen_path(publisher.path)):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o660


class TestListeners:
    def test_they_get_every_message_and_the_status(self, publisher):
        with Client(listen_path(publisher.path)) as listener:
            wait_until(lambda: publisher._clients)
            publish(publisher, {"number": 1})
            assert next(listener.lines(5)) == {"number": 1}
            assert listener.ask({"request": "status"})["status"] == {"fine": True}

    @pytest.mark.parametrize("name", sorted({*REQUESTS} - {"status"}))
    def test_they_may_ask_for_nothing_else_and_the_journal_says_who_did(self, name, tmp_path):
        asked, complaints = [], []
        publisher = SocketPublisher(
            tmp_path / "a.sock", CAPACITY, lambda *given: asked.append(given), complaints.append
        )
        with (
            Client(tmp_path / "a-listen.sock") as listener,
            pytest.raises(ServiceError, match=f"{name} is not for listeners; join the group edge-lpdpl and log in"),
        ):
            listener.ask({"request": name})
        publisher.close()
        assert not asked
        user = f"{pwd.getpwuid(os.getuid()).pw_name} (uid {os.getuid()})"
        assert complaints == [
            f"{user} is refused: {name} is not for listeners; join the group edge-lpdpl and log in again"
        ]
        assert not list(tmp_path.iterdir())

    def test_they_cannot_keep_the_others_out(self, tmp_path, monkeypatch):
        monkeypatch.setattr("edge_lpdpl.live.publish.unix_socket.resource.getrlimit", lambda _: (8, 8))
        publisher = SocketPublisher(tmp_path / "few", CAPACITY, lambda request, reply, peer: reply({"status": {}}))
        with contextlib.ExitStack() as opened:
            for _ in range(10):
                connection = opened.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                connection.connect(str(listen_path(publisher.path)))
            wait_until(lambda: len(publisher._clients) == 2)
            others = [opened.enter_context(Client(publisher.path)) for _ in range(2)]
            for client in others:
                assert client.ask({"request": "status"})["reply"] == "status"
        publisher.close()

    def test_a_socket_that_cannot_be_made_leaves_none(self, tmp_path):
        (tmp_path / "s-listen").touch()
        with pytest.raises(PublishError, match=r"s-listen: the socket cannot be made \(there is something else\)"):
            SocketPublisher(tmp_path / "s", CAPACITY, lambda *_: None)
        assert [path.name for path in tmp_path.iterdir()] == ["s-listen"]


def test_the_handler_learns_who_asks_from_the_kernel(tmp_path):
    asked = []

    def handle(request, reply, peer):
        asked.append(peer)
        reply({"status": {}})

    publisher = SocketPublisher(tmp_path / "s", CAPACITY, handle)
    with Client(publisher.path) as client:
        client.ask({"request": "status"})
    publisher.close()
    assert asked == [Peer(os.getuid(), os.getpid())]


def test_a_request_is_answered_with_its_identity_and_a_refusal_with_its_reason(publisher):
    with Client(publisher.path) as client:
        answer = client.ask({"request": "status", "id": "a"})
        assert answer == {"reply": "status", "id": "a", "status": {"fine": True}}
        with pytest.raises(ServiceError, match="not now"):
            client.ask({"request": "set", "set": {"trigger.kind": "change"}})


def test_a_request_that_cannot_be_parsed_is_answered_with_its_id(publisher):
    with connect(publisher) as connection:
        connection.sendall(b'{"request": "status", "id": 7, "extra": 1}\n')
        answer = json.loads(connection.makefile().readline())
        assert answer == {"id": 7, "error": "status takes id only"}


@pytest.mark.parametrize(
    ("identity", "error"),
    [("half a pair", "the answer cannot be written as JSON"), ("a fault", "KeyError: 'no such figure'")],
)
def test_an_answer_that_fails_is_an_error_for_its_client_alone(publisher, identity, error):
    with Client(publisher.path) as client:
        with pytest.raises(ServiceError, match=error):
            client.ask({"request": "status", "id": identity})
        assert client.ask({"request": "status"})["status"] == {"fine": True}


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize(("line", "answer"), [(b'{"request": "status"}', "reply"), (b'{"request": "sta', "error")])
def test_a_client_that_closes_its_side_after_a_request_gets_the_answer(publisher, line, answer, end):
    """The end of the stream also ends its last line."""
    with connect(publisher) as connection:
        connection.sendall(line + end)
        connection.shutdown(socket.SHUT_WR)
        (got,) = connection.makefile().readlines()
        assert answer in json.loads(got)


def test_a_client_that_closes_its_side_waits_for_a_slow_answer(tmp_path):
    replies = []
    publisher = SocketPublisher(tmp_path / "later", CAPACITY, lambda request, reply, peer: replies.append(reply))
    with connect(publisher) as connection:
        connection.sendall(b'{"request": "set", "set": {"trigger.kind": "interval"}}\n{"request": "status"}\n')
        connection.shutdown(socket.SHUT_WR)
        wait_until(lambda: len(replies) == 2)
        (client,) = publisher._clients.values()
        wait_until(lambda: client.finished)  # the thread has seen that its side is closed
        publish(publisher, {"number": 1})
        for number, reply in enumerate(replies):
            reply({"ok": number})
        assert connection.makefile().readlines() == ['{"reply":"set","ok":0}\n', '{"reply":"status","ok":1}\n']
    wait_until(lambda: len(publisher._clients) == 0)
    publisher.close()


def test_who_goes_away_before_the_answer_is_dropped_and_the_answer_harms_nobody(tmp_path):
    replies = []
    publisher = SocketPublisher(tmp_path / "later", CAPACITY, lambda request, reply, peer: replies.append(reply))
    with connect(publisher) as connection:
        connection.sendall(b'{"request": "set", "set": {"trigger.kind": "interval"}}\n')
    wait_until(lambda: replies and not publisher._clients)
    replies[0]({"ok": True})
    with connect(publisher) as connection:
        publish(publisher, {"number": 1})
        assert connection.makefile().readline() == '{"number": 1}\n'
    publisher.close()


@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_request_that_is_too_long_is_refused_and_cut_off(publisher, end):
    with connect(publisher) as connection:
        padding = b" " * (LONGEST_LINE - len(b'{"request": "status"}'))
        connection.sendall(b'{"request": "status"}' + padding + b"\n")  # as long as allowed
        answers = connection.makefile()
        assert json.loads(answers.readline())["reply"] == "status"
        connection.sendall(b'{"request": "status"}' + padding + b" " + end)
        assert json.loads(answers.readline())["error"] == "is longer than 4096 bytes, and no request"
        with contextlib.suppress(ConnectionResetError):  # if some bytes were not received
            assert answers.readline() == ""
    wait_until(lambda: len(publisher._clients) == 0)


def test_a_request_may_come_in_pieces_and_with_the_next_one(publisher):
    with connect(publisher) as connection:
        answers = connection.makefile()
        for piece in (b'{"request": "sta', b'tus", "id": 1}', b'\n{"request": "status", "id": 2}\n{"request": "st'):
            connection.sendall(piece)
            time.sleep(0.02)
        connection.sendall(b'atus", "id": 3}\n')
        assert [json.loads(answers.readline())["id"] for _ in range(3)] == [1, 2, 3]


HALF_A_PAIR = b'{"request": "status", "id": "\\ud800"}'


@pytest.mark.parametrize(
    "line",
    [b"status", b"[]", b"{}", b'{"request": "stop"}', b"\xff\xfe", b"[" * 4000, b"1e999", HALF_A_PAIR],
)
def test_nonsense_is_answered_and_the_connection_stays(publisher, line):
    with connect(publisher) as connection:
        answers = connection.makefile()
        connection.sendall(line + b'\n\n{"request": "status"}\n')
        assert "request" in json.loads(answers.readline())["error"]
        assert json.loads(answers.readline())["reply"] == "status"


def test_a_line_without_an_end_is_cut_off(publisher):
    with connect(publisher) as connection:
        with pytest.raises(OSError):  # broken pipe or connection reset
            connection.sendall(b"x" * LONGEST_LINE * 1000)
        wait_until(lambda: len(publisher._clients) == 0)


def test_replies_and_decisions_come_in_the_order_in_which_they_were_made(tmp_path):
    def handle(request, reply, peer):
        for number in range(CAPACITY - 1):
            if number == 1:
                reply({"ok": True})
            publisher.publish({}, b'{"number": %d}\n' % number)

    publisher = SocketPublisher(tmp_path / "order", CAPACITY, handle)
    with connect(publisher) as connection:
        connection.sendall(b'{"request": "recognise"}\n')
        answers = connection.makefile()
        got = [json.loads(answers.readline()) for _ in range(CAPACITY)]
    assert got == [{"number": 0}, {"reply": "recognise", "ok": True}, {"number": 1}, {"number": 2}]
    publisher.close()


def test_decisions_wait_for_an_answer_and_dropped_ones_are_reported(tmp_path):
    begun, end = threading.Event(), threading.Event()

    def handle(request, reply, peer):
        begun.set()
        end.wait(20)
        reply({"status": {}})

    publisher = SocketPublisher(tmp_path / "slow", CAPACITY, handle)
    with Client(publisher.path) as client, connect(publisher) as asking:
        wait_until(lambda: len(publisher._clients) == 2)
        asking.sendall(b'{"request": "status"}\n')
        assert begun.wait(5)
        for number in range(CAPACITY + 6):
            publisher.publish({}, b'{"number": %d}\n' % number)
        end.set()
        lines = client.lines(5)
        assert next(lines) == {"dropped": 6}
        assert [next(lines)["number"] for _ in range(CAPACITY)] == list(range(6, 6 + CAPACITY))
        assert publisher.dropped == 12  # of each client
    publisher.close()


def test_the_socket_of_a_dead_service_is_replaced_but_not_of_a_running_one(tmp_path, publisher):
    with pytest.raises(PublishError, match=r"another service answers there.; set publish\.socket"):
        SocketPublisher(publisher.path, CAPACITY, lambda *_: None)
    with Client(publisher.path) as client:
        client.ask({"request": "status"})
    dead = tmp_path / "dead"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(str(dead))
    SocketPublisher(dead, CAPACITY, lambda *_: None).close()
    assert not dead.exists()


def test_a_socket_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "none" / "s", tmp_path / ("x" * 200)):
        with pytest.raises(PublishError, match="the socket cannot be made"):
            SocketPublisher(path, CAPACITY, lambda *_: None)
    assert (tmp_path / "file").exists()


@pytest.mark.parametrize(
    ("setting", "environment", "path"),
    [
        ("auto", {"RUNTIME_DIRECTORY": "/run/a:/run/b", "XDG_RUNTIME_DIR": "/u"}, "/run/a/edge-lpdpl.sock"),
        ("auto", {"XDG_RUNTIME_DIR": "/u"}, "/u/edge-lpdpl.sock"),
        ("auto", {}, None),
        ("", {"RUNTIME_DIRECTORY": "/run/a"}, None),
        ("/tmp/x", {}, "/tmp/x"),
    ],
)
def test_where_the_socket_is(setting, environment, path):
    assert (None if path is None else path) == (str(found) if (found := socket_path(setting, environment)) else None)


def test_nobody_answers(tmp_path):
    with pytest.raises(ServiceError, match=r"nobody answers \(No such file or directory\); is the service running"):
        Client(tmp_path / "none")


class TestPictures:
    """Answers with bytes behind them."""

    SIZE = 1 << 20  # more than a socket takes at once

    @pytest.fixture
    def pictures(self, tmp_path):
        def handle(request, reply, peer):
            reply({"width": 1}, bytes(self.SIZE) if request["request"] == "watch" else b"")

        publisher = SocketPublisher(tmp_path / "pictures", CAPACITY, handle)
        yield publisher
        publisher.close()

    def test_the_bytes_come_behind_their_line_and_other_lines_after_them(self, pictures):
        with connect(pictures) as connection:
            connection.sendall(b'{"request": "watch", "id": 1}\n')
            answers = connection.makefile("rb")
            assert json.loads(answers.readline()) == {"reply": "watch", "id": 1, "width": 1, "bytes": self.SIZE}
            publish(pictures, {"number": 1})
            assert answers.read(self.SIZE) == bytes(self.SIZE)
            assert json.loads(answers.readline()) == {"number": 1}

    def test_who_does_not_read_gets_few_pictures(self, pictures):
        with connect(pictures) as connection:
            connection.sendall(b'{"request": "watch"}\n')
            wait_until(lambda: any(one.has_pictures for one in pictures._clients.values()))
            connection.sendall(b'{"request": "watch"}\n' * 3)
            wait_until(lambda: any(one._lines for one in pictures._clients.values()))
            answers = connection.makefile("rb")
            answers.readline(), answers.read(self.SIZE)
            assert "pictures wait to be read" in json.loads(answers.readline())["error"]
            for _ in range(2):
                assert json.loads(answers.readline())["bytes"] == self.SIZE
                answers.read(self.SIZE)
            connection.sendall(b'{"request": "watch"}\n')
            assert json.loads(answers.readline())["bytes"] == self.SIZE

    def test_pictures_wait_for_few_clients_at_a_time(self, pictures):
        with contextlib.ExitStack() as opened:
            for number in range(8):
                opened.enter_context(connect(pictures)).sendall(b'{"request": "watch"}\n')
                wait_until(lambda n=number: sum(one.has_pictures for one in pictures._clients.values()) == n + 1)
            with connect(pictures) as late:
                late.sendall(b'{"request": "watch"}\n')
                assert "error" in json.loads(late.makefile("rb").readline())
        wait_until(lambda: not pictures._clients)
        with connect(pictures) as next_one:
            next_one.sendall(b'{"request": "watch"}\n')
            assert json.loads(next_one.makefile("rb").readline())["bytes"] == self.SIZE


def test_without_a_folder_for_it_there_is_no_socket_and_that_is_said(monkeypatch):
    for name in ("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    said = []
    quiet = {"publish": {"stdout": False}}
    assert open_publishers(load_config((), quiet), lambda request, reply: None, said.append) == []
    (line,) = said
    assert line.startswith("no socket, because this user has no folder for one")
    assert open_publishers(load_config((), {"publish": {"stdout": False, "socket": ""}}), print, said.append) == []
    assert len(said) == 1
