"""`edge-lpdpl log` reads what a real service has kept, while it runs and later, as lines, JSON, CSV and pictures."""

import csv
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from cards import draw_cards
from PIL import Image
from programs import COMMAND
from service_bench import wait_until

from edge_lpdpl.commands.main import main
from edge_lpdpl.live.log.database import Entry, LogDatabase
from edge_lpdpl.live.publish.message import as_line

pytestmark = pytest.mark.slow

TIME = "2026-11-20T10:15:00.000Z"
NUMBER = {"text": "7", "value": 7, "confidence": 0.9, "rejected": False, "reason": None, "box": [1, 2, 3, 4]}
NUMERAL = {"label": "7", "confidence": 0.9, "rejected": False}
DECISION = {
    "time": TIME,
    "trigger": "change",
    "numbers": [NUMBER | {"numerals": [0]}],
    "numerals": [NUMERAL],
    "unread": [],
}


@pytest.fixture
def keep(tmp_path):
    """A function that keeps messages in a log, each with a crop of 3x2 pixels; returns its file."""

    def write(*messages):
        path = tmp_path / "decisions.sqlite"
        database = LogDatabase(path, 8 << 20)
        database.add([Entry(TIME, as_line(message), 3, 2, bytes(range(6))) for message in messages])
        database.close()
        return str(path)

    return write


