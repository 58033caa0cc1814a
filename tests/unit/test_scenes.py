"""Scenes are the same for the same options, their truth is true, and scoring counts what it says."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.library.models import find_model
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.reader import Numeral
from train_host.cli import main
from train_host.scenes.compose import make_scene
from train_host.scenes.folder import KnownScene, read_scenes, write_scenes
from train_host.scenes.inks import Inks
from train_host.scenes.options import NOTHING, SceneOptions
from train_host.scenes.scoring import compare, longest_rise, overlap, score_scenes
from train_host.synthetic import synthesise_dataset
from train_host.synthetic.dice import Dice

ONE_HAND = "synthetic:writers=1,samples=1"
SMALL = SceneOptions(fewest=2, most=3, width=320, height=240, seed=4)


@pytest.fixture(scope="module")
def inks() -> Inks:
    return Inks(synthesise_dataset("writers=2,samples=1"))


def test_the_same_options_make_the_same_scene(inks):
    scene, again = make_scene(inks, SMALL, 3), make_scene(inks, SMALL, 3)
    np.testing.assert_array_equal(scene.picture, again.picture)
    assert scene.numerals == again.numerals
    assert not np.array_equal(scene.picture, make_scene(inks, replace(SMALL, seed=5), 3).picture)


def test_the_truth_stands_in_reading_order_where_the_ink_is(inks):
    for number in range(4):
        scene = make_scene(inks, SMALL, number)
        assert [one.box.x for one in scene.numerals] == sorted(one.box.x for one in scene.numerals)
        for one in scene.numerals:
            around = one.box.widened(6, 320, 240)
            inside = scene.picture[one.box.y : one.box.bottom, one.box.x : one.box.right]
            outside = scene.picture[around.y : around.bottom, around.x : around.right]
            assert inside.min() == outside.min()  # the darkest is the ink
            assert inside.min() < 0.8 * np.median(outside)


@pytest.mark.parametrize("kind", NOTHING)
def test_scenes_of_nothing_have_no_numerals(inks, kind):
    scene = make_scene(inks, replace(SMALL, kind=kind), 1)
    assert scene.numerals == []
    assert scene.picture.shape == (240, 320)


@pytest.mark.parametrize(
    "wrong", [{"kind": "cats"}, {"layout": "ring"}, {"fewest": 3, "most": 2}, {"width": 8}, {"seed": -1}]
)
def test_impossible_options_are_refused(wrong):
    with pytest.raises(DatasetError):
        SceneOptions(**wrong)


def recognition(value: int, rejected: bool = False) -> Recognition:
    return Recognition(str(value), value, 0.99, rejected, "0", np.zeros(10, np.float32), 1e-5)


def test_scoring_tells_right_wrong_and_false():
    boxes = [Box(10, 10, 40, 40), Box(100, 10, 40, 40), Box(200, 10, 40, 40)]
    scene = KnownScene("a.png", np.zeros((240, 320), np.uint8), boxes, [1, 2, 3], "numerals")
    outcome = compare(
        scene,
        [
            Numeral(boxes[1], recognition(2)),
            Numeral(Box(12, 8, 40, 44), recognition(1)),
            Numeral(boxes[2], recognition(8)),
            Numeral(Box(100, 150, 40, 40), recognition(4)),
            Numeral(Box(200, 150, 40, 40), recognition(4, rejected=True)),
        ],
    )
    assert outcome.right == [1, 0]
    assert longest_rise(outcome.right) == 1
    assert (outcome.wrong, len(outcome.false), outcome.is_whole) == (1, 1, False)


def test_boxes_that_are_far_apart_do_not_overlap():
    assert overlap(Box(0, 0, 20, 20), Box(200, 0, 20, 20)) == 0
    assert overlap(Box(0, 0, 20, 20), Box(2, 0, 20, 20)) > 0.5


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
    assert main(["scenes", "--output", str(folder), *asked]) == 2  # not into a folder that holds something
    assert main(["scenes", "--output", __file__, *asked]) == 2


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("ends", [KeyboardInterrupt, OSError])
def test_what_is_broken_off_leaves_nothing_and_may_be_done_again(inks, tmp_path, monkeypatch, there, ends):
    folder = tmp_path / "scenes"
    if there:
        folder.mkdir()

    def break_off(inks, options, number):
        if number == 2:
            assert len(list(folder.iterdir())) == 2
            raise ends
        return make_scene(inks, options, number)

    with monkeypatch.context() as patch:
        patch.setattr("train_host.scenes.folder.make_scene", break_off)
        with pytest.raises(ends):
            write_scenes(folder, inks, SMALL, 3)
    assert folder.exists() == there
    assert not there or not list(folder.iterdir())
    assert write_scenes(folder, inks, SMALL, 1)["scenes"] == 1


def test_what_was_in_a_folder_stays_there(inks, tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(DatasetError, match="is not empty"):
        write_scenes(tmp_path, inks, SMALL, 1)
    assert (tmp_path / "letter.txt").read_text() == "mine"


def test_no_scenes_are_refused(tmp_path, capsys):
    (tmp_path / "truth.jsonl").touch()
    assert main(["scenes-score", "chinese15", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"lpdpl-train: {tmp_path / 'truth.jsonl'}: lists no scene")
    with pytest.raises(DatasetError, match="no scenes to read"):
        score_scenes(find_model("chinese15"), [])


@pytest.mark.parametrize("name", ["none/sheet.png", "sheet.jpg"])
def test_a_sheet_that_cannot_be_written_is_refused_before_the_work(tmp_path, capsys, monkeypatch, name):
    monkeypatch.setattr("train_host.scenes.scoring.Recogniser.load", None)  # nothing is read
    (tmp_path / "truth.jsonl").touch()
    assert main(["scenes-score", "chinese15", str(tmp_path), "--failures", str(tmp_path / name)]) == 2
    assert f"{tmp_path / name}: name a file that ends in .png, in a folder" in capsys.readouterr().err


def test_writers_who_left_out_a_character_write_the_others():
    dataset = synthesise_dataset("writers=2,samples=1,script=latin")
    without_nine = Inks(dataset.subset((dataset.writers == 1) & (dataset.targets != 9)))
    thrown = {without_nine.label(without_nine.throw(Dice(0, number))).value for number in range(200)}
    assert thrown == set(range(9))


def far_away(edge: str) -> str:
    return f'{{"file": "a.png", "kind": "numerals", "numerals": [{{"value": 1, "box": [0, 0, 9, {edge}]}}]}}'


@pytest.mark.parametrize(
    "line",
    [
        *("", "7", '{"file": "../a.png", "kind": "blank", "numerals": []}', "[" * 100_000),
        *map(far_away, ["1e999", "-1e999", "NaN", "1e300", str(10**30)]),
    ],
)
def test_a_truth_that_is_none_is_refused(tmp_path, line):
    (tmp_path / "truth.jsonl").write_text(line + "\n")
    with pytest.raises(DatasetError, match="line 1"):
        list(read_scenes(tmp_path))


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
