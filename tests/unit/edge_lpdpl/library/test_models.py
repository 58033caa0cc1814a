"""Models are found by name or path, and verified on this machine."""

from pathlib import Path

import pytest
from template_models import failing_model, ship_templates

from edge_lpdpl.errors import ModelError
from edge_lpdpl.library.models import find_model, verify_model
from edge_lpdpl.library.shipped import shipped_model


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


def test_models_are_found_by_name_or_path(tmp_path, monkeypatch):
    assert find_model("chinese15") == shipped_model("chinese15")
    assert find_model("a/b") == Path("a/b")
    assert find_model("b.safetensors") == Path("b.safetensors")
    (tmp_path / "bare").touch()
    monkeypatch.chdir(tmp_path)
    assert find_model("bare") == Path("bare")
    with pytest.raises(ModelError, match=r"shipped model \(arabic10, cheque15, chinese15, latin10\)$"):
        find_model("b")


def test_a_model_that_fails_its_self_test_is_refused(tmp_path):
    assert verify_model(shipped_model("latin10"))[1]["selftest_samples"] == 8
    with pytest.raises(ModelError, match="self-test 0 fails on this machine"):
        verify_model(failing_model(tmp_path))
