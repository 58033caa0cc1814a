"""Models are installed into slots: whatever fails, and whenever the power goes, an old or the new model reads."""

import errno
import os
import shutil
import signal
import threading
from pathlib import Path

import pytest
from deadline import within
from power_cut import Disk
from template_models import failing_model, ship_templates

from edge_lpdpl.errors import ModelError, ServiceError
from edge_lpdpl.library import slots
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.library.slots import confirm_model, install_model, installed_models, roll_back, word_file
from edge_lpdpl.model.files import read_model

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


class Device:
    """A state folder and the runtime folder of a service."""

    def __init__(self, folder: Path) -> None:
        self.state, self.runtime = folder / "state", folder / "run"
        self.state.mkdir()
        self.runtime.mkdir()

    def install(self, name, **options):
        return install_model(shipped_model(name), self.state, "numpy", **options)

    def service_reads(self, name):
        word_file({"RUNTIME_DIRECTORY": f"{self.runtime}:/elsewhere"}).write_text(digest(name))

    def confirm(self, **options):
        return confirm_model(self.state, **options)

    def pointers(self):
        """Slots that `current` and `good` point to."""
        return tuple(slots._pointed(self.state, name) for name in ("current", "good"))


def digest(name):
    return read_model(shipped_model(name)).digest


def reading(folder):
    """The name of the model that a service starts with, None for the shipped one."""
    for path in installed_models(folder):
        try:
            return read_model(path).name
        except ModelError:
            continue
    return None


def first_of(folder):
    """The name of the model that a service starts with without falling back, None for the shipped one."""
    paths = installed_models(folder)
    return read_model(paths[0]).name if paths else None


@pytest.fixture
def device(tmp_path, monkeypatch):
    monkeypatch.setattr(slots, "RUNTIME_FOLDER", tmp_path / "run")
    return Device(tmp_path)


@pytest.fixture
def settled(device):
    """A device on which `latin10` reads from slot a, and is known to be good."""
    device.install("latin10")
    device.service_reads("latin10")
    device.confirm()
    return device


def test_a_first_model_is_used_before_it_is_confirmed(device):
    done = device.install("latin10")
    assert (done["slot"], done["changed"], done["staged"]) == ("a", True, False)
    assert done["installed"] == str(device.state / "slots/a/model.safetensors")
    assert device.pointers() == ("a", None)
    assert installed_models(device.state) == [device.state / "slots/current/model.safetensors"]
    assert reading(device.state) == "latin10"


def test_a_model_goes_into_the_slot_that_nothing_needs(settled):
    assert settled.install("arabic10")["slot"] == "b"
    assert settled.pointers() == ("b", "a")
    assert [read_model(path).name for path in installed_models(settled.state)] == ["arabic10", "latin10"]


def test_an_unconfirmed_model_is_replaced_and_the_good_one_stays(settled):
    settled.install("arabic10")
    settled.install("chinese15")
    assert settled.pointers() == ("b", "a")
    assert [read_model(path).name for path in installed_models(settled.state)] == ["chinese15", "latin10"]


def test_a_model_that_the_service_reads_with_is_good_at_the_next_installation(settled):
    settled.install("arabic10")
    settled.service_reads("arabic10")
    settled.install("chinese15")
    assert settled.pointers() == ("a", "b")


def test_a_damaged_good_model_is_the_one_that_is_replaced(settled):
    settled.install("arabic10")
    (settled.state / "slots/a/model.safetensors").write_bytes(b"cut off")
    settled.install("chinese15")
    assert settled.pointers() == ("a", "a")
    assert reading(settled.state) == "chinese15"
    assert read_model(settled.state / "slots/b/model.safetensors").name == "arabic10"


def test_installing_twice_changes_nothing(settled):
    assert settled.install("latin10")["changed"] is False
    assert settled.pointers() == ("a", "a")
    assert not (settled.state / "slots/b").exists()


def test_a_staged_model_is_switched_to_by_the_same_call_without_stage(settled):
    done = settled.install("arabic10", stage=True)
    assert (done["slot"], done["staged"]) == ("b", True)
    assert settled.pointers() == ("a", "a")
    before = os.stat(done["installed"])
    assert settled.install("arabic10")["slot"] == "b"
    assert os.stat(done["installed"]).st_ino == before.st_ino
    assert settled.pointers() == ("b", "a")


