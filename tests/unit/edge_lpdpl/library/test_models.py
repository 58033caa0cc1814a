"""Models are found by name or path, and installed only where they pass their self-test."""

import os
from pathlib import Path

import pytest
from template_models import failing_model, ship_templates

from edge_lpdpl.errors import ModelError
from edge_lpdpl.library.models import find_model, install_model
from edge_lpdpl.library.shipped import shipped_model


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


@pytest.fixture
def failing(tmp_path):
    return failing_model(tmp_path)


def test_models_are_found_by_name_or_path(tmp_path, monkeypatch):
    assert find_model("chinese15") == shipped_model("chinese15")
    assert find_model("a/b") == Path("a/b")
    assert find_model("b.safetensors") == Path("b.safetensors")
    (tmp_path / "bare").touch()
    monkeypatch.chdir(tmp_path)
    assert find_model("bare") == Path("bare")
    with pytest.raises(ModelError, match=r"shipped model \(arabic10, cheque15, chinese15, latin10\)$"):
        find_model("b")


def test_a_model_that_fails_is_not_installed(failing, tmp_path):
    target = tmp_path / "to"
    install_model(shipped_model("latin10"), target)
    with pytest.raises(ModelError, match="self-test"):
        install_model(failing, target)
    assert os.listdir(target) == ["model.safetensors"]


def test_a_damaged_model_is_replaced_and_not_kept(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"cut off")
    done = install_model(shipped_model("latin10"), tmp_path)
    assert done["previous"] is None
    assert os.listdir(tmp_path) == ["model.safetensors"]


def test_installed_under_another_name(tmp_path):
    assert install_model(shipped_model("latin10"), tmp_path, "digits.safetensors")["installed"].endswith(
        "/digits.safetensors"
    )
    for name in ("../model", "", ".hidden", "a b"):
        with pytest.raises(ModelError, match="cannot be the name of a model"):
            install_model(shipped_model("latin10"), tmp_path, name)
