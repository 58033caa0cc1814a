"""`lpdpl-train scenes` and `scenes-score`."""

import json

import pytest
from PIL import Image

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.library.models import find_model
from train_host.commands.main import main
from train_host.scenes.folder import read_scenes
from train_host.scenes.scoring import score_scenes

ONE_HAND = "synthetic:writers=1,samples=1"


def test_the_commands_make_scenes_and_score_them(capsys, tmp_path):
    folder, sheet = tmp_path / "scenes", tmp_path / "failures.png"
    asked = ["--count", "2", "--numerals", "1-2", "--size", "320x240", "--source", ONE_HAND, "--quiet", "--json"]
    assert main(["scenes", "--output", str(folder), *asked]) == 0
    made = json.loads(capsys.readouterr().out)
    scenes = list(read_scenes(folder))
    assert made["scenes"] == len(scenes) == 2
    assert made["numerals"] == sum(len(scene.values) for scene in scenes)
    assert main(["scenes-score", "chinese15", str(folder), "--failures", str(sheet), "--quiet", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["numerals"] == made["numerals"] >= found["found"] >= found["read"] >= found["read_in_order"]
    assert Image.open(sheet).mode == "RGB"
    assert main(["scenes", "--output", str(folder), *asked]) == 2  # a folder that is not empty is refused
    assert main(["scenes", "--output", __file__, *asked]) == 2


def test_options_of_numbers_are_for_numbers(tmp_path, capsys):
    assert main(["scenes", "--output", str(tmp_path / "new"), "--boxed", "1"]) == 2
    assert "--boxed is a share of numbers; give --kind numbers" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["scenes", "--output", str(tmp_path / "new"), "--gap=x"])
    assert "'x' is not two numbers, as in --gap=-0.05,0.45" in capsys.readouterr().err


def test_no_scenes_are_refused(tmp_path, capsys):
    (tmp_path / "truth.jsonl").touch()
    assert main(["scenes-score", "chinese15", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"lpdpl-train: {tmp_path / 'truth.jsonl'}: lists no scene")
    with pytest.raises(DatasetError, match="no scenes to read"):
        score_scenes(find_model("chinese15"), [])


@pytest.mark.parametrize(
    ("name", "fault"), [("none/sheet.png", "cannot be written (No such file"), ("sheet.jpg", "is written as PNG; give")]
)
def test_a_sheet_that_cannot_be_written_is_refused_before_the_work(tmp_path, capsys, monkeypatch, name, fault):
    monkeypatch.setattr("train_host.scenes.scoring.Recogniser.load", None)  # nothing is read
    scenes = tmp_path / "scenes"
    scenes.mkdir()
    (scenes / "truth.jsonl").touch()
    assert main(["scenes-score", "chinese15", str(scenes), "--failures", str(tmp_path / name)]) == 2
    assert f"{tmp_path / name}: {fault}" in capsys.readouterr().err


def test_a_model_that_does_not_know_the_numerals_is_refused(tmp_path, capsys):
    folder = tmp_path / "drawn"
    assert main(["scenes", "-o", str(folder), "--count", "1", "--numerals", "12", "--source", ONE_HAND, "--quiet"]) == 0
    (truth,) = map(json.loads, (folder / "truth.jsonl").read_text().splitlines())
    unknown = sorted({numeral["value"] for numeral in truth["numerals"]} - set(range(10)))
    assert unknown
    capsys.readouterr()
    assert main(["scenes-score", "latin10", str(folder), "--quiet"]) == 2
    values = " ".join(map(str, unknown))
    told = f"lpdpl-train: 00000.png: the model does not know {values}; use scenes of its classes\n"
    assert capsys.readouterr() == ("", told)


def test_scenes_without_a_numeral_are_for_every_model(tmp_path, capsys):
    made = ["scenes", "-o", str(tmp_path / "blank"), "--count", "1", "--kind", "blank", "--source", ONE_HAND, "--quiet"]
    assert main(made) == 0
    capsys.readouterr()
    assert main(["scenes-score", "latin10", str(tmp_path / "blank"), "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scenes"] == 1