def test_what_fails_its_self_test_changes_nothing(settled, tmp_path):
    with pytest.raises(ModelError, match="self-test"):
        install_model(failing_model(tmp_path), settled.state)
    assert settled.pointers() == ("a", "a")
    assert not (settled.state / "slots/b").exists()


def test_what_fails_in_its_slot_is_not_switched_to(settled, monkeypatch):
    verify, calls = slots.verify_model, []

    def fail_there(path, backend, trust):
        calls.append(path)
        if len(calls) == 2:
            raise ModelError(f"{path}: self-test 0 fails on this machine")
        return verify(path, backend, trust)

    monkeypatch.setattr(slots, "verify_model", fail_there)
    with pytest.raises(ModelError, match=r"slots/b/model.safetensors: self-test .*; slot a is current, as before$"):
        settled.install("arabic10")
    assert settled.pointers() == ("a", "a")


def test_leftovers_of_a_killed_installation_are_swept(settled):
    left = [settled.state / "slots" / ".0123.part", settled.state / "slots/b/.4567.part"]
    left[1].parent.mkdir()
    for path in left:
        path.touch()
    settled.install("arabic10")
    assert sorted(os.listdir(settled.state / "slots")) == ["a", "b", "current", "good"]
    assert os.listdir(settled.state / "slots/b") == ["model.safetensors"]


class TestConfirm:
    def test_it_needs_the_word_of_the_service(self, device):
        with pytest.raises(ServiceError, match="does not read with the installed model"):
            device.confirm()
        device.install("latin10")
        device.service_reads("arabic10")
        with pytest.raises(ServiceError, match=r"does not read with the installed model; .* edge-lpdpl model rollback"):
            device.confirm(patience=0.3)
        assert device.pointers() == ("a", None)
        device.service_reads("latin10")
        assert device.confirm() == {"slot": "a"}
        assert device.pointers() == ("a", "a")

    @pytest.mark.parametrize("word", ["link", "pipe", "long", "folder", "text"])
    def test_what_is_no_word_is_not_believed(self, word, device, tmp_path):
        """The folder belongs to the service: it may put anything there."""
        device.install("latin10")
        path = word_file({"RUNTIME_DIRECTORY": str(device.runtime)})
        if word == "link":
            (tmp_path / "else").write_text(digest("latin10"))
            path.symlink_to(tmp_path / "else")
        elif word == "pipe":
            os.mkfifo(path)
        elif word == "folder":
            path.mkdir()
        else:
            path.write_text(digest("latin10") + "\n" * 1000 if word == "long" else "a\x1b[2J")
        with within(20), pytest.raises(ServiceError):
            device.confirm()

    def test_it_waits_for_the_word(self, device):
        device.install("latin10")
        timer = threading.Timer(0.5, device.service_reads, ["latin10"])
        timer.start()
        assert device.confirm(patience=60) == {"slot": "a"}
        timer.join()

    def test_a_model_from_before_slots_stays_behind_those_in_slots(self, device):
        shutil.copy(shipped_model("arabic10"), device.state / "model.safetensors")
        assert reading(device.state) == "arabic10"
        device.install("latin10")
        assert [read_model(path).name for path in installed_models(device.state)] == ["latin10", "arabic10"]


class TestRollBack:
    def test_to_the_good_slot(self, settled):
        settled.install("arabic10")
        assert roll_back(settled.state) == {"slot": "a"}
        assert settled.pointers() == ("a", "a")

    def test_to_a_model_from_before_slots_or_to_the_shipped_one(self, device):
        shutil.copy(shipped_model("arabic10"), device.state / "model.safetensors")
        device.install("latin10")
        assert roll_back(device.state) == {"slot": None}
        assert reading(device.state) == "arabic10"
        (device.state / "model.safetensors").unlink()
        assert reading(device.state) is None
        assert roll_back(device.state) == {"slot": None}


class TestErrors:
    def test_it_says_what_is_on_the_disk_when_the_switch_was_not_synced(self, settled, monkeypatch):
        """Behind the rename the new model is used, until the power is cut."""
        disk = Disk(settled.state)

        def fail(_):
            if disk.steps[-1][:2] == ("move", "slots/current"):
                raise OSError(errno.EIO, "Input/output error")

        wrong = r"cannot be written \(Input/output error\); .*; slot b is current now, but a power cut may undo that$"
        with pytest.raises(ModelError, match=wrong), disk.watch(monkeypatch, fail):
            settled.install("arabic10")
        assert settled.pointers() == ("b", "a")

    def test_a_folder_that_cannot_be_made(self, tmp_path):
        (tmp_path / "file").touch()
        with pytest.raises(
            ModelError,
            match=r"sub: cannot be written \(Not a directory\); use sudo, .*; no slot is current, as before$",
        ):
            install_model(shipped_model("latin10"), tmp_path / "file" / "sub", "numpy")


