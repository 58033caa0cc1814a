"""The page as a process: who needs a token depends on where it listens, and systemd may hand over the socket."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys

import pytest
from project import PROJECT
from service_bench import wait_until

from edge_lpdpl.commands.main import main

pytestmark = pytest.mark.slow

START = """
import os, socket, sys
listener = socket.create_server((sys.argv[1], 0))
print(listener.getsockname()[1], flush=True)
if sys.argv[2] == "activated":
    if listener.fileno() == 3:
        os.set_inheritable(3, True)
    else:
        os.dup2(listener.fileno(), 3)
    os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
    arguments = ["web"]
else:
    port = listener.getsockname()[1]
    listener.close()
    arguments = ["web", "--address", sys.argv[1], "--port", str(port)]
run = "import sys; from edge_lpdpl.commands.main import main; sys.exit(main())"
os.execv(sys.executable, [sys.executable, "-c", run, *arguments, "--socket", "none"])
"""


@pytest.fixture
def start(tmp_path):
    """A function that starts the page and returns a function that gets a path from it: its status and text."""
    started = []

    def start(address, how):
        environment = os.environ | {"PYTHONPATH": str(PROJECT), "STATE_DIRECTORY": str(tmp_path)}
        process = subprocess.Popen(
            [sys.executable, "-c", START, address, how], stdout=subprocess.PIPE, cwd=tmp_path, env=environment
        )
        started.append(process)
        port = int(process.stdout.readline())
        wait_until(lambda: answers(port))

        def get(path):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

        return get

    yield start
    for process in started:
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        process.stdout.close()


def answers(port):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/page/page.css")
        return connection.getresponse().status == 200
    except OSError:
        return False


@pytest.mark.parametrize("how", ["activated", "alone"])
@pytest.mark.parametrize(("address", "shown"), [("127.0.0.1", "canvas"), ("0.0.0.0", 'id="token"')])
def test_who_needs_a_token_depends_on_where_it_listens(address, shown, how, start):
    get = start(address, how)
    status, page = get("/")
    assert status == 200
    assert shown in page
    assert get("/page/index.html")[0] == (200 if address == "127.0.0.1" else 401)


def test_what_is_no_request_is_told_in_one_line(tmp_path):
    code = "from edge_lpdpl.commands.main import main; main()"
    port = str(free_port())
    command = [sys.executable, "-c", code, "web", "--port", port, "--socket", "none"]
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "STATE_DIRECTORY": str(tmp_path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as page:
        wait_until(lambda: answers(int(port)))
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", int(port))) as client:
                client.sendall(b"GET / HTTP/1.1\r\n\r\n")
                assert b" 400 " in client.recv(1000)
        page.terminate()
        told = page.stderr.read().splitlines()
    assert len(told) == 2  # the address, and this
    assert "page: Error handling request" in told[1]


def test_the_page_beside_a_service_ends_with_it_however_that_ends(tmp_path):
    port = free_port()
    code = "import sys, time; from edge_lpdpl.commands.service.web import page_beside\n"
    code += f"with page_beside(None, {{}}, {port}): time.sleep(60)"
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "XDG_RUNTIME_DIR": str(tmp_path)}
    service = subprocess.Popen([sys.executable, "-c", code], env=environment)
    wait_until(lambda: answers(port))
    service.kill()
    service.wait()
    wait_until(lambda: not answers(port))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_a_link_is_printed_once_with_a_new_token(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    links = []
    for _ in range(2):
        assert main(["web", "--link", "--name", "pi.lan", "--json"]) == 0
        links.append(json.loads(capsys.readouterr().out)["link"])
    assert all(link.startswith("http://pi.lan:8017/#") for link in links)
    assert links[0] != links[1]


def test_an_address_that_is_taken_is_one_line(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["web", "--port", str(taken.getsockname()[1])]) == 3
    assert "cannot be listened on" in capsys.readouterr().err
