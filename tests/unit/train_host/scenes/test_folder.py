"""Folders of scenes are written whole and read with care."""

import pytest

from edge_lpdpl.errors import DatasetError
from train_host.scenes.compose import make_scene
from train_host.scenes.folder import read_scenes, write_scenes
from train_host.scenes.options import SceneOptions

SMALL = SceneOptions(fewest=2, most=3, width=320, height=240, seed=4)


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


def test_a_folder_that_the_system_refuses_is_named(inks, tmp_path):
    with pytest.raises(DatasetError, match=r"xxx: cannot be made \(File name too long\); name another folder"):
        write_scenes(tmp_path / ("x" * 300), inks, SMALL, 1)


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
