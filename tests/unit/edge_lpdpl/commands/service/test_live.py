"""`listen` and `ask` at a socket that is not the service: one line on standard error, whatever comes."""

import contextlib
import json
import socket
import threading

import pytest

from edge_lpdpl.commands.main import main

DECISION = {"time": "2026-11-20T22:49:40.123Z", "trigger": "change", "numbers": [], "numerals": [], "unread": []}
STATUS = ["ask", "status"]
UNSURE = {"reason": "unsure", "novelty": 0.4, "alternatives": [{"label": "三", "value": 3}]}


@pytest.fixture
def says(tmp_path):
    """A socket that sends these bytes to its first client and closes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()

        def start(*lines):
            def serve():
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    connection.sendall(b"".join(line + b"\n" for line in lines))
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(1 << 16)

            threading.Thread(target=serve, daemon=True).start()
            return ["--socket", str(tmp_path / "s")]

        yield start


def decision(*numerals, **changes):
    """A message with one number of these numerals."""
    number = {"text": "五" * len(numerals), "value": 5, "confidence": 0.9, "rejected": False, "reason": None}
    return DECISION | {
        "numbers": [number | {"numerals": list(range(len(numerals)))} | changes],
        "numerals": list(numerals),
    }


def numeral(**changes):
    return {"label": "五", "value": 5, "confidence": 0.9, "rejected": False, "reason": None} | changes


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (["listen"], {"numbers": [{}]}),
        (["listen"], {"numbers": 7}),
        (["listen"], {"numbers": []}),
        (["listen"], DECISION | {"time": None}),
        (["listen"], DECISION | {"trigger": ["change"]}),
        (["listen"], decision(numeral(), value="5")),
        (["listen"], decision(numeral(), confidence=None)),
        (["listen"], decision(numeral(), numerals=[1])),
        (["listen"], decision(numeral(), numerals="0")),
        (["listen"], decision(numeral(), rejected=True, reason="unsure")),
        (["listen"], decision(numeral(**UNSURE | {"alternatives": [7]}), rejected=True, reason="unsure")),
        (["listen"], decision(numeral(), numeral(confidence=None))),
        (["listen"], decision(numeral(), numeral(rejected=True, **UNSURE | {"reason": "odd"}))),
        (["listen"], DECISION | {"unread": [{"reason": "odd"}]}),
        (STATUS, {"reply": "status", "status": 7}),
        (STATUS, {"reply": "status"}),
    ],
)
def test_what_another_program_says_is_one_line_and_no_traceback(says, capsys, command, answer):
    assert main([*command, *says(json.dumps(answer).encode())]) == 2
    told = "the program at this socket is not the edge-lpdpl service; check --socket"
    assert capsys.readouterr().err == f"edge-lpdpl: {told}\n"


def test_a_request_gets_no_earlier_decision(says, capsys):
    """Decisions with another cause may arrive first."""
    lines = [DECISION, {"reply": "recognise", "ok": True}, DECISION, DECISION | {"trigger": "request"}]
    assert main(["ask", "recognise", "--json", *says(*(json.dumps(line).encode() for line in lines))]) == 0
    assert json.loads(capsys.readouterr().out)["trigger"] == "request"


def test_decisions_for_people(says, capsys):
    seen = [{"box": [0, 0, 2, 2], "reason": reason} for reason in ("too_small", "too_small", "touches_border")]
    two = decision(numeral())
    two["numbers"] += decision(numeral(), numeral(rejected=True, **UNSURE), value=55)["numbers"]
    two["numerals"].append(numeral(rejected=True, **UNSURE))
    lines = [two, DECISION | {"unread": seen}, DECISION]
    assert main(["listen", *says(*(json.dumps(line).encode() for line in lines))]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2026-11-20 22:49:40  change    五 = 5 (90.0%)",
        "                               五五 = 55 (90.0%): 五 (90.0%), 五 (90.0%, unsure: 五 or else 三)",
        "2026-11-20 22:49:40  change    nothing here: 3 strokes seen, 2 too small, 1 touching the border",
        "2026-11-20 22:49:40  change    nothing here: no strokes seen",
    ]


@pytest.mark.parametrize("line", [b"\xff", b"[]", b"[" * 100_000])
def test_what_is_no_json_is_one_line(says, capsys, line):
    assert main([*STATUS, *says(line)]) == 2
    assert capsys.readouterr().err == "edge-lpdpl: what comes from there is no JSON\n"


def test_a_server_that_closes_without_an_answer(says, capsys):
    assert main([*STATUS, *says()]) == 2
    assert capsys.readouterr().err == "edge-lpdpl: the service went away\n"


def test_nothing_that_is_said_steers_the_terminal(says, capsys):
    odd = decision(numeral(), numeral(label="\x1b[2J\ud800"), text="\x1b[2J\ud800")
    lines = [odd, {"dropped": "\x1b[2J"}, DECISION]
    assert main(["listen", *says(*(json.dumps(line).encode() for line in lines))]) == 0
    assert main([*STATUS, *says(json.dumps({"reply": "status", "status": {"\x1b": {"\x1b": "\ud800"}}}).encode())]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert printed.isascii()
    assert len(printed.splitlines()) == 4


def test_a_port_of_the_page_is_for_the_page(capsys):
    assert main(["run", "--web-port", "8123"]) == 2
    assert "--web-port is the port of the page; give --web, too" in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_with_the_option_that_names_another(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["run", "--web", "--web-port", port]) == 3
    assert f"127.0.0.1:{port}: cannot be listened on" in (told := capsys.readouterr().err)
    assert "name another port with --web-port" in told
