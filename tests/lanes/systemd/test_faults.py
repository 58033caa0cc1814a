"""After any fault the service recovers, or ends with a message; restarts back off."""

import time

import pytest
from box import UNIT, wait_until
from service import (
    IMPATIENT,
    configure,
    decisions,
    override,
    said,
    start,
    status,
    wait_for_decisions,
    wait_for_running,
)

NO_CAMERA = """\
class MappedArray: ...

class Picamera2:
    def __init__(self, number):
        raise RuntimeError(f"No camera number {number} found. Is it connected?")

    @staticmethod
    def global_camera_info():
        return []
"""


@pytest.fixture
def running(box):
    """A running service with a quick watchdog and quick restarts."""
    override(box, IMPATIENT)
    start(box)
    return box


@pytest.mark.parametrize("signal", ["KILL", "SEGV", "ABRT"])
def test_a_crash_is_followed_by_a_new_start(running, signal):
    process = running.value("MainPID")
    running.run("systemctl", "kill", f"--signal={signal}", UNIT)
    wait_for_running(running, restarts=1)
    assert running.value("MainPID") != process
    wait_for_decisions(running)


def test_a_hang_is_seen_by_the_watchdog(running):
    running.run("systemctl", "kill", "--signal=STOP", UNIT)
    wait_for_running(running, restarts=1)
    assert any("Watchdog timeout" in str(entry["MESSAGE"]) for entry in running.journal())
    wait_for_decisions(running)


def test_without_a_camera_it_is_tried_again_ever_later(box):
    """This stub answers like picamera2 without cameras. The camera lane has the real picamera2."""
    box.write("/srv/python/picamera2.py", NO_CAMERA)
    configure(box, '[frames]\nsource = "camera"\n')
    override(box, IMPATIENT + "Environment=PYTHONPATH=/srv/python\n")
    assert box.attempt("systemctl", "start", UNIT).returncode == 1
    wait_until(lambda: int(box.value("NRestarts")) >= 6, 40, "six restarts")
    assert said(box, "no camera")
    entries = [(str(entry["MESSAGE"]), int(entry["__MONOTONIC_TIMESTAMP"]) / 1e6) for entry in box.journal()]
    begun = [time for text, time in entries if text.startswith("Starting ")]
    ended = [time for text, time in entries if "Main process exited, code=exited, status=3" in text]
    pauses = [begin - end for end, begin in zip(ended, begun[1:], strict=False)]
    asked = (0.1, 0.2, 0.4, 0.8, 1.6)  # seconds; a busy computer only adds to them
    assert all(pause > least * 0.9 for pause, least in zip(pauses[:5], asked, strict=True))
    assert max(pauses) < 3


def test_a_device_that_the_system_does_not_give_is_tried_again(box):
    box.write("/srv/python/picamera2.py", NO_CAMERA.replace("RuntimeError(f", "OSError(16, f"))
    configure(box, '[frames]\nsource = "camera"\n')
    override(box, IMPATIENT + "Environment=PYTHONPATH=/srv/python\n")
    assert box.attempt("systemctl", "start", UNIT).returncode == 1
    wait_until(lambda: int(box.value("NRestarts")) >= 2, 20, "two restarts")
    assert any("Main process exited, code=exited, status=3" in str(entry["MESSAGE"]) for entry in box.journal())


def test_without_picamera2_it_ends_within_two_seconds_and_says_what_to_install(box):
    configure(box, '[frames]\nsource = "camera"\n')
    begin = time.monotonic()
    assert box.attempt("systemctl", "start", UNIT).returncode == 1
    assert time.monotonic() - begin < 2
    assert box.show("ActiveState", "ExecMainStatus") == {"ActiveState": "failed", "ExecMainStatus": "2"}
    assert said(box, "sudo apt install python3-picamera2")


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ("[frames]\nsorce = 3\n", "sorce"),
        ("[frames]\nwidth = 100000\n", "width"),
        ("[frames\n", "50-test.toml"),
        ('[frames]\nsource = "/nowhere"\n', "/nowhere"),
        ('[model]\nfile = "/srv/none.safetensors"\n', "/srv/none.safetensors"),
        ('[model]\nfile = "/etc/shadow"\n', "/etc/shadow"),
        ('[model]\nfile = "/srv/hostile.safetensors"\n', "/srv/hostile.safetensors"),
    ],
    ids=["unknown-key", "impossible-value", "no-toml", "no-pictures", "no-model", "unreadable-model", "hostile-model"],
)
def test_what_only_a_person_can_mend_is_a_clear_end(box, settings, complaint):
    """Status 2, one line that names the fault, and no restart."""
    box.write("/srv/hostile.safetensors", b"\xff" * 7 + b"\x7f" + b"[" * 100_000)
    configure(box, settings)
    override(box, IMPATIENT)
    assert box.attempt("systemctl", "start", UNIT).returncode == 1
    shown = box.show("ActiveState", "NRestarts", "ExecMainStatus")
    assert shown == {"ActiveState": "failed", "NRestarts": "0", "ExecMainStatus": "2"}
    complaints = [line for line in box.lines() if line.startswith("edge-lpdpl: ")]
    assert len(complaints) == 1
    assert complaint in complaints[0]


