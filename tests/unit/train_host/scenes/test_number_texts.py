"""Numbers are written as people do; the grammar reads every text as the number that it was made of."""

import cn2an
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHINESE, LATIN, TRADITIONAL
from edge_lpdpl.number.grammar import ALL_MARKS, MARKS, grammar_for
from train_host.datasets.bundled import synthesise_dataset
from train_host.scenes.compose import make_scene
from train_host.scenes.folder import read_scenes, write_scenes
from train_host.scenes.inks import Inks
from train_host.scenes.number_texts import draw_mark, number_text, pen_of, put_marks
from train_host.scenes.options import SceneOptions
from train_host.synthetic.dice import Dice

pytestmark = pytest.mark.slow

numbers = st.integers(0, 16).flatmap(lambda length: st.integers(0, 10**length - 1))


def texts(value, labels=CHINESE, count=200):
    """How often each text of a number is written."""
    written = [number_text(value, labels, Dice(seed)) for seed in range(count)]
    return {text: written.count(text) for text in written}


@pytest.mark.parametrize("labels", [CHINESE, TRADITIONAL, ARABIC_INDIC, LATIN], ids=lambda labels: labels[1].character)
@given(value=numbers, seed=st.integers(0, 2**32))
def test_the_grammar_reads_the_number(labels, value, seed):
    assert grammar_for(labels).value(number_text(value, labels, Dice(seed))) == value


@given(value=numbers)
def test_the_text_of_cn2an_is_among_them(value):
    chinese = texts(value, count=100)
    text = cn2an.an2cn(value)
    assert {text, text.replace("零一十", "零十")} & chinese.keys()


@pytest.mark.parametrize(
    ("value", "variants"),
    [
        (15, "十五 一十五 一五"),
        (1015, "一千零十五 一千零一十五 一零一五"),
        (107_000, "十万七千 十万零七千 一十万七千 一零七零零零"),
    ],
)
def test_every_variant_is_written_and_the_first_most_often(value, variants):
    written = texts(value)
    first, *others = variants.split()
    assert max(written, key=written.get) == first
    assert {first, *others} <= written.keys()


def test_cheques_keep_the_one_before_ten():
    written = texts(15, TRADITIONAL)
    assert max(written, key=written.get) == "壹拾伍"


def test_digits_have_one_text():
    assert texts(1050, LATIN) == {"1050": 200}
    assert texts(0) == {"零": 200}


def test_the_same_dice_write_the_same_text():
    assert [number_text(value, CHINESE, Dice(3, value)) for value in range(99)] == [
        number_text(value, CHINESE, Dice(3, value)) for value in range(99)
    ]


@pytest.mark.parametrize("value", [-1, 10**16])
def test_a_number_out_of_range_is_refused(value):
    with pytest.raises(DatasetError, match=f"the number {value} cannot be written; give 0 to 9999999999999999"):
        number_text(value, CHINESE, Dice(0))


def test_a_character_that_is_missing_is_named():
    with pytest.raises(DatasetError, match="the number 7 cannot be written: no label has the value 7"):
        number_text(7, LATIN[:5], Dice(0))
    with pytest.raises(DatasetError, match="the number 10000 cannot be written: no label has the value 10000"):
        texts(10_000, CHINESE[:13])


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
