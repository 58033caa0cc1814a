"""Lines to the socket of a service: each has one answer, a JSON object, and the next client is served as before."""

import json
import socket
import tempfile
from contextlib import suppress
from pathlib import Path

from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.publish.requests import LONGEST_LINE, WITH_DATA, settings_to_change
from edge_lpdpl.live.publish.unix_socket import SocketPublisher

LONGEST = 2 * LONGEST_LINE
MOST_LINES = 64


DATA = b'\n{"no": "answer"}\n\0'
"""What is sent behind the line of some answers."""


def handle(request, reply, peer) -> None:
    """As the service does, but at once."""
    if request["request"] == "set":
        config = load_config((), settings_to_change(request))
        reply({"ok": True, "note": repr(config)})
    elif request["request"] in WITH_DATA:
        reply({"ok": True}, DATA)
    else:
        reply({"ok": True})


FOLDER = tempfile.TemporaryDirectory()
PATH = Path(FOLDER.name) / "s"
PUBLISHER = SocketPublisher(PATH, MOST_LINES, handle)


def check(data: bytes) -> None:
    data = b"\n".join(data.split(b"\n")[:MOST_LINES])
    answers = asked(data)
    assert len(answers) == expected(data), answers
    assert asked(b'{"request":"recognise","id":7}') == [{"reply": "recognise", "id": 7, "ok": True}]


def expected(data: bytes) -> int:
    """Lines that are answered: those that are not blank, up to the first that is too long."""
    count = 0
    for line in data.split(b"\n"):
        count += bool(line.strip()) or len(line) > LONGEST_LINE
        if len(line) > LONGEST_LINE:
            break
    return count


def asked(data: bytes) -> list[dict]:
    """Answers to what one client sends before it closes its side."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(20)
        client.connect(str(PATH))
        with suppress(BrokenPipeError, ConnectionResetError):  # it has sent a line that is too long
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
        received = b""
        with suppress(ConnectionResetError):
            while piece := client.recv(1 << 16):
                received += piece
    answers = []
    while received:
        line, _, received = received.partition(b"\n")
        answers.append(json.loads(line))
        length = answers[-1].get("bytes", 0)
        assert received[:length] == (DATA if length else b"")
        received = received[length:]
    return answers
