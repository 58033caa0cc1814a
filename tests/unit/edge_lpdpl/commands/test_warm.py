"""`edge-lpdpl warm`: kernels are compiled for the models, and old caches are pruned."""

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


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


def test_warm_compiles_what_the_models_need(capsys):
    assert main(["warm", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["models"] == ["arabic10", "cheque15", "chinese15", "latin10"]
    assert first["bytes"] > 50_000
    rooms = {path.name.partition("-")[0] for path in Path(first["folder"]).glob("*.kernels")}
    assert rooms == {"number", "numeral", "page"}
    assert main(["warm"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("the kernels were compiled already: ")
    assert f"kept in {first['folder']}" in text


def test_warm_without_a_place_or_a_model(monkeypatch):
    with pytest.raises(ModelError, match="no model to warm up"):
        warm([])
    monkeypatch.setattr(warming, "cache_folder", lambda **_: None)
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
