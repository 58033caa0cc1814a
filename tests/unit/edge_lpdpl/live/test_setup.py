"""Which model the service reads with, and what it takes where that one fails."""

import dataclasses
import shutil

import numpy as np
import pytest
from template_models import failing_model, ship_templates

from edge_lpdpl.errors import BackendError, EdgeError, ModelError
from edge_lpdpl.library import slots
from edge_lpdpl.library.models import find_model
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.library.slots import confirm_model, install_model
from edge_lpdpl.live import setup
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.setup import model_paths, prepare
from edge_lpdpl.model.files import read_model, write_model


@pytest.fixture
def state(tmp_path, monkeypatch):
    """A state folder in which arabic10 is good and latin10 is current."""
    ship_templates(monkeypatch)
    monkeypatch.setattr(slots, "RUNTIME_FOLDER", tmp_path)
    state = tmp_path / "state"
    monkeypatch.setenv("STATE_DIRECTORY", f"{state}:/nowhere")
    install_model(find_model("arabic10"), state, "numpy")
    (tmp_path / "reads-with").write_text(read_model(shipped_model("arabic10")).digest)
    confirm_model(state)
    install_model(find_model("latin10"), state, "numpy")
    return state


def started(**model):
    """Name of the model of a service that starts, and its problem."""
    found = prepare(load_config((), {"model": {"backend": "numpy", **model}}), 64, 64, fall_back=True)
    return found.model.name, found.problem


def test_an_installed_model_comes_before_the_good_one_and_the_shipped_one(state):
    names = ("slots/current", "slots/good")
    assert model_paths("auto") == [*(state / name / "model.safetensors" for name in names), shipped_model("chinese15")]
    assert started() == ("latin10", None)


def test_a_model_from_before_slots_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    shutil.copy(shipped_model("latin10"), tmp_path / "model.safetensors")
    assert model_paths("auto") == [tmp_path / "model.safetensors", shipped_model("chinese15")]


def test_a_named_model_is_that_one(state):
    assert model_paths("arabic10") == [shipped_model("arabic10")]
    with pytest.raises(ModelError, match="cannot be opened"):
        started(file=str(state / "none.safetensors"))


def test_no_test_depends_on_an_installed_model():
    assert model_paths("auto") == [shipped_model("chinese15")]


def damaged(state):
    (state / "slots/b/model.safetensors").write_bytes(b"cut off")


def dangling(state):
    shutil.rmtree(state / "slots/b")


def pointing_elsewhere(state):
    (state / "slots/current").unlink()
    (state / "slots/current").symlink_to("c")


def failing(state):
    shutil.copy(failing_model(state), state / "slots/b/model.safetensors")


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (damaged, "slots/current/model.safetensors: is too short"),
        (dangling, "slots/current/model.safetensors: cannot be opened"),
        (pointing_elsewhere, "slots/current/model.safetensors: cannot be opened"),
        (failing, "self-test 0 fails on this machine"),
    ],
)
def test_a_start_falls_back_to_the_good_model_and_then_to_the_shipped_one(fault, reason, state):
    fault(state)
    name, problem = started()
    assert name == "arabic10"
    assert problem.startswith("arabic10 reads instead of the installed model: ")
    assert reason in problem
    (state / "slots/a/model.safetensors").write_bytes(b"")
    name, problem = started()
    assert name == "chinese15"
    assert reason in problem
    with pytest.raises(EdgeError):  # a reload stays with what reads
        prepare(load_config((), {"model": {"backend": "numpy"}}), 64, 64)


@pytest.mark.parametrize("error", [BackendError("cannot run it"), MemoryError()])
def test_what_the_backend_refuses_falls_back_too(error, state, monkeypatch):
    real = setup.prepare_with

    def refuse(model, *rest):
        if model.name == "latin10":
            raise error
        return real(model, *rest)

    monkeypatch.setattr(setup, "prepare_with", refuse)
    assert started()[0] == "arabic10"


def test_a_model_that_only_numpy_accepts_is_stood_in_for(state, tmp_path):
    """`model install --backend numpy` compares scores within rounding; the kernels of the service to the last bit."""
    model = read_model(shipped_model("cheque15"))
    path = tmp_path / "nearly.safetensors"
    write_model(path, dataclasses.replace(model, name="nearly", selftest_scores=model.selftest_scores * (1 + 2**-20)))
    install_model(path, state, "numpy")
    found = prepare(load_config((), {"model": {"backend": "numba"}}), 64, 64, fall_back=True)
    assert found.model.name == "arabic10"
    assert "fails on this machine" in found.problem


def test_the_first_fault_is_raised_where_nothing_reads(state, monkeypatch):
    damaged(state)
    (state / "slots/a/model.safetensors").write_bytes(b"")
    (state.parent / "none").touch()
    monkeypatch.setattr(setup, "find_model", lambda name: state.parent / "none")
    with pytest.raises(ModelError, match=r"slots/current/model.safetensors: is too short"):
        started()


def test_a_region_outside_of_the_frame_is_no_fault_of_the_model(state):
    config = load_config((), {"page": {"region": [100, 100, 64, 64]}, "model": {"backend": "numpy"}})
    with pytest.raises(EdgeError) as caught:
        prepare(config, 64, 64, fall_back=True)
    assert "latin10" not in str(caught.value)


class TestSeveralModels:
    def test_further_models_read_beside_the_first_one(self):
        config = load_config((), {"model": {"backend": "numpy", "file": "latin10", "also": ["chinese15"]}})
        found = prepare(config, 64, 64)
        frame = np.full((64, 64), 200, np.uint8)
        frame[30:34, 10:54] = 40
        read = found.reader.read(frame)
        assert found.model.name == "latin10"
        assert [(number.text, model.name) for number, model in zip(read.numbers, read.models, strict=True)] == [
            ("一", "chinese15")
        ]

    def test_each_is_trusted_and_found_as_the_first_is(self, state):
        for also, said in (("roman12", "neither a model file nor"), (str(state / "none"), "cannot be opened")):
            config = load_config((), {"model": {"backend": "numpy", "file": "latin10", "also": [also]}})
            with pytest.raises(ModelError, match=said):
                prepare(config, 64, 64)
