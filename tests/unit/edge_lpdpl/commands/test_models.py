"""Models found, shown, verified and installed; the kernels warmed up for them."""

import dataclasses
import json
import os
import time
from pathlib import Path

import pytest
from template_models import ship_templates

from edge_lpdpl.commands import warm as warming
from edge_lpdpl.commands.main import main
from edge_lpdpl.commands.warm import prune, warm
from edge_lpdpl.errors import BackendError, ModelError
from edge_lpdpl.library.models import find_model, install_model
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.model.files import read_model, write_model


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    """A model that can be believed, but decides otherwise here than for its trainer."""
    model = read_model(shipped_model("latin10"))
    path = tmp_path / "failing.safetensors"
    write_model(path, dataclasses.replace(model, selftest_scores=model.selftest_scores + 1))
    return path


def test_models_are_found_by_name_or_path(tmp_path, monkeypatch):
    assert find_model("chinese15") == shipped_model("chinese15")
    assert find_model("a/b") == Path("a/b")
    assert find_model("b.safetensors") == Path("b.safetensors")
    (tmp_path / "bare").touch()
    monkeypatch.chdir(tmp_path)
    assert find_model("bare") == Path("bare")
    with pytest.raises(ModelError, match=r"shipped model \(arabic10, chinese15, latin10\)$"):
        find_model("b")


def test_show_is_a_card_for_people(capsys):
    assert main(["model", "show", "chinese15"]) == 0
    text = capsys.readouterr().out
    for wanted in ("chinese15 (profile edge)", "零 一 二", "100,000,000", "97.00% +- 0.20% (conventional)", "seed 0"):
        assert wanted in text
    assert read_model(shipped_model("chinese15")).digest in text


def test_a_card_without_figures(capsys, tmp_path):
    model = dataclasses.replace(read_model(shipped_model("latin10")), accuracy=None)
    write_model(tmp_path / "a.safetensors", model)
    assert main(["model", "show", str(tmp_path / "a.safetensors")]) == 0
    assert "not measured" in capsys.readouterr().out


def test_show_is_json_for_programs(capsys):
    assert main(["model", "show", "latin10", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["labels"][7] == ["7", 7]
    assert shown["file_bytes"] == os.stat(shown["file"]).st_size
    assert shown["digest"].startswith("sha256:")


def test_verify_runs_the_self_test(capsys, failing):
    assert main(["model", "verify", "latin10", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["selftest_samples"], found["backend"]) == (True, 8, "numba")
    assert main(["model", "verify", "latin10"]) == 0
    assert "ok, 8 self-tests pass with numba" in capsys.readouterr().out
    assert main(["model", "verify", str(failing)]) == 2
    assert "self-test 0 fails on this machine" in capsys.readouterr().err


def test_install_puts_the_model_in_place_and_keeps_the_one_before(capsys, tmp_path):
    folder = tmp_path / "lib" / "edge-lpdpl"
    assert main(["model", "install", "latin10", "--to", str(folder)]) == 0
    assert read_model(folder / "model.safetensors") == read_model(shipped_model("latin10"))
    assert main(["model", "install", "arabic10", "--to", str(folder), "--json"]) == 0
    done = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert done["installed"] == str(folder / "model.safetensors")
    assert done["previous"] == str(folder / "model.previous.safetensors")
    assert read_model(folder / "model.safetensors").name == "arabic10"
    assert read_model(folder / "model.previous.safetensors").name == "latin10"


def test_installing_twice_changes_nothing(tmp_path, capsys):
    install_model(shipped_model("latin10"), tmp_path)
    install_model(shipped_model("arabic10"), tmp_path)
    assert main(["model", "install", "arabic10", "--to", str(tmp_path)]) == 0
    assert "was installed already" in capsys.readouterr().out
    assert read_model(tmp_path / "model.previous.safetensors").name == "latin10"


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


def test_a_folder_that_cannot_be_made(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main(["model", "install", "latin10", "--to", str(tmp_path / "file" / "sub")]) == 2
    assert "cannot be made (Not a directory); use sudo, or --to another folder" in capsys.readouterr().err


def test_warm_compiles_what_the_models_need(capsys):
    assert main(["warm", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["models"] == ["arabic10", "chinese15", "latin10"]
    assert first["bytes"] > 50_000
    assert Path(first["folder"]).stat().st_mode & 0o777 == 0o700
    assert main(["warm"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("the kernels were there already: ")
    assert f"kept in {first['folder']}" in text


def test_warm_without_a_place_or_a_model(monkeypatch):
    with pytest.raises(ModelError, match="no model to warm up"):
        warm([])
    monkeypatch.setattr(warming, "cache_folder", lambda: None)
    with pytest.raises(BackendError, match="no folder for the compiled kernels"):
        warm()


def test_only_old_caches_of_our_own_are_pruned(tmp_path):
    now = time.time()
    current, old, young, fresh, other, link = (
        tmp_path / name
        for name in (
            "kernels-000000000000",
            "kernels-111111111111",
            "kernels-222222222222",
            "kernels-333333333333",
            "notes",
            "kernels-444444444444",
        )
    )
    for folder in (current, old, young, fresh, other):
        (folder / "sub").mkdir(parents=True)
        (folder / "sub" / "kernel.nbc").touch()
    link.symlink_to(other)
    for folder, days in ((current, 99), (old, 31), (young, 29), (fresh, 31), (other, 99)):
        for path in (folder / "sub" / "kernel.nbc", folder / "sub", folder):
            os.utime(path, (now - days * 86400,) * 2)
    os.utime(fresh / "sub" / "kernel.nbc")
    assert prune(current) == [old]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in (current, young, fresh, other, link)
    )
