"""Slow, dead, hostile or many clients at the Unix socket never delay the loop of the service, nor each other."""

import json
import threading
import time

import pytest
from service_bench import wait_until
from socket_clients import CAPACITY, connect, publish

from edge_lpdpl.live.client import Client
from edge_lpdpl.live.publish.unix_socket import SocketPublisher


def test_a_client_that_does_not_read_loses_messages_and_learns_how_many(publisher):
    with connect(publisher) as slow, Client(publisher.path) as quick:
        wait_until(lambda: len(publisher._clients) == 2)
        lines, sent = quick.lines(5), 0
        while publisher.dropped < 5:
            publish(publisher, {"number": sent, "filling": "x" * 4000})
            assert next(lines)["number"] == sent  # the other client misses nothing
            sent += 1
        answers, got, told = slow.makefile(), [], 0
        while not got or got[-1] < sent - 1:
            line = json.loads(answers.readline())
            told += line.get("dropped", 0)
            got += [line["number"]] if "number" in line else []
        assert told == publisher.dropped
        assert len(got) + told == sent
        assert got == sorted(got)


def test_lost_messages_of_a_client_stay_counted_after_it_leaves(publisher):
    with connect(publisher):
        wait_until(lambda: len(publisher._clients) == 1)
        while publisher.dropped < 5:
            publish(publisher, {"filling": "x" * 4000})
        dropped = publisher.dropped
    publish(publisher, {"number": 1})  # now at the latest the client is known to be gone
    wait_until(lambda: len(publisher._clients) == 0)
    assert publisher.dropped >= dropped


def test_clients_leave_half_of_the_file_descriptors_to_everything_else(tmp_path, monkeypatch):
    monkeypatch.setattr("edge_lpdpl.live.publish.unix_socket.resource.getrlimit", lambda _: (6, 6))
    publisher = SocketPublisher(tmp_path / "few", CAPACITY, lambda request, reply, peer: reply({"status": {}}))
    connections = [connect(publisher) for _ in range(3)]
    wait_until(lambda: len(publisher._clients) == 3)
    with connect(publisher) as one_too_many:
        assert one_too_many.recv(1) == b""
    for connection in connections:
        connection.sendall(b'{"request": "status"}\n')
        assert json.loads(connection.makefile().readline())["reply"] == "status"
    connections.pop().close()
    wait_until(lambda: len(publisher._clients) == 2)
    with Client(publisher.path) as client:  # there is room again
        assert client.ask({"request": "status"})["reply"] == "status"
    for connection in connections:
        connection.close()
    publisher.close()


def test_publishing_never_waits_though_nobody_reads_and_many_are_dead(publisher):
    connections = [connect(publisher) for _ in range(50)]
    wait_until(lambda: len(publisher._clients) == 50)
    for connection in connections[:25]:
        connection.close()
    times = []
    for number in range(500):
        start = time.perf_counter()
        publisher.publish({}, b'{"number": %d, "filling": "%s"}\n' % (number, b"x" * 2000))
        times.append(time.perf_counter() - start)
    assert sorted(times)[-20] < 0.005  # a send that waited for a client would never come back
    assert publisher.dropped > 0
    wait_until(lambda: len(publisher._clients) == 25)
    for connection in connections:
        connection.close()
    wait_until(lambda: len(publisher._clients) == 0)


@pytest.fixture
def flood(publisher):
    """A client that sends requests without end and reads nothing."""
    flooding = connect(publisher)
    flooding.setblocking(False)
    stop = threading.Event()

    def ask_on():
        while not stop.is_set():
            try:
                flooding.send(b'{"request": "status"}\n' * 200)
            except BlockingIOError:
                time.sleep(0.0001)
            except OSError:
                return

    thread = threading.Thread(target=ask_on, daemon=True)
    thread.start()
    yield
    stop.set()
    thread.join()
    flooding.close()


@pytest.mark.usefixtures("flood")
def test_a_client_that_floods_does_not_keep_others_from_their_answers(publisher):
    with Client(publisher.path) as client:
        for _ in range(5):
            assert client.ask({"request": "status"}, patience=10)["reply"] == "status"


@pytest.mark.usefixtures("flood")
def test_a_client_that_floods_does_not_keep_others_from_any_decision(publisher):
    with Client(publisher.path) as client:
        wait_until(lambda: len(publisher._clients) == 2)
        lines = client.lines(20)
        for number in range(100):
            publish(publisher, {"number": number})
            assert next(lines) == {"number": number}
    with Client(publisher.path) as late:
        assert next(late.lines(5)) == {"number": 99}
