"""systemd's notification protocol, as a service manager receives it."""

import os
import socket
import time
from pathlib import Path

import pytest
from deadline import within

from edge_lpdpl.live.notify import Notifier


@pytest.fixture
def manager(tmp_path: Path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as received:
        received.bind(str(tmp_path / "notify"))
        received.settimeout(5)
        yield received


def test_each_state_is_one_datagram_of_assignments(manager):
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname()})
    notifier.status("warming up")
    notifier.ready("30.0 fps")
    notifier.feed_watchdog()
    before = time.monotonic_ns() // 1000
    notifier.reloading()
    notifier.stopping()
    notifier.close()
    notifier.feed_watchdog()  # nothing is sent after the end
    datagrams = [manager.recv(1000).decode() for _ in range(5)]
    assert datagrams[:3] == ["STATUS=warming up", "READY=1\nSTATUS=30.0 fps", "WATCHDOG=1"]
    flag, stamp, _ = datagrams[3].split("\n")
    assert flag == "RELOADING=1"
    assert before <= int(stamp.removeprefix("MONOTONIC_USEC=")) <= time.monotonic_ns() // 1000
    assert datagrams[4] == "STOPPING=1\nSTATUS=stopping"
    manager.setblocking(False)
    with pytest.raises(BlockingIOError):
        manager.recv(1)


def test_an_abstract_socket_begins_with_an_at_sign():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as received:
        received.bind(f"\0edge-lpdpl-{os.getpid()}")
        Notifier({"NOTIFY_SOCKET": f"@edge-lpdpl-{os.getpid()}"}).feed_watchdog()
        assert received.recv(100) == b"WATCHDOG=1"


def test_a_manager_that_does_not_read_or_is_gone_stops_nobody(manager):
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname()})
    with within(20):
        for _ in range(2000):  # more than the buffer of a socket
            notifier.feed_watchdog()
    manager.close()
    notifier.ready("nobody hears")
    for address in ("", "relative", "/nowhere/at/all"):
        Notifier({"NOTIFY_SOCKET": address}).ready("nobody hears")


@pytest.mark.parametrize(
    ("environment", "seconds"),
    [
        ({"WATCHDOG_USEC": "10000000"}, 10),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": str(os.getpid())}, 10),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_watchdog_is_for_the_process_that_it_names(environment, seconds):
    assert Notifier(environment).watchdog_seconds == seconds