@pytest.fixture
def service(tmp_path):
    """A service that reads two cards in turn, and keeps what it reads; its configuration."""
    draw_cards(tmp_path / "cards", "latin_5_paper.png", "latin_9_paper.png")
    config = tmp_path / "config.toml"
    config.write_text(
        f"[frames]\nsource = '{tmp_path}/cards'\nwidth = 320\nheight = 240\npicture_ms = 300\nrepeat = true\n"
        "[trigger]\nstill_ms = 60\n[model]\nfile = 'latin10'\n"
        "[log]\nfile = 'decisions.sqlite'\ncrops = 'all'\nwrite_s = 0.2\n"
    )
    environment = {"RUNTIME_DIRECTORY": str(tmp_path), "LOG_DIRECTORY": str(tmp_path / "log")}
    process = subprocess.Popen(
        [*COMMAND, "run", "--config", str(config)],
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    yield process, config
    process.kill()
    process.communicate()


def test_what_a_service_published_is_read_while_it_runs_and_after_its_end(service, tmp_path, monkeypatch, capsys):
    process, config = service
    monkeypatch.setenv("LOG_DIRECTORY", str(tmp_path / "log"))
    for _ in range(3):
        process.stdout.readline()
    wait_until(lambda: (tmp_path / "log" / "decisions.sqlite").exists())

    def kept():
        assert main(["log", "--config", str(config), "--json"]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    running = wait_until(kept)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=20)
    everything = kept()
    assert everything[: len(running)] == running
    assert [one.pop("id") for one in everything] == list(range(1, len(everything) + 1))
    assert everything[3:] == [json.loads(line) for line in rest.splitlines()]
    assert {number["text"] for one in everything for number in one["numbers"]} == {"5", "9"}


def test_for_people_a_line_for_each_number(keep, capsys):
    assert main(["log", keep(DECISION)]) == 0
    assert capsys.readouterr().out == "2026-11-20 10:15:00  change    7 (90.0%)\n"


def test_where_there_are_no_decisions_it_is_said_beside_the_output(keep, capsys):
    assert main(["log", keep(), "--json"]) == 0
    assert capsys.readouterr() == ("", f"edge-lpdpl: {keep()}: has no decisions\n")
    assert main(["log", keep(DECISION), "--since", "2027-01-01T00:00Z"]) == 0
    assert capsys.readouterr().err.endswith("has no decisions since 2027-01-01T00:00:00.000Z\n")


def test_people_read_the_time_of_their_machine_and_programs_that_of_the_message(keep, monkeypatch, capsys):
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        assert main(["log", keep(DECISION)]) == 0
        assert capsys.readouterr().out.startswith("2026-11-20 18:15:00  ")
        assert main(["log", keep(DECISION), "--csv"]) == 0
        assert f",{TIME}," in capsys.readouterr().out
    finally:
        monkeypatch.undo()
        time.tzset()


def test_for_spreadsheets_a_row_for_each_number_and_no_formula(keep, capsys):
    formula = DECISION | {"numbers": [NUMBER | {"text": "=1+2", "reason": "@SUM(A1)"}, NUMBER | {"text": "-1,234.5"}]}
    assert main(["log", keep(DECISION, formula, DECISION | {"numbers": []}), "--csv"]) == 0
    head, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    columns = ["id", "time", "text", "value", "confidence", "rejected", "reason", "x", "y", "width", "height", "field"]
    assert head == columns
    assert rows[0] == ["1", TIME, "7", "7", "0.9", "false", "", "1", "2", "3", "4", ""]
    assert [row[2:7:4] for row in rows[1:3]] == [["'=1+2", "'@SUM(A1)"], ["-1,234.5", ""]]
    assert rows[3] == ["3", TIME, *[""] * 10]


def test_crops_become_pngs_that_are_named_by_their_decisions(keep, tmp_path, capsys):
    assert main(["log", keep(DECISION, DECISION), "--crops", str(tmp_path / "crops")]) == 0
    assert sorted(path.name for path in (tmp_path / "crops").iterdir()) == ["00000001.png", "00000002.png"]
    picture = Image.open(tmp_path / "crops" / "00000002.png")
    assert np.array_equal(np.asarray(picture), np.arange(6, dtype=np.uint8).reshape(2, 3))


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ("log --config {tmp}/empty.toml", "log.file of the configuration is not set, so nothing is kept"),
        ("log {tmp}/none.sqlite", "none.sqlite: cannot be read (No such file or directory)"),
        ("log {tmp}/empty.toml/x", "empty.toml/x: cannot be read (Not a directory)"),
        ("log {log} --since yesterday", "yesterday: is no time; give 2026-11-20"),
        ("log {log} --csv --json", "--csv and --json are two formats; give one"),
        ("log {log} --crops {tmp}", "exists, and is not overwritten"),
        ("log {log} --crops {tmp}/no/folder", "cannot be written (No such file or directory)"),
    ],
)
def test_what_cannot_be_done_is_one_line(keep, tmp_path, capsys, arguments, fault):
    (tmp_path / "empty.toml").write_text("")
    command = shlex.split(arguments.format(tmp=tmp_path, log=keep(DECISION)))
    assert main(command) == 2
    err = capsys.readouterr().err
    assert fault in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "message",
    [
        {"time": TIME},
        DECISION | {"time": 7},
        DECISION | {"numbers": {"a": 1}},
        DECISION | {"numbers": [{}]},
        DECISION | {"numbers": [NUMBER | {"numerals": [7]}]},
    ],
    ids=str,
)
@pytest.mark.parametrize("option", [[], ["--csv"]])
def test_a_message_of_another_program_is_one_line(keep, capsys, message, option):
    status = main(["log", keep(message), *option])
    err = capsys.readouterr().err
    assert (status, err.count("\n")) in ((0, 0), (2, 1))


def test_a_name_of_no_file_is_a_mistake_of_the_configuration(tmp_path, capsys):
    (tmp_path / "c.toml").write_text("[log]\nfile = 'logs/'\nquota_mb = 1\ncrops = 'some'\n")
    assert main(["config", "check", "--config", str(tmp_path / "c.toml")]) == 2
    err = capsys.readouterr().err
    assert "log.quota_mb is 1, not 8 to 100000" in err
    assert "log.crops is 'some', not one of off, doubtful, all" in err
    (tmp_path / "c.toml").write_text("[log]\nfile = 'logs/'\n")
    assert main(["config", "check", "--config", str(tmp_path / "c.toml")]) == 2
    assert "log.file is 'logs/', not the name of a file" in capsys.readouterr().err


def test_a_name_alone_is_not_the_file_of_this_folder_and_the_error_says_so(keep, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    name = os.path.relpath(keep(DECISION), tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["log", name]) == 2
    assert capsys.readouterr().err.endswith(f"log; for the file here, ./{name}\n")
    assert main(["log", f"./{name}"]) == 0
