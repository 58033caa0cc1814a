"""The demo: decisions, times and drawings, for people and for programs."""

import json
import os

import pytest
from PIL import Image
from template_models import ship_templates

from edge_lpdpl.commands import demo
from edge_lpdpl.commands.main import main
from edge_lpdpl.library import shipped
from edge_lpdpl.library.shipped import shipped_model

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)
    monkeypatch.setattr(demo, "_BENCH_SECONDS", 0.05)


def test_people_see_decisions_times_and_where_the_drawings_are(capsys, tmp_path):
    assert main(["demo", "--output", str(tmp_path / "out")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "chinese15: 30 of 30 shipped pictures read right"
    assert lines[1].split() == ["screen", *"零一二三四五六七八九十百千万亿"]
    assert any(line.startswith("stages  binarise ") for line in lines)
    assert any(line.startswith("budget  1000 us: ") for line in lines)
    assert lines[-4] == f"look at {tmp_path / 'out' / 'chinese15.png'}"
    assert sorted(os.listdir(tmp_path / "out")) == ["arabic10.png", "cheque15.png", "chinese15.png", "latin10.png"]
    assert Image.open(tmp_path / "out" / "chinese15.png").width > 1000


def test_programs_get_all_of_it(capsys, tmp_path):
    assert main(["demo", "--json", "--output", str(tmp_path), "--model", "latin10"]) == 0
    result = json.loads(capsys.readouterr().out)
    [model] = result["models"]
    assert model["name"] == "latin10"
    assert model["right"] == sum(one["label"] == one["expected"] for one in model["decisions"]) >= 18
    assert {"file", "label", "value", "confidence", "rejected", "elapsed_us", "look"} <= model["decisions"][0].keys()
    assert model["picture"] == str(tmp_path / "latin10.png")
    assert result["bench"]["model"] == "latin10"
    assert result["bench"]["within_budget"] in (True, False)


def test_a_model_of_ones_own_beside_a_shipped_one(capsys, tmp_path):
    mine = tmp_path / "mine.safetensors"
    mine.write_bytes(shipped_model("arabic10").read_bytes())
    assert main(["demo", "--output", str(tmp_path), "--model", str(mine), "--model", "latin10"]) == 0
    assert {"arabic10.png", "latin10.png"} <= set(os.listdir(tmp_path))


def test_models_of_one_name_have_a_drawing_each(capsys, tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "model.safetensors").write_bytes(shipped_model("latin10").read_bytes())
    files = [argument for folder in "ab" for argument in ("--model", str(tmp_path / folder / "model.safetensors"))]
    assert main(["demo", "--json", "--output", str(tmp_path / "out"), *files]) == 0
    drawings = [model["picture"] for model in json.loads(capsys.readouterr().out)["models"]]
    assert drawings == [str(tmp_path / "out" / name) for name in ("latin10.png", "latin10-2.png")]
    assert sorted(os.listdir(tmp_path / "out")) == ["latin10-2.png", "latin10.png"]


def test_misreadings_and_rejections_are_marked():
    read = {"label": "三", "expected": "五", "rejected": False}
    assert demo._reading(read) == "三[五]"
    assert demo._reading({"label": "五", "expected": "五", "rejected": True}) == "五?"
    assert demo._reading({"label": None, "expected": "五", "rejected": True}) == "-?[五]"


def test_without_models_there_is_nothing_to_show(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(shipped, "_FOLDER", tmp_path)
    assert main(["demo", "--output", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("edge-lpdpl: there is no model to show")
    assert os.listdir(tmp_path) == []
