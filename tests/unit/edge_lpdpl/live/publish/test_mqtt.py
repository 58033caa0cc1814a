"""MQTT without a broker: nothing waits, and what cannot be sent is counted. tests/lanes/mqtt has a broker."""

import contextlib
import socket
import sys
import threading
import time

import pytest

from edge_lpdpl.errors import PublishError
from edge_lpdpl.live.broker.credentials import read_password
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.publish.mqtt import MqttPublisher

pytestmark = pytest.mark.slow

QUEUE = 8
NOTHING = {"time": "now", "trigger": "change", "numbers": []}


def settings(**values):
    return load_config((), {"mqtt": {"host": "127.0.0.1", **values}}).mqtt


@pytest.fixture
def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("silent", [False, True])
def test_a_missing_or_silent_broker_delays_nothing(silent, free_port):
    """A silent broker accepts the connection and sends nothing, like a router without power."""
    with socket.socket() as listener:
        if silent:
            listener.bind(("127.0.0.1", free_port))
            listener.listen()
        publisher = MqttPublisher(settings(port=free_port), QUEUE)
        times = []
        for _ in range(10 * QUEUE):
            start = time.perf_counter()
            publisher.publish(NOTHING, b"{}\n")
            times.append(time.perf_counter() - start)
        assert sorted(times)[-QUEUE] < 0.01
        assert 9 * QUEUE - 1 <= publisher.dropped <= 9 * QUEUE
        start = time.monotonic()
        publisher.close()
        assert time.monotonic() - start < 5


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "paho.mqtt", None)
    with pytest.raises(PublishError, match=r"MQTT needs .*: pip install -e '\.\[mqtt\]' in the project's folder$"):
        MqttPublisher(settings(), QUEUE)


class ForbiddingBroker:
    """A broker that accepts every client, and closes the connection after a message, unacknowledged."""

    def __init__(self):
        self.heard = []
        """The bytes of each connection."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self._listener.close()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection, contextlib.suppress(OSError):
                    connection.recv(1 << 16)
                    connection.sendall(b"\x20\x02\x00\x00")
                    self.heard.append(self._all_of(connection))

    def _all_of(self, connection):
        """The bytes that arrive until none arrive for a moment."""
        connection.settimeout(0.05)
        heard = b""
        with contextlib.suppress(TimeoutError):
            while more := connection.recv(1 << 16):
                heard += more
        return heard


def test_a_broker_that_refuses_is_not_sent_more_each_time(monkeypatch):
    """Unacknowledged messages must not pile up: the client reconnects for as long as the service runs."""
    monkeypatch.setattr("edge_lpdpl.live.publish.mqtt._FIRST_PAUSE", 0.01)
    with contextlib.closing(ForbiddingBroker()) as broker:
        publisher = MqttPublisher(settings(port=broker.port), QUEUE)
        publisher.publish(NOTHING, b'{"number": 1}\n')
        end = time.monotonic() + 20
        while len(broker.heard) < 6 and time.monotonic() < end:
            time.sleep(0.01)
        connections = broker.heard[:6]
        publisher.close()
    for word, times in ((b"online", 1), (b"unique_id", 5), (b'{"number": 1}', 1)):
        assert max(heard.count(word) for heard in connections) == times


def test_the_password_is_in_a_file_or_among_the_credentials(tmp_path):
    (tmp_path / "secret").write_bytes("pässword\r\n".encode())
    assert read_password(str(tmp_path / "secret"), {}) == "pässword"
    assert read_password("secret", {"CREDENTIALS_DIRECTORY": str(tmp_path)}) == "pässword"
    assert read_password("", {}) is None
    (tmp_path / "binary").write_bytes(b"\xff")
    for name, wrong in (("none", "cannot be opened"), ("binary", "the password is not UTF-8")):
        with pytest.raises(PublishError, match=f"{name}: {wrong}") as error:
            read_password(str(tmp_path / name), {})
        assert "\xff" not in str(error.value)
