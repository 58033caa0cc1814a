"""Actions happen at the decisions that they are for, and nothing that they meet delays the service."""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory
from service_bench import wait_until

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.live.actions.action import ActionPublisher
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.publish.message import as_line
from edge_lpdpl.live.publish.publisher import open_publishers

pytestmark = pytest.mark.slow


def decision(value, rejected=False):
    return {"numbers": [{"text": str(value), "value": value, "rejected": rejected}]}


class Server:
    """A web server that keeps what is posted, and answers with these statuses, the last one for ever."""

    def __init__(self, *statuses):
        self.bodies, self.paths, waiting = [], [], list(statuses) or [200]

        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler):  # noqa: N805
                self.paths.append(handler.path)
                self.bodies.append(json.loads(handler.rfile.read(int(handler.headers["Content-Length"]))))
                handler.send_response(waiting.pop(0) if len(waiting) > 1 else waiting[0])
                handler.end_headers()

            def log_message(handler, *_):  # noqa: N805
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}/api/webhook/x?y=1"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def server():
    opened = []

    def serve(*statuses):
        opened.append(Server(*statuses))
        return opened[-1]

    yield serve
    for one in opened:
        one.http.shutdown()
        one.http.server_close()


@contextmanager
def bad_server(behave):
    """A server that takes connections and then does `behave(connection)`; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        held = []

        def serve():
            while True:
                try:
                    held.append(listener.accept()[0])
                except OSError:
                    return
                threading.Thread(target=behave, args=(held[-1],), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        listener.shutdown(socket.SHUT_RDWR)
        for one in held:
            one.close()


def drip(connection):
    """A header that never ends, a byte every 50 ms: no single byte is late."""
    try:
        connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            connection.sendall(b"x")
            time.sleep(0.05)
    except OSError:
        pass


@pytest.fixture
def act():
    """A function that opens an action; what it complains of is in `complaints`."""
    opened = []

    def act(capacity=8, **settings):
        (action,) = load_config((), {"action": [settings]}).action
        complaints = []
        opened.append(ActionPublisher("action 1", action, capacity, complaints.append))
        opened[-1].complaints = complaints
        return opened[-1]

    yield act
    for one in opened:
        one.close()


def publish(publisher, *messages):
    for message in messages:
        publisher.publish(message, as_line(message))


class TestWebhook:
    def test_the_message_is_posted_where_the_condition_holds(self, act, server):
        hub = server()
        action = act(webhook=hub.address, when="number == 42")
        publish(action, decision(41), decision(42), decision(42, rejected=True), decision(42))
        wait_until(lambda: len(hub.bodies) == 2)
        action.close()
        assert hub.bodies == [decision(42)] * 2
        assert hub.paths == ["/api/webhook/x?y=1"] * 2
        assert (action.dropped, action.complaints) == (0, [])

    def test_what_fails_is_tried_again(self, act, server):
        hub = server(500, 503, 204)
        action = act(webhook=hub.address)
        publish(action, decision(1), decision(2))
        wait_until(lambda: len(hub.bodies) == 4)
        assert hub.bodies == [*[decision(1)] * 3, decision(2)]
        assert (action.dropped, action.complaints) == (0, [])

    @pytest.mark.parametrize(("status", "location"), [(404, ""), (302, "")])
    def test_after_its_time_a_decision_is_given_up_and_complained_of(self, act, server, status, location):
        hub = server(status)
        action = act(webhook=hub.address, within_s=1.4)  # a pause of 0.5 s fits in, and none of 1 s after it
        publish(action, decision(1))
        wait_until(lambda: action.complaints)
        fault = f"127.0.0.1 answers with status {status}"
        assert action.complaints == [f"action 1: given up for a decision: {fault}"]
        assert action.dropped == 1
        assert len(hub.bodies) == 2

    @pytest.mark.parametrize("behave", [lambda connection: None, drip], ids=["silent", "dripping"])
    def test_a_server_that_hangs_delays_nobody(self, act, behave):
        with bad_server(behave) as address:
            action = act(capacity=3, webhook=address, timeout_s=0.3, within_s=1.0)
            start = time.perf_counter()
            publish(action, *[decision(1)] * 1000)
            assert time.perf_counter() - start < 0.5  # 3 ms of each would be 3 s
            wait_until(lambda: action.complaints)
            assert action.complaints[0] == "action 1: given up for a decision: 127.0.0.1 did not answer within 0.3 s"
            wait_until(lambda: action.dropped == 1000)
            assert action.complaints[-1] == "action 1: given up for a decision: those before it took too long"
        assert threading.active_count() < 30

    def test_a_hanging_server_does_not_delay_the_end(self, act):
        with bad_server(drip) as address:
            action = act(webhook=address, timeout_s=300)
            publish(action, decision(1))
            start = time.monotonic()
            action.close()
            assert time.monotonic() - start < 2

    def test_a_server_that_is_no_web_server(self, act):
        with bad_server(lambda connection: connection.sendall(b"SSH-2.0-OpenSSH\r\n" * 9)) as address:
            action = act(webhook=address, within_s=0.1)
            publish(action, decision(1))
            wait_until(lambda: action.complaints)
            assert "127.0.0.1: SSH-2.0-OpenSSH" in action.complaints[0]

    def test_nobody_there_and_the_secret_in_the_address_is_not_told(self, act):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        action = act(webhook=f"http://127.0.0.1:{port}/api/webhook/SECRET", within_s=0.1)
        publish(action, decision(1))
        wait_until(lambda: action.complaints)
        assert action.complaints == ["action 1: given up for a decision: 127.0.0.1: Connection refused"]

    def test_a_certificate_is_checked(self, act, server, tmp_path, monkeypatch):
        if shutil.which("openssl") is None:
            pytest.skip("makes a certificate with openssl, which is not installed")
        key, certificate = tmp_path / "key", tmp_path / "certificate"
        order = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        order += ["-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=hub"]
        subprocess.run([*order, "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        hub = server()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        hub.http.socket = context.wrap_socket(hub.http.socket, server_side=True)
        address = hub.address.replace("http:", "https:")
        stranger = act(webhook=address, within_s=0.1)
        publish(stranger, decision(1))
        wait_until(lambda: stranger.complaints)
        assert "CERTIFICATE_VERIFY_FAILED" in stranger.complaints[0].replace(" ", "_").upper()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        trusted = act(webhook=address)
        publish(trusted, decision(2))
        wait_until(lambda: hub.bodies == [decision(2)])


class TestCommand:
    def test_it_gets_the_message_and_its_words_as_they_are(self, act, tmp_path):
        script = "import sys; open(sys.argv[1], 'w').write(sys.argv[2] + sys.stdin.read())"
        action = act(command=[sys.executable, "-c", script, str(tmp_path / "out"), "$HOME; *"])
        publish(action, decision(42))
        wait_until(lambda: (tmp_path / "out").exists() and (tmp_path / "out").read_text().endswith("\n"))
        assert (tmp_path / "out").read_text() == "$HOME; *" + as_line(decision(42)).decode()
        assert action.dropped == 0

    def test_its_output_is_not_that_of_the_service(self, act, capfd):
        action = act(command=["/bin/echo", "not a message"])
        publish(action, decision(1))
        action.close()
        assert capfd.readouterr().out == ""

    def test_one_that_hangs_is_killed_with_what_it_has_started(self, act, tmp_path):
        pids = tmp_path / "pids"
        script = f"sleep 600 & echo $! $$ > {pids}; wait"
        action = act(command=["/bin/sh", "-c", script], timeout_s=0.5, within_s=0.4)
        publish(action, decision(1))
        wait_until(lambda: action.complaints)
        assert action.complaints == ["action 1: given up for a decision: /bin/sh took longer than 0.5 s and was ended"]
        wait_until(lambda: not any(is_running(pid) for pid in pids.read_text().split()))

    def test_one_that_hangs_ends_with_the_service(self, act, tmp_path):
        pids = tmp_path / "pids"
        action = act(command=["/bin/sh", "-c", f"echo $$ > {pids}; exec sleep 600"], timeout_s=300)
        publish(action, decision(1))
        wait_until(lambda: pids.exists() and pids.read_text().strip())
        start = time.monotonic()
        action.close()
        assert time.monotonic() - start < 3
        assert not is_running(pids.read_text().strip())

    @pytest.mark.parametrize(
        ("words", "fault"),
        [
            (["/bin/sh", "-c", "exit 3"], "/bin/sh ended with status 3"),
            (["/bin/sh", "-c", "kill -9 $$"], "/bin/sh ended with signal 9"),
            (["/none/here"], "/none/here: cannot be started (No such file or directory)"),
            (["/etc/passwd"], "/etc/passwd: cannot be started (Permission denied)"),
        ],
    )
    def test_what_goes_wrong_is_told(self, act, words, fault):
        action = act(command=words, within_s=0.1)
        publish(action, decision(1))
        wait_until(lambda: action.complaints)
        assert action.complaints == [f"action 1: given up for a decision: {fault}"]

    def test_one_that_does_not_read_gets_by_with_it(self, act):
        action = act(command=["/bin/true"], within_s=0.1)
        long = decision(1) | {"unread": "x" * 200_000}  # more than a pipe holds
        publish(action, long)
        action.close()
        assert (action.dropped, action.complaints) == (0, [])

    def test_a_long_message_arrives_whole(self, act, tmp_path):
        long = decision(1) | {"unread": "x" * 300_000}
        action = act(command=["/bin/sh", "-c", f"sleep 0.5; cat > {tmp_path}/part; mv {tmp_path}/part {tmp_path}/out"])
        publish(action, long)
        wait_until((tmp_path / "out").exists)
        assert (tmp_path / "out").read_bytes() == as_line(long)


def is_running(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


class TestPin:
    @pytest.fixture
    def pins(self):
        Device.pin_factory = MockFactory()
        yield Device.pin_factory
        Device.pin_factory.reset()
        Device.pin_factory.close()
        Device.pin_factory = None

    def test_it_is_switched_on_for_a_moment(self, act, pins):
        action = act(gpio=4, pulse_s=0.2, when="rejected")
        publish(action, decision(4))
        publish(action, decision(4, rejected=True))
        wait_until(lambda: pins.pin(4).state)
        wait_until(lambda: not pins.pin(4).state)
        states = [state.state for state in pins.pin(4).states]
        assert states[-2:] == [True, False]
        assert states.count(True) == 1
        assert 0.15 < pins.pin(4).states[-1].timestamp < 2  # seconds since the state before

    def test_a_pin_that_is_on_does_not_delay_the_end(self, act, pins):
        action = act(gpio=4, pulse_s=60)
        publish(action, decision(4))
        wait_until(lambda: pins.pin(4).state)
        start = time.monotonic()
        action.close()
        assert time.monotonic() - start < 2
        assert (action.dropped, action.complaints) == (0, [])
        assert pins.pin(4).function == "input"

    def test_a_machine_without_pins(self, act, monkeypatch):
        monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "native")
        monkeypatch.setattr(Device, "pin_factory", None)
        with pytest.raises(ConfigError, match=r"action.gpio 4 cannot be used .*is this a Raspberry Pi"):
            act(gpio=4)


def test_each_action_of_the_configuration_has_its_own_queue(tmp_path, server):
    """One that hangs delays no other."""
    hub = server()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with bad_server(drip) as address:
        actions = [{"webhook": address, "timeout_s": 300}, {"webhook": hub.address}]
        config = load_config((), {"publish": {"stdout": False, "socket": ""}, "action": actions})
        publishers = open_publishers(config, lambda request, reply: None)
        assert [one.name for one in publishers] == ["action 1", "action 2"]
        for publisher in publishers:
            publish(publisher, decision(1), decision(2))
        wait_until(lambda: hub.bodies == [decision(1), decision(2)])
        for publisher in publishers:
            publisher.close()
        assert [one.dropped for one in publishers] == [1, 0]  # and the one that was being sent