def nothing_before(device):
    """The first installation."""
    assert os.listdir(device.state) == []


def one_before(device):
    """A good model is used."""
    device.install("latin10")
    device.service_reads("latin10")
    device.confirm()
    return "latin10"


def unconfirmed_before(device):
    """A good model was replaced by one that nobody has confirmed yet: both slots are pointed to."""
    one_before(device)
    device.install("chinese15")
    return "latin10", "chinese15"


def file_before(device):
    """A model from before there were slots."""
    shutil.copy(shipped_model("latin10"), device.state / "model.safetensors")
    return "latin10"


def killed_at(device, when):
    """Install `arabic10` in another process, and kill it behind the step that `when` picks. Whether it was killed."""
    process = os.fork()
    if process == 0:
        disk = Disk(device.state)
        with (
            pytest.MonkeyPatch.context() as patch,
            disk.watch(patch, lambda _: when(disk.steps) and os.kill(os.getpid(), signal.SIGKILL)),
        ):
            device.install("arabic10")
        os._exit(0)
    _, status = os.waitpid(process, 0)
    shutil.rmtree(device.state.with_name("state.before"))
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL


BEFORE = (nothing_before, one_before, unconfirmed_before, file_before)


@pytest.mark.parametrize("before", BEFORE, ids=lambda before: before.__name__)
class TestPower:
    """The old or the new model reads; with two old ones, either, for an unconfirmed one is given up first."""

    def test_it_may_be_cut_at_any_step(self, before, device, monkeypatch, tmp_path):
        old = before(device)
        disk = Disk(device.state)
        with disk.watch(monkeypatch):
            device.install("arabic10")
        assert len(disk.steps) >= 9
        allowed = {"arabic10", *(old if isinstance(old, tuple) else [old])}
        for count in range(len(disk.steps) + 1):
            for found in disk.states(count, tmp_path / "found"):
                assert first_of(found) in allowed, (count, disk.steps[count - 1][:2])
                assert count < len(disk.steps) or first_of(found) == "arabic10"

    def test_the_installation_may_be_killed_at_any_step_and_run_again(self, before, device, tmp_path):
        old = before(device)
        allowed = {"arabic10", *(old if isinstance(old, tuple) else [old])}
        shutil.copytree(device.state, tmp_path / "kept", symlinks=True)
        step = 0
        while killed_at(device, lambda steps, step=step: len(steps) > step):
            assert reading(device.state) in allowed
            device.install("arabic10")
            assert reading(device.state) == "arabic10"
            assert not list(device.state.glob("**/.*.part"))
            shutil.rmtree(device.state)
            shutil.copytree(tmp_path / "kept", device.state, symlinks=True)
            step += 1
        assert step >= 9


def test_the_power_may_be_cut_after_an_installation_that_was_killed_is_run_again(settled, monkeypatch, tmp_path):
    """The model was renamed, but its folder not synced: the second run finds it in its slot, and has to sync it."""
    disk = Disk(settled.state)

    def end(_):
        if disk.steps[-1][:2] == ("move", "slots/b/model.safetensors"):
            raise KeyboardInterrupt

    with disk.watch(monkeypatch, end), pytest.raises(KeyboardInterrupt):
        settled.install("arabic10")
    with disk.watch(monkeypatch):
        settled.install("arabic10")
    assert [step.kind for step in disk.steps].count("data") == 1
    for count in range(len(disk.steps) + 1):
        assert {first_of(found) for found in disk.states(count, tmp_path / "found")} <= {"latin10", "arabic10"}


def test_what_is_not_synced_is_missed(settled, monkeypatch, tmp_path):
    """The model of a disk finds a program that forgets to sync."""
    monkeypatch.setattr("edge_lpdpl.files.atomic.sync_folder", lambda folder: None)
    monkeypatch.setattr(slots, "sync_folder", lambda folder: None)
    disk = Disk(settled.state)
    with disk.watch(monkeypatch):
        settled.install("arabic10")
    with pytest.raises(ModelError, match=r"slots/current/model.safetensors: cannot be opened"):
        assert [first_of(found) for found in disk.states(len(disk.steps), tmp_path / "found")]
