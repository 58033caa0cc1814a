"""`edge-lpdpl run` as a process: on pictures, a service manager and clients at its sockets, until it ends."""

import importlib.util
import io
import json
import os
import re
import resource
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cards import draw_cards
from messages import message_schema
from PIL import Image
from programs import COMMAND

from edge_lpdpl.commands.main import main
from edge_lpdpl.errors import ServiceError
from edge_lpdpl.library import slots
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.library.slots import confirm_model, install_model
from edge_lpdpl.live.client import Client

pytestmark = pytest.mark.slow

READY_SECONDS = 90  # a first run compiles


class Manager:
    """The service manager's end of the notification socket."""

    def __init__(self, folder: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "notify"))
        self.heard: list[str] = []

    def environment(self, folder: Path) -> dict[str, str]:
        names = {"NOTIFY_SOCKET": self._socket.getsockname(), "RUNTIME_DIRECTORY": str(folder)}
        return {**os.environ, **names, "WATCHDOG_USEC": "2000000", "PYTHONPATH": os.pathsep.join(sys.path)}

    def wait_for(self, wanted: str, seconds: float = READY_SECONDS) -> str:
        """The next datagram that holds `wanted`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._socket.settimeout(max(0.01, end - time.monotonic()))
            self.heard.append(self._socket.recv(4096).decode())
            if wanted in self.heard[-1]:
                return self.heard[-1]
        raise TimeoutError(wanted)


def finished(*arguments: str, stdout: Any = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    """Run the command with these arguments until it ends by itself."""
    return subprocess.run(
        [*COMMAND, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=READY_SECONDS,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )


@pytest.fixture
def manager(tmp_path):
    return Manager(tmp_path)


@pytest.fixture
def config(tmp_path) -> Path:
    """A configuration with two pictures in turn, for ever."""
    draw_cards(tmp_path / "pictures", "chinese_5_paper.png", "chinese_9_paper.png")
    path = tmp_path / "config.toml"
    path.write_text(
        f"[frames]\nsource = '{tmp_path / 'pictures'}'\nwidth = 320\nheight = 240\npicture_ms = 300\nrepeat = true\n"
        f"[trigger]\nstill_ms = 60\n[model]\nfile = '{shipped_model('chinese15')}'\n"
    )
    return path


@pytest.fixture
def started(tmp_path, manager, config):
    """The running service."""
    process = subprocess.Popen(
        [*COMMAND, "run", "--config", str(config)],
        env=manager.environment(tmp_path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    yield process
    process.kill()
    process.communicate()


def test_ready_comes_after_the_warm_up_and_the_watchdog_is_fed(manager, started):
    manager.wait_for("READY=1")
    assert manager.heard[:2] == ["STATUS=opening the source of frames", "STATUS=warming up"]
    manager.wait_for("WATCHDOG=1", 5)
    line = manager.wait_for("STATUS=", 10)
    while "p99" not in line:
        line = manager.wait_for("STATUS=", 10)
    assert "dropped" in line


def test_a_decision_is_a_line_as_the_schema_says_and_stop_ends_it_cleanly(manager, started):
    manager.wait_for("READY=1")
    messages = [json.loads(started.stdout.readline()) for _ in range(3)]
    for message in messages:
        jsonschema.validate(message, message_schema())
    assert [[one["value"] for one in message["numbers"]] for message in messages] == [[5], [9], [5]]
    started.send_signal(signal.SIGTERM)
    _, err = started.communicate(timeout=10)
    assert started.returncode == 0
    assert "STOPPING=1" in manager.wait_for("STOPPING=1", 5)
    assert "Traceback" not in err.decode()


def test_reload_takes_a_good_configuration_and_keeps_the_old_one_on_any_error(tmp_path, manager, started, config):
    manager.wait_for("READY=1")
    latin = shipped_model("latin10")
    good = config.read_text()
    with Client(tmp_path / "edge-lpdpl.sock") as client:
        for text, model, error in (
            (good.replace("still_ms = 60", "still_ms = -1"), "chinese15", "still_ms is -1, not 0 to 10000"),
            (good.replace("chinese15.safetensors", "gone.safetensors"), "chinese15", "gone.safetensors: "),
            (f"{good.partition('[model]')[0]}[model]\nfile = '{latin}'\n", "latin10", None),
        ):
            before = client.ask({"request": "status"})["status"]
            config.write_text(text)
            started.send_signal(signal.SIGHUP)
            assert "MONOTONIC_USEC=" in manager.wait_for("RELOADING=1", 10)
            manager.wait_for("READY=1", READY_SECONDS)
            status = client.ask({"request": "status"})["status"]
            assert status["model"]["name"] == model
            assert (status["reload_error"] is None) is (error is None)
            assert error is None or error in status["reload_error"]
            assert status["frames"] > before["frames"]
        assert (status["reloads"], status["refused_reloads"], status["faults"]) == (1, 2, 0)


def test_clients_ask_and_change_settings(tmp_path, manager, started):
    manager.wait_for("READY=1")
    with Client(tmp_path / "edge-lpdpl.sock") as client:
        message = client.ask({"request": "recognise"})
        jsonschema.validate(message, message_schema())
        assert message["trigger"] == "request"
        answer = client.ask({"request": "set", "set": {"trigger.kind": "request"}, "id": 7})
        assert (answer["ok"], answer["id"]) == (True, 7)
        assert client.ask({"request": "status"})["status"]["trigger"] == "request"


@pytest.fixture
def damaged(tmp_path, config, monkeypatch):
    """A state folder whose installed model is damaged."""
    state = tmp_path / "state"
    monkeypatch.setenv("STATE_DIRECTORY", str(state))
    monkeypatch.setattr(slots, "RUNTIME_FOLDER", tmp_path)
    config.write_text(config.read_text().partition("[model]")[0])
    Path(install_model(shipped_model("latin10"), state, "numpy")["installed"]).write_bytes(b"cut off")
    return state


def test_a_damaged_model_is_stood_in_for_until_another_one_is_installed(tmp_path, manager, damaged, started):
    """The whole way of a model: the service comes back, says why, takes the next model over, and confirms it."""
    manager.wait_for("READY=1")
    said = json.loads(started.stdout.readline())
    jsonschema.validate(said, message_schema())
    assert said["model"]["problem"].startswith("chinese15 reads instead of the installed model: ")
    with Client(tmp_path / "edge-lpdpl.sock") as client:
        assert client.ask({"request": "status"})["status"]["model_problem"] == said["model"]["problem"]
        with pytest.raises(ServiceError):  # it reads, but not with the installed model
            confirm_model(damaged)
        install_model(shipped_model("latin10"), damaged, "numpy")
        started.send_signal(signal.SIGHUP)
        manager.wait_for("RELOADING=1", 10)
        manager.wait_for("READY=1", READY_SECONDS)
        assert confirm_model(damaged, patience=30) == {"slot": "b"}
        status = client.ask({"request": "status"})["status"]
        assert (status["model"]["name"], status["model_problem"]) == ("latin10", None)
    started.kill()
    _, err = started.communicate()
    assert "slots/current/model.safetensors: is too short for a header" in err.decode()


def test_a_picture_that_is_a_bomb_does_not_keep_the_service(config, tmp_path):
    """A progressive JPEG of 3,000 scans: 40 KB that take libjpeg seconds."""
    file = io.BytesIO()
    Image.new("L", (1024, 1024), 128).save(file, "JPEG", progressive=True)
    data = file.getvalue()
    scan = data[data.rindex(b"\xff\xda") : -2]
    (tmp_path / "pictures" / "bomb.jpg").write_bytes(data[:-2] + scan * 3000 + b"\xff\xd9")
    config.write_text(config.read_text().replace("repeat = true", "repeat = false"))
    done = finished("run", "--config", str(config), "--set", "publish.socket=")
    assert done.returncode == 0
    assert done.stderr.decode().count("bomb.jpg: has more than 32 scans; save it as a plain JPEG or PNG") == 1
    assert [json.loads(line)["numbers"][0]["value"] for line in done.stdout.splitlines()] == [5, 9]


def test_a_manager_without_sockets_is_not_needed_and_the_last_picture_is_the_end(config):
    config.write_text(config.read_text().replace("repeat = true", "repeat = false"))
    done = finished("run", "--config", str(config), "--set", "publish.socket=")
    assert done.returncode == 0
    values = [json.loads(line)["numbers"][0]["value"] for line in done.stdout.splitlines()]
    assert values == [5, 9]
    assert done.stderr.decode().endswith("that was the last frame\n")


def test_frames_too_few_for_a_decision_are_told_of(config):
    quick = ["--set", "frames.picture_ms=40", "--set", "trigger.still_ms=5000", "--set", "frames.repeat=false"]
    done = finished("run", "--config", str(config), "--set", "publish.socket=", *quick)
    assert (done.returncode, done.stdout) == (0, b"")
    assert re.search(r"that was the last frame, and none of \d+ led to a decision\n$", done.stderr.decode())


class TestStatusSaysWhetherAnotherStartMayHelp:
    """The systemd unit restarts the service after status 3, and not after 2."""

    def test_full_disk_behind_standard_output(self, config):
        with open("/dev/full", "wb") as full:
            done = finished("run", "--config", str(config), "--set", "publish.socket=", stdout=full)
        assert done.returncode == 3
        assert done.stderr.decode().endswith("No space left on device\n")

    def test_port_that_is_taken(self, config, capsys):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            assert main(["run", "--config", str(config), "--set", f"metrics.port={port}"]) == 3
        assert "Address already in use" in capsys.readouterr().err

    def test_socket_that_another_service_has(self, config, tmp_path, capsys):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
            other.bind(str(tmp_path / "taken"))
            other.listen()
            assert main(["run", "--config", str(config), "--set", f"publish.socket={tmp_path / 'taken'}"]) == 3
        assert "another service answers there" in capsys.readouterr().err

    @pytest.mark.parametrize(
        "setting",
        ["publish.socket=/none/socket", "model.file=/none.safetensors", "frames.source=/none", "frames.sorce=camera"],
    )
    def test_errors_that_a_person_has_to_fix(self, setting, config, capsys):
        assert main(["run", "--config", str(config), "--set", setting]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_without_picamera2_it_ends_soon_and_says_what_to_do():
    if importlib.util.find_spec("picamera2"):
        pytest.skip("picamera2 is installed here; the camera lane tests what happens without a camera")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = finished("run", "--config", os.devnull)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Processor time, because it never waits, and other tests may use the processor too.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2
    assert done.returncode == 2
    assert done.stdout == b""
    (line,) = done.stderr.decode().splitlines()
    assert "apt install python3-picamera2" in line
    assert "edge-lpdpl run --frames" in line


def test_a_reader_that_closes_the_pipe_ends_it_quietly(config):
    script = f"{' '.join(map(shlex.quote, COMMAND))} run --config {config} --set publish.socket= | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script],
        capture_output=True,
        timeout=READY_SECONDS,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 141
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr.decode()
