"""`edge-lpdpl model`: models are shown, verified and installed."""

import dataclasses
import json
import os
import stat

import pytest
from template_models import failing_model, ship_templates

from edge_lpdpl.commands.main import main
from edge_lpdpl.library import slots
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.model.files import read_model, write_model


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


@pytest.fixture
def failing(tmp_path):
    return failing_model(tmp_path)


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


@pytest.mark.parametrize(
    ("measured", "line"),
    [
        ({"strangers_accepted": 0.0817, "strangers": 19999}, "8.2% of 19,999 held-out drawn shapes are accepted"),
        (
            {"strangers_accepted": 0.08, "strangers": 10, "struck_accepted": 0.1, "struck": 20},
            "8.0% of 10 held-out drawn shapes, 10.0% of 20 held-out numerals that are struck out are accepted",
        ),
        ({}, "not measured"),
        ({"strangers_accepted": "many", "strangers": None}, "not measured"),
    ],
)
def test_a_card_says_how_many_non_numerals_are_accepted(capsys, tmp_path, measured, line):
    model = read_model(shipped_model("latin10"))
    others = {
        key: value
        for key, value in model.calibration.items()
        if not key.startswith(("strangers", "characters", "struck"))
    }
    write_model(tmp_path / "a.safetensors", dataclasses.replace(model, calibration=others | measured))
    assert main(["model", "show", str(tmp_path / "a.safetensors")]) == 0
    (card,) = [row for row in capsys.readouterr().out.splitlines() if row.startswith("non-numerals")]
    assert card.split(maxsplit=1)[1] == line


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


def test_install_puts_a_model_into_a_slot_where_everybody_may_read_it(capsys, tmp_path, private):
    assert main(["model", "install", "latin10", "--to", str(tmp_path)]) == 0
    assert f"installed as {tmp_path}/slots/a/model.safetensors" in capsys.readouterr().out
    assert stat.S_IMODE((tmp_path / "slots/a/model.safetensors").stat().st_mode) == 0o644
    assert main(["model", "install", "arabic10", "--to", str(tmp_path), "--stage", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert done["installed"] == str(tmp_path / "slots/b/model.safetensors")
    assert (done["slot"], done["changed"], done["staged"]) == ("b", True, True)
    assert read_model(tmp_path / "slots/current/model.safetensors").name == "latin10"
    assert main(["model", "install", "latin10", "--to", str(tmp_path)]) == 0
    assert "already installed" in capsys.readouterr().out


@pytest.fixture
def private():
    """New files are private, as under some shells of root."""
    before = os.umask(0o077)
    yield
    os.umask(before)


def test_confirm_and_rollback(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(slots, "RUNTIME_FOLDER", tmp_path)
    assert main(["model", "confirm", "--to", str(tmp_path)]) == 2
    assert "does not read with the installed model" in capsys.readouterr().err
    assert main(["model", "install", "latin10", "--to", str(tmp_path)]) == 0
    assert main(["model", "confirm", "--to", str(tmp_path), "--wait", "1"]) == 2
    slots.word_file({"RUNTIME_DIRECTORY": str(tmp_path)}).write_text(read_model(shipped_model("latin10")).digest)
    assert main(["model", "confirm", "--to", str(tmp_path)]) == 0
    assert "reads with slot a, which is the good one now" in capsys.readouterr().out
    assert main(["model", "install", "arabic10", "--to", str(tmp_path)]) == 0
    assert main(["model", "rollback", "--to", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {"slot": "a"}


def test_a_rollback_without_a_confirmed_model_says_so(capsys, tmp_path):
    assert main(["model", "rollback", "--to", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("there is no confirmed model to go back to; the service reads with the")


def test_a_folder_that_cannot_be_made(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main(["model", "install", "latin10", "--to", str(tmp_path / "file" / "sub")]) == 2
    assert (
        "cannot be written (Not a directory); use sudo, or --to another folder; no slot is current, as before"
        in capsys.readouterr().err
    )


def test_list_names_what_is_shipped_and_what_is_installed(capsys, tmp_path):
    assert main(["model", "install", "latin10", "--to", str(tmp_path), "--backend", "numpy"]) == 0
    (tmp_path / "slots" / "b").mkdir()
    (tmp_path / "slots" / "b" / "model.safetensors").write_bytes(b"no model")
    capsys.readouterr()
    assert main(["model", "list", "--to", str(tmp_path), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["where"]) for one in listed[-3:]] == [
        ("latin10", "shipped"), ("latin10", "installed and current"), (None, "installed")
    ]  # fmt: skip
    assert listed[-1]["problem"].startswith(f"{tmp_path}/slots/b/model.safetensors: ")
    assert listed[-2]["digest"] == read_model(shipped_model("latin10")).digest
    assert main(["model", "list", "--to", str(tmp_path)]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].split() == ["name", "reads", "profile", "where", "digest"]
    assert any(row.startswith("chinese15  零一二三四五六七八九十百千万亿  edge") for row in rows)
