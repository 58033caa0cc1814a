"""Points, commas and minus signs in drawn numbers."""

import numpy as np
import pytest

from edge_lpdpl.model.labels import ARABIC_INDIC, CHINESE, LATIN
from edge_lpdpl.number.grammar import ALL_MARKS, MARKS, grammar_for
from train_host.datasets.bundled import synthesise_dataset
from train_host.scenes.compose import make_scene
from train_host.scenes.folder import read_scenes, write_scenes
from train_host.scenes.inks import Inks
from train_host.scenes.marks import draw_mark, pen_of, put_marks
from train_host.scenes.options import SceneOptions
from train_host.synthetic.dice import Dice

OPTIONS = SceneOptions(kind="numbers", fewest=2, most=6, marked=1)


@pytest.fixture(scope="module")
def digits():
    return Inks(synthesise_dataset("writers=2,samples=1,script=latin"))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("labels", [LATIN, ARABIC_INDIC], ids=["latin", "arabic"])
def test_a_number_with_marks_is_a_number_of_the_same_digits(seed, labels):
    digits = "".join(label.character for label in labels[: 2 + seed % 6])
    text = put_marks(digits, labels, Dice(seed))
    assert grammar_for(labels).value(text) is not None
    assert text.translate(dict.fromkeys(map(ord, ALL_MARKS))) == digits


def test_other_scripts_have_none():
    assert put_marks("零一", CHINESE, Dice(1)) == "零一"


def test_arabic_indic_points_stand_at_the_foot_and_commas_at_the_top():
    for seed in range(9):
        assert draw_mark("٫", 80, 5, Dice(seed))[1] > 0.8
        assert draw_mark("٬", 80, 5, Dice(seed))[1] < 0.2


def test_the_marks_stand_where_the_truth_says(digits):
    for number in range(6):
        scene = make_scene(digits, OPTIONS, number)
        assert "".join(mark.label for mark in scene.marks) == "".join(one for one in scene.text if one in MARKS)
        for mark in scene.marks:
            x, y, width, height = mark.box
            inside = scene.picture[y : y + height, x : x + width]
            beside = scene.picture[max(y - 3, 0) : y + height + 3, max(x - 3, 0) : x + width + 3]
            assert np.median(inside) < np.percentile(beside, 90) - 10


def test_a_folder_of_them_is_read_again(digits, tmp_path):
    write_scenes(tmp_path / "scenes", digits, OPTIONS, 3)
    for number, scene in enumerate(read_scenes(tmp_path / "scenes")):
        drawn = make_scene(digits, OPTIONS, number)
        assert (scene.text, scene.marks) == (drawn.text, [mark.box for mark in drawn.marks])


def test_a_point_is_as_wide_as_the_pen_and_a_minus_is_a_bar():
    for pen in (3.0, 9.0):
        cover, _ = draw_mark("-", 80, pen, Dice(2))
        assert pen_of(cover) == pytest.approx(pen * 1.1, rel=0.4)
        rows, columns = np.nonzero(cover > 0.5)
        assert np.ptp(columns) > 2 * np.ptp(rows)
        dot, down = draw_mark(".", 80, pen, Dice(2))
        assert 0.5 * pen < np.ptp(np.nonzero(dot > 0.5)[0]) < 3 * pen
        assert down > 0.8
