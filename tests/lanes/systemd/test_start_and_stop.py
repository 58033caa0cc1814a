"""Start, ready, journal, stop: the ordinary life of the service."""

import time

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


def test_a_member_of_the_group_may_listen_and_nobody_else(box):
    start(box)
    box.shell("useradd ada; useradd -G edge-lpdpl grace")
    asked = "edge-lpdpl ask status --json"
    assert box.attempt("runuser", "-u", "grace", "--", *asked.split()).returncode == 0
    refused = box.attempt("runuser", "-u", "ada", "--", *asked.split())
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1


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
