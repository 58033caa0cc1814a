"""Start, ready, journal, stop: the ordinary life of the service."""

import json
import re
import time

import pytest
from box import UNIT, wait_until
from service import configure, decisions, override, said, start, status, wait_for_decisions

KERNELS = "cd /var/cache/edge-lpdpl; find -type f -printf '%P %T@\\n' | sort"


def test_start_returns_when_a_first_frame_was_read(box):
    start(box)
    assert box.value("ActiveState") == "active"
    assert status(box)["frames"] >= 1
    # Two processes write to the journal here, in no fixed order.
    said_so = "reading 94 pictures with chinese15"
    wait_until(lambda: any(line.startswith(said_so) for line in box.lines()), 5, "its word")


def test_it_runs_what_warm_compiled(box):
    """The sandbox hides nothing of the processor from LLVM: kernels compiled outside are used inside."""
    before = box.shell(KERNELS)
    assert ".kernels" in before
    start(box)
    wait_for_decisions(box, 3)
    assert box.shell(KERNELS) == before


def test_the_journal_has_decisions_as_json_and_complaints_with_their_level(box):
    start(box)
    wait_for_decisions(box, 2)
    assert {decision["model"]["name"] for decision in decisions(box)} == {"chinese15"}
    box.write("/etc/edge-lpdpl/config.d/99-wrong.toml", "[trigger]\nkind = 3\n")
    box.run("systemctl", "reload", UNIT)
    levels = {entry["MESSAGE"]: entry["PRIORITY"] for entry in box.journal() if entry.get("_COMM") == "edge-lpdpl"}
    assert any(text.startswith("reload refused") and level == "3" for text, level in levels.items())
    assert all(level == "6" for text, level in levels.items() if text.startswith(("{", "reading")))


def test_status_says_how_it_does(box):
    start(box)
    wait_until(lambda: "last " in box.value("StatusText") and "fps" in box.value("StatusText"), 10, "a status")
    for part in ("fps", "p99", "dropped", "stale", "last"):
        assert part in box.value("StatusText")


class TestWhoMayDoWhat:
    @pytest.fixture(autouse=True)
    def _users(self, box):
        start(box)
        box.shell("useradd ada; useradd -G edge-lpdpl grace; useradd -G edge-lpdpl-listen linus")

    def ask(self, box, user, *words):
        return box.attempt("runuser", "-u", user, "--", "edge-lpdpl", "ask", *words, "--json")

    def test_a_member_of_the_group_may_change_settings_and_the_journal_says_who_did(self, box):
        assert self.ask(box, "grace", "status").returncode == 0
        assert self.ask(box, "grace", "set", "trigger.still_ms=100", "page.ink=dark").returncode == 0
        number = box.run("id", "-u", "grace").strip()
        wanted = (
            r"trigger.still_ms, page.ink set until the next reload \(grace \(uid %s, process \d+\) asked for (.*)\)"
        )
        wait_until(lambda: said(box, "until the next reload"), 5, "the word")
        (asked,) = [found for line in box.lines() if (found := re.fullmatch(wanted % number, line))]
        assert json.loads(asked[1]) == {"trigger": {"still_ms": 100}, "page": {"ink": "dark"}}

    def test_a_refused_change_is_in_the_journal_too(self, box):
        assert self.ask(box, "grace", "set", "page.region=[0, 0, 1900, 16]").returncode == 2
        wait_until(lambda: said(box, "set refused: "), 5, "the word")
        assert said(box, "asked for {")

    def test_a_listener_may_listen_and_change_nothing(self, box):
        before = self.ask(box, "grace", "status").stdout
        assert json.loads(self.ask(box, "linus", "status").stdout)["trigger"] == json.loads(before)["trigger"]
        heard = box.attempt(
            "timeout", "-s", "INT", "3", "runuser", "-u", "linus", "--", "edge-lpdpl", "listen", "--json"
        )
        assert "numbers" in json.loads(heard.stdout.splitlines()[0])
        for words in (["set", "trigger.kind=interval"], ["recognise"]):
            refused = self.ask(box, "linus", *words)
            assert refused.returncode == 2
            assert (
                refused.stderr
                == f"edge-lpdpl: {words[0]} is not for listeners; join the group edge-lpdpl and log in again\n"
            )
        assert self.ask(box, "grace", "status").stdout.count('"trigger": "change"') == before.count(
            '"trigger": "change"'
        )
        assert said(box, "linus (uid ")
        opens = "import socket; socket.socket(socket.AF_UNIX).connect('/run/edge-lpdpl/edge-lpdpl.sock')"
        assert "PermissionError" in box.attempt("runuser", "-u", "linus", "--", "python3", "-c", opens).stderr
        assert box.attempt("runuser", "-u", "grace", "--", "python3", "-c", opens).returncode == 0

    def test_nobody_else_may_do_anything(self, box):
        for words in (["status"], ["set", "trigger.kind=interval"]):
            refused = self.ask(box, "ada", *words)
            assert refused.returncode == 2
            assert refused.stderr.count("\n") == 1
            assert (
                "this user may not use it; join the group edge-lpdpl, or edge-lpdpl-listen to listen" in refused.stderr
            )
        assert box.attempt("runuser", "-u", "ada", "--", "ls", "/run/edge-lpdpl").returncode != 0


def test_stop_is_quick_and_clean(box):
    start(box)
    begin = time.monotonic()
    box.run("systemctl", "stop", UNIT)
    assert time.monotonic() - begin < 5
    shown = box.show("Result", "ExecMainStatus", "ActiveState", "NRestarts")
    assert shown == {"Result": "success", "ExecMainStatus": "0", "ActiveState": "inactive", "NRestarts": "0"}
    assert box.attempt("test", "-e", "/run/edge-lpdpl").returncode == 1
    assert box.attempt("test", "-d", "/var/lib/edge-lpdpl").returncode == 0


def test_the_end_of_the_pictures_is_no_fault(box):
    configure(box, "[frames]\nrepeat = false\npicture_ms = 20\n")
    start(box)
    wait_until(lambda: box.value("ActiveState") == "inactive", 20, "the end of the pictures")
    assert box.show("Result", "NRestarts") == {"Result": "success", "NRestarts": "0"}
    assert said(box, "that was the last frame")


def test_it_starts_with_the_machine(box):
    box.run("systemctl", "enable", "--quiet", UNIT)
    wanted = box.run("systemctl", "list-dependencies", "--plain", "multi-user.target")
    assert UNIT in wanted.split()


def test_without_code_that_is_made_it_decides_the_same(box, checkout):
    """The strict sandbox, where kernels cannot run, with NumPy."""
    configure(box, "[frames]\npicture_ms = 100\n[trigger]\nstill_ms = 30\n")
    start(box)
    wait_until(lambda: len(texts(box)) >= 20, 30, "20 decisions with numba")
    with_numba = texts(box)
    box.run("systemctl", "stop", UNIT)
    box.run("journalctl", "--rotate", "--vacuum-time=1s")
    override(box, (checkout / "systemd/strict.conf").read_text(), "strict")
    start(box)
    assert status(box)["backend"] == "numpy"
    wait_until(lambda: len(texts(box)) >= len(with_numba), 30, "as many with NumPy")
    same = min(len(with_numba), 20)
    assert texts(box)[:same] == with_numba[:same]


def texts(box):
    return [[number["text"] for number in decision["numbers"]] for decision in decisions(box)]
