"""The whole service on the camera, as a process: its messages, and its end when the camera fails."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from model_service import VALUES

from edge_lpdpl.live.client import Client

HERE = Path(__file__).parent
PATH = os.pathsep.join([str(HERE), str(HERE.parents[2]), *sys.path])
CONFIG = """
[frames]
width = 320
height = 240
rate = 60
timeout_s = 1.0
[trigger]
still_ms = 60
"""


class Running:
    """A started service."""

    def __init__(self, folder, fault, *settings):
        (folder / "config.toml").write_text(CONFIG)
        command = [sys.executable, str(HERE / "model_service.py"), fault]
        settings = [word for setting in settings for word in ("--set", setting)]
        self.socket = folder / "edge-lpdpl.sock"
        self.start = time.monotonic()
        self.process = subprocess.Popen(
            [*command, "run", "--config", str(folder / "config.toml"), *settings],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "RUNTIME_DIRECTORY": str(folder), "PYTHONPATH": PATH},
        )

    def message(self):
        """The next decision."""
        return json.loads(self.process.stdout.readline())

    def status(self):
        with Client(self.socket) as client:
            return client.ask({"request": "status"})["status"]

    def wait_for(self, condition):
        """The status, once it meets a condition."""
        end = time.monotonic() + 20
        while not condition(status := self.status()):
            if time.monotonic() > end:
                raise TimeoutError(str(status))
            time.sleep(0.1)
        return status

    def begin_to_fail(self):
        self.process.send_signal(signal.SIGUSR1)

    def end(self, seconds=20):
        """Exit status and standard error."""
        _, err = self.process.communicate(timeout=seconds)
        return self.process.returncode, err.decode()


@pytest.fixture
def start(tmp_path):
    started = []

    def start(fault, *settings):
        started.append(Running(tmp_path, fault, *settings))
        return started[-1]

    yield start
    for running in started:
        running.process.kill()
        running.process.communicate()


def values(messages):
    return [[number["value"] for number in message["numbers"]] for message in messages]


def test_numerals_before_the_camera_are_decisions_and_stop_ends_it(start):
    running = start("none", "frames.max_age_ms=2000")  # so that a machine that stalls reads its frames all the same
    read = values(running.message() for _ in range(4))
    assert set(map(tuple, read)) == {(value,) for value in VALUES}
    assert all(before != after for before, after in pairwise(read))
    status = running.status()
    assert (status["stale"], status["faults"], status["frames_from"]) == (0, 0, "camera 0")
    running.process.send_signal(signal.SIGTERM)
    code, err = running.end()
    assert code == 0
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("missing", "there is no camera: check its cable"),
        ("busy", "camera 0 is busy: stop what uses it"),
        ("memory", "there is no memory left for the camera"),
    ],
)
def test_without_a_usable_camera_it_ends_soon_and_says_why(start, fault, said):
    code, err = start(fault).end(10)
    assert code == 3
    assert len(err.splitlines()) == 1
    assert said in err


@pytest.mark.parametrize("fault", ["unplugged", "dead_loop"])
def test_a_camera_that_is_gone_ends_it_so_that_it_can_be_started_again(start, fault):
    running = start(fault)
    assert values([running.message()])[0][0] in VALUES
    running.begin_to_fail()
    code, err = running.end()
    assert code == 3
    assert "camera 0: gives no frame for " in err
    assert fault == "dead_loop" or "Traceback" not in err  # picamera2's thread prints why it died
    assert not running.socket.exists()


def test_a_stall_is_counted_and_survived(start):
    running = start("stall")
    running.message()
    running.begin_to_fail()
    status = running.wait_for(lambda status: status["timeouts"])
    after = running.wait_for(lambda now: now["frames"] > status["frames"] + 100)
    assert after["decisions"] > status["decisions"]


def test_damaged_frames_are_passed_over(start):
    running = start("error")
    running.message()
    running.begin_to_fail()
    before = running.status()["frames"]
    assert running.wait_for(lambda status: status["frames"] > before + 60)["faults"] == 0


def test_stale_frames_are_counted_and_not_read(start):
    running = start("late", "frames.timeout_s=10")  # so that a machine that stalls does not look like a stuck camera
    running.message()
    running.begin_to_fail()
    before = running.wait_for(lambda status: status["stale"] > 5)
    after = running.wait_for(lambda status: status["stale"] > 20)
    assert after["frames"] == before["frames"]
    assert after["decisions"] == before["decisions"]


def test_exposure_is_changed_without_losing_a_frame(start):
    running = start("none")
    running.message()
    with Client(running.socket) as client:
        assert client.ask({"request": "set", "set": {"camera.exposure_us": 2000}})["ok"] is True
    status = running.status()
    assert (status["reloads"], status["timeouts"]) == (1, 0)


def test_what_thirty_frames_a_second_cost(start, capsys):
    """Everything but the sensor thread: the service loop and picamera2's event loop."""
    running = start("none", "frames.rate=30", "frames.width=640", "frames.height=480", "trigger.still_ms=200")
    running.message()
    before, start_time = processor_seconds(running.process.pid), time.monotonic()
    frames = running.status()["frames"]
    time.sleep(6)
    share = (processor_seconds(running.process.pid) - before) / (time.monotonic() - start_time)
    taken = running.status()["frames"] - frames
    with capsys.disabled():
        print(f"\n{taken / 6:.1f} frames a second, {share:.1%} of a core without the sensor")
    assert taken > 100
    assert share < 0.15


def processor_seconds(process):
    """Of a process with its ended threads, without the sensor thread, and one that a busy machine has not ended yet."""
    whole = Path(f"/proc/{process}")
    sensors = [task for task in (whole / "task").iterdir() if name_of(task) == "sensor"]
    assert sensors
    return (ticks_of(whole) - sum(map(ticks_of, sensors))) / os.sysconf("SC_CLK_TCK")


def name_of(task):
    return told(task, "comm").strip()


def ticks_of(task):
    """Processor time of a process or thread, in user and system mode; 0 if it has just ended."""
    return sum(map(int, told(task, "stat").rpartition(") ")[2].split()[11:13]))


def told(task, file):
    """What a file of a process or thread says; nothing if it has just ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return (task / file).read_text()
    return ""
