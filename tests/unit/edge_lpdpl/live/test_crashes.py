"""A model that kills the process at its start: after a few crashes another one reads, and there is always one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from template_models import ship_templates

from edge_lpdpl.library import slots
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.library.slots import confirm_model, install_model, word_file
from edge_lpdpl.library.trials import MOST_CRASHES, Trials, trials_file
from edge_lpdpl.live import setup
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.setup import prepare
from edge_lpdpl.model.files import read_model

pytestmark = pytest.mark.slow


class Device:
    """A machine with `latin10` known to be good and `arabic10` current, whose service is started again and again."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.state, self.runtime = folder / "state", folder / "run"
        self.runtime.mkdir()
        monkeypatch.setenv("STATE_DIRECTORY", str(self.state))
        monkeypatch.setenv("RUNTIME_DIRECTORY", str(self.runtime))
        monkeypatch.setattr(slots, "RUNTIME_FOLDER", self.runtime)
        self.install("latin10")
        word_file().write_text(read_model(shipped_model("latin10")).digest)
        confirm_model(self.state)
        self.install("arabic10")
        self.deadly: set[str] = set()

    def install(self, name):
        install_model(shipped_model(name), self.state, "numpy")

    def start(self, until="read"):
        """The model that reads, and why it is not the installed one; None where the process was killed before.

        Args:
            until: `read` a frame, `prepared`, or an `error` of the camera behind that.
        """
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            try:
                with Trials(trials_file()) as trials:
                    made = prepare(
                        load_config((), {"model": {"backend": "numpy"}}), 64, 64, fall_back=True, trials=trials
                    )
                    if until == "read":
                        trials.passed()
                    os.write(writing, f"{made.model.name}: {made.problem}".encode())
                    if until == "error":
                        raise OSError("the camera is gone")
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading) as told:
            said = told.read()
        _, status = os.waitpid(process, 0)
        assert (status == signal.SIGKILL) is (not said)
        return said or None


@pytest.fixture
def device(tmp_path, monkeypatch):
    ship_templates(monkeypatch)
    device = Device(tmp_path, monkeypatch)
    real = setup.prepare_with

    def kill(model, *rest):
        if model.name in device.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(model, *rest)

    monkeypatch.setattr(setup, "prepare_with", kill)
    return device


WHY = f"{MOST_CRASHES} starts with it ended before a frame was read; see the journal, and install another"


def test_a_model_that_crashes_gives_way_to_the_good_one_and_that_to_the_shipped_one(device):
    device.deadly = {"arabic10"}
    assert [device.start() for _ in range(MOST_CRASHES)] == [None] * MOST_CRASHES
    for _ in range(2):  # and it stays so
        assert device.start().startswith("latin10: latin10 reads instead of the installed model: ")
    assert WHY in device.start()
    device.deadly |= {"latin10"}
    assert [device.start() for _ in range(MOST_CRASHES)] == [None] * MOST_CRASHES
    assert device.start().startswith("chinese15: chinese15 reads instead")


def test_the_last_model_is_tried_for_ever(device):
    device.deadly = {"arabic10", "latin10", "chinese15"}
    assert [device.start() for _ in range(3 * MOST_CRASHES)] == [None] * 3 * MOST_CRASHES
    device.deadly = set()
    assert device.start().startswith("chinese15: ")


def test_another_model_is_tried_at_once(device):
    device.deadly = {"arabic10"}
    for _ in range(MOST_CRASHES + 1):
        device.start()
    device.install("cheque15")
    assert device.start() == "cheque15: None"


def test_a_start_that_was_killed_now_and_then_is_no_reason(device):
    for _ in range(MOST_CRASHES):
        device.deadly = {"arabic10"}
        assert device.start() is None
        device.deadly = set()
        assert device.start() == "arabic10: None"


def test_a_model_that_never_reads_a_frame_counts_as_one_that_crashes(device):
    assert {device.start("prepared") for _ in range(MOST_CRASHES)} == {"arabic10: None"}
    assert device.start("prepared").startswith("latin10: ")
    for _ in range(2 * MOST_CRASHES):  # the good one has read before: the camera hangs, not the model
        assert device.start("prepared").startswith("latin10: ")


def test_a_model_that_fails_with_an_error_has_not_crashed(device):
    """So the reason stays the right one, and the model reads as soon as that is mended."""
    current = device.state / "slots/current/model.safetensors"
    whole = current.read_bytes()
    current.write_bytes(whole[:-1])
    for _ in range(MOST_CRASHES + 2):
        assert "slots/current/model.safetensors: " in (said := device.start())
        assert WHY not in said
    current.write_bytes(whole)
    assert device.start() == "arabic10: None"


def test_a_failure_does_not_forget_the_crashes_of_another_model(device):
    device.deadly = {"arabic10"}
    for _ in range(MOST_CRASHES):
        device.start()
    (device.state / "slots/good/model.safetensors").write_bytes(b"")
    for _ in range(3):
        said = device.start()
        assert said.startswith("chinese15: ")
        assert WHY in said


def test_an_error_of_the_camera_is_no_fault_of_the_model(device):
    assert {device.start("error") for _ in range(2 * MOST_CRASHES)} == {"arabic10: None"}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b'{"a": "b"}', b"[" * 3000, b"x" * 9000, "pipe", "folder", "link"]
)
def test_notes_that_are_damaged_are_none(device, content, tmp_path):
    file = trials_file()
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content == "pipe":
        os.mkfifo(file)
    elif content == "folder":
        file.mkdir()
    else:
        (tmp_path / "else").write_text("{}")
        file.symlink_to(tmp_path / "else")
    assert device.start() == "arabic10: None"


DEADLY = """
import os, signal, sys
from edge_lpdpl.numeral.recogniser import Recogniser
self_test = Recogniser.self_test

def kill(self):
    if self.model.name == "arabic10":
        os.kill(os.getpid(), signal.SIGKILL)
    self_test(self)

Recogniser.self_test = kill
from edge_lpdpl.commands.main import main
sys.exit(main())
"""


def test_the_command_comes_back_with_the_good_model(tmp_path, monkeypatch):
    device = Device(tmp_path, monkeypatch)
    pictures = shipped_model("latin10").parents[1] / "shipped_pictures"
    settings = [f"frames.source={pictures}", "model.backend=numpy", "publish.stdout=false", "frames.repeat=true"]
    command = [sys.executable, "-c", DEADLY, "run", *(word for one in settings for word in ("--set", one))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(MOST_CRASHES):
        assert subprocess.run(command, env=environment, check=False).returncode == -signal.SIGKILL
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        lines = iter(process.stderr.readline, "")
        assert "latin10 reads instead of the installed model: " in next(lines)
        assert "with latin10" in next(lines)
        end = time.monotonic() + 30
        while not word_file().exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        process.kill()
    assert word_file().read_text() == read_model(shipped_model("latin10")).digest
    assert device.state.is_dir()
