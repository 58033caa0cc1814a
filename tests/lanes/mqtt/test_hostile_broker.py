"""Brokers of raw bytes attack the client: memory and time stay bounded, and an honest broker is served afterwards."""

import contextlib
import itertools
import json
import random
import socket
import threading
import time
from pathlib import Path

import pytest
from brokers import TOPIC, Broker, Subscriber, wait_until

from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.publish.mqtt import MqttPublisher

SECONDS = 2.0
"""How long each broker attacks."""
MOST_MEMORY = 16 << 20
MOST_PROCESSOR = 0.5  # of a core, for the thread of the client

HELLO = b"\x20\x02\x00\x00"
MEGABYTE = bytes(1 << 20)
LONGEST = b"\xff\xff\xff\x7f"  # 268,435,455 bytes

NOTHING = {"time": "now", "trigger": "change", "numbers": []}


def message(topic, payload=b"", first=0x31, number=b""):
    """A PUBLISH; as a rule one that was retained."""
    body = len(topic).to_bytes(2, "big") + topic + number + payload
    size, length = len(body), bytearray()
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    return bytes([first, *length, size]) + body


def numbered(first, payload):
    """Messages with every number in turn, which have to be acknowledged."""
    numbers = ((one % 65535 + 1).to_bytes(2, "big") for one in itertools.count())
    return (message(b"homeassistant/status", payload, first, number) for number in numbers)


def endless(*packets):
    return itertools.chain([HELLO], itertools.cycle(packets))


NOISE = random.Random(1).randbytes(1 << 16)
ONLINE = message(b"homeassistant/status", b"online")
ATTACKS = {
    "noise": lambda: [NOISE] * 100,
    "noise behind a greeting": lambda: [HELLO, NOISE],
    "a message of 256 MB": lambda: itertools.chain([HELLO, b"\x30" + LONGEST], itertools.repeat(MEGABYTE, 256)),
    "many messages of 1 MB": lambda: endless(message(b"homeassistant/status", MEGABYTE)),
    "a greeting of 256 MB": lambda: itertools.chain([b"\x20" + LONGEST], itertools.repeat(MEGABYTE, 256)),
    "a length that never ends": lambda: [HELLO, b"\x30" + b"\xff" * 1000],
    "a length that never comes": lambda: [HELLO, b"\x30\xff"],
    "a huge topic": lambda: endless(message(b"x" * 65535)),
    "retained messages without end": lambda: endless(message(b"homeassistant/status", b"x" * 20) * 100),
    "Home Assistant starts without end": lambda: endless(ONLINE * 100),
    "messages to acknowledge": lambda: itertools.chain([HELLO], numbered(0x33, b"x" * 60000)),
    "messages to acknowledge twice": lambda: itertools.chain([HELLO], numbered(0x35, b"x" * 60000)),
    "greetings without end": lambda: endless(HELLO * 100),
    "questions without end": lambda: endless(b"\xc0\x00" * 1000),
    "answers to nothing": lambda: endless(b"\x40\x02\x00\x07" * 100),
    "no text as a topic": lambda: endless(message(b"\xff\xfe\x00")),
    "silence": list,
    "a greeting and silence": lambda: [HELLO],
}
for kind in range(16):
    for body in (b"\x00", b"\x01\x00", b"\x02\xff\xff", b"\x03\x00\x01\x00"):
        ATTACKS[f"packet {kind:x} {body.hex()}"] = lambda kind=kind, body=body: [HELLO, bytes([kind << 4]) + body]
for code in (1, 2, 5, 6, 255):
    ATTACKS[f"refusal {code}"] = lambda code=code: [bytes([0x20, 2, 0, code])]
QUICK = [name for name in ATTACKS if name.startswith(("packet", "refusal"))]


class HostileBroker:
    """Answers every connection with the bytes of an attack, and reads nothing but the first packet."""

    def __init__(self, attack):
        self.connections = 0
        self._attack, self._open = attack, []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._closed = False
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self._closed = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        for one in (self._listener, *self._open):
            one.close()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                self._open.append(connection)
                threading.Thread(target=self._send, args=(connection,), daemon=True).start()

    def _send(self, connection):
        with contextlib.suppress(OSError):
            connection.recv(1 << 16)
            for data in self._attack():
                if self._closed:
                    return
                connection.sendall(data)


def memory():
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.fixture
def hasty(monkeypatch):
    """Reconnects at once."""
    monkeypatch.setattr("edge_lpdpl.live.publish.mqtt._FIRST_PAUSE", 0.05)
    monkeypatch.setattr("edge_lpdpl.live.publish.mqtt._LONGEST_PAUSE", 0.2)
    monkeypatch.setattr("edge_lpdpl.live.publish.mqtt._KEEPALIVE", 3)


def attacked(attack, seconds, tmp_path):
    """Let a broker attack, then stand an honest one in its place; what the attack has cost."""
    hostile = HostileBroker(attack)
    config = load_config((), {"mqtt": {"host": "127.0.0.1", "port": hostile.port, "topic": TOPIC}})
    complaints = []
    publisher = MqttPublisher(config.mqtt, 4, complaints.append)
    thread = publisher._client._thread
    clock = time.pthread_getcpuclockid(thread.ident)
    try:
        wait_until(lambda: hostile.connections)
        before, most, slowest, begin = memory(), 0, 0.0, time.monotonic()
        used = time.clock_gettime(clock)
        while time.monotonic() < begin + seconds:
            start = time.perf_counter()
            publisher.publish(NOTHING, b'{"number": 1}\n')
            slowest = max(slowest, time.perf_counter() - start)
            most = max(most, memory())
            time.sleep(0.01)
        used = (time.clock_gettime(clock) - used) / (time.monotonic() - begin)
        assert thread.is_alive()
        hostile.close()
        broker = Broker(tmp_path, port=hostile.port)
        try:
            subscriber = Subscriber(broker.port)
            publisher.publish(NOTHING, b'{"number": 2}\n')
            heard = subscriber.wait_for(f"{TOPIC}/state", lambda heard: b'{"number": 2}' in heard, 30)
            assert json.loads(heard[-1]) == {"number": 2}
            subscriber.close()
        finally:
            publisher.close()
            broker.stop()
    finally:
        hostile.close()
    assert len(complaints) < 5000
    return {"memory": most - before, "processor": used, "slowest": slowest, "refused": publisher.refused}


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", [name for name in ATTACKS if name not in QUICK])
def test_an_attack_costs_little_and_is_over_with_its_broker(name, tmp_path):
    cost = attacked(ATTACKS[name], SECONDS, tmp_path)
    print(f"\n{name}: {cost['memory'] >> 10} KB, {cost['processor']:.0%} of a core, {cost['refused']} refused", end="")
    assert cost["memory"] < MOST_MEMORY
    assert cost["processor"] < MOST_PROCESSOR
    assert cost["slowest"] < 0.5  # `publish` waits for no broker


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", QUICK)
def test_a_damaged_packet_ends_no_thread(name, tmp_path):
    attacked(ATTACKS[name], 0.2, tmp_path)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", ["many messages of 1 MB", "messages to acknowledge twice", "noise"])
def test_what_is_refused_is_counted(name, tmp_path):
    assert attacked(ATTACKS[name], SECONDS, tmp_path)["refused"] > 0