def test_a_full_disk_stops_nothing_and_ready_means_compiled(box):
    """Nothing can be stored and kernels are missing: they are compiled in memory before the service is ready.

    Those of the room `number` are missing, because they compile soonest.
    """
    box.shell("mount -t tmpfs -o size=64k tmpfs /var/lib/edge-lpdpl")
    box.shell(
        "cp -a /var/cache/edge-lpdpl /run/kept && mount -t tmpfs -o size=64m,mode=755 tmpfs /var/cache/edge-lpdpl"
    )
    box.shell("cp -a /run/kept/. /var/cache/edge-lpdpl")
    box.shell("cd /var/cache/edge-lpdpl/kernels-* && rm number-*.kernels && find . -name 'entries.*' -delete")
    for folder in ("/var/lib/edge-lpdpl", "/var/cache/edge-lpdpl"):
        box.shell(f"dd if=/dev/zero of={folder}/full 2>/dev/null; test $(df --output=avail {folder} | tail -n 1) = 0")
    box.run("systemctl", "start", UNIT, timeout=300)
    wait_for_decisions(box, 3)
    assert status(box)["p99_us"] < 500_000  # no decision waited for the compiler
    assert box.value("NRestarts") == "0"
    assert box.shell("find /var/cache/edge-lpdpl -name 'number-*.kernels'") == ""


def test_a_disk_that_fills_up_later_stops_nothing(running):
    folder = "/var/lib/edge-lpdpl"
    running.shell(f"mount -t tmpfs -o size=64k tmpfs {folder}; dd if=/dev/zero of={folder}/full; true")
    running.run("systemctl", "reload", UNIT)
    wait_for_decisions(running, 2)
    assert running.value("NRestarts") == "0"


@pytest.fixture
def with_broker(box, checkout):
    """With the network drop-in and MQTT. The broker is not started."""
    override(box, (checkout / "systemd/network.conf").read_text(), "network")
    configure(box, '[mqtt]\nhost = "127.0.0.1"\n')
    return box


def test_a_broker_that_goes_and_comes_back(with_broker):
    box = with_broker
    start_broker(box)
    start(box)
    assert heard(box)
    box.shell("pkill mosquitto")
    before = status(box)["frames"]
    wait_until(lambda: status(box)["frames"] > before + 30, 10, "frames without a broker")
    start_broker(box)
    wait_until(lambda: heard(box), 60, "the service to come back to the broker")
    assert box.value("NRestarts") == "0"


def test_a_broker_that_is_not_there_yet(with_broker):
    box = with_broker
    start(box)
    wait_for_decisions(box, 2)
    start_broker(box)
    wait_until(lambda: heard(box), 60, "the service to find the broker")


def start_broker(box):
    box.shell("ip link set lo up 2>/dev/null; setsid mosquitto -p 1883 >/dev/null 2>&1 & sleep 0.5")


def heard(box):
    """Whether the broker delivers a state message within five seconds."""
    got = box.attempt("mosquitto_sub", "-t", "edge-lpdpl/state", "-C", "1", "-W", "5")
    return got.returncode == 0 and '"numbers"' in got.stdout


class TestReload:
    def test_a_new_model_is_taken_over_without_a_new_start(self, running):
        process = running.value("MainPID")
        configure(running, '[model]\nfile = "latin10"\n')
        running.run("systemctl", "reload", UNIT)
        assert status(running)["model"]["name"] == "latin10"
        wait_for_decisions(running)
        assert decisions(running)[-1]["model"]["name"] == "latin10"
        assert running.value("MainPID") == process

    @pytest.mark.parametrize(
        "settings",
        ["[trigger]\nkind = 'never'\n", "nonsense", '[model]\nfile = "/srv/hostile.safetensors"\n'],
        ids=["impossible-value", "no-toml", "hostile-model"],
    )
    def test_a_bad_one_is_refused_and_the_old_one_stays(self, running, settings):
        running.write("/srv/hostile.safetensors", b"\xff" * 1000)
        configure(running, settings)
        before = status(running)
        running.run("systemctl", "reload", UNIT)
        after = status(running)
        assert after["reload_error"]
        assert (after["model"], after["refused_reloads"]) == (before["model"], 1)
        assert said(running, "reload refused, the old configuration stays")
        wait_for_decisions(running)
        assert running.show("ActiveState", "NRestarts") == {"ActiveState": "active", "NRestarts": "0"}

    def test_twenty_reloads_at_once_lose_no_frame(self, running):
        before = status(running)
        running.shell(f"for i in $(seq 20); do systemctl reload {UNIT} & done; wait")
        after = status(running)
        seconds = after["uptime_s"] - before["uptime_s"]
        assert after["frames"] - before["frames"] >= 0.8 * 30 * seconds - 5
        assert (after["timeouts"], after["faults"]) == (0, 0)
        assert running.value("ActiveState") == "active"
