"""The same options make the same scenes, and their labels are right."""

from dataclasses import replace

import numpy as np
import pytest

from train_host.scenes.compose import make_scene
from train_host.scenes.options import NOTHING, SceneOptions

SMALL = SceneOptions(fewest=2, most=3, width=320, height=240, seed=4)


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
            x, y, right, bottom = one.box.x, one.box.y, one.box.right, one.box.bottom
            inside = scene.picture[y:bottom, x:right]
            outside = scene.picture[max(y - 6, 0) : bottom + 6, max(x - 6, 0) : right + 6]
            assert inside.min() == outside.min()  # the ink is darkest
            assert inside.min() < 0.8 * np.median(outside)


@pytest.mark.parametrize("boxed", [0, 1])
def test_a_number_in_a_column_has_its_characters_below_each_other(inks, boxed):
    options = replace(SMALL, kind="numbers", layout="column", fewest=3, boxed=boxed)
    for number in range(4):
        scene = make_scene(inks, options, number)
        assert scene.picture.shape == (240, 320)
        assert scene.text == "".join(one.label for one in scene.numerals)
        boxes = [one.box for one in scene.numerals]
        middles = [box.y + box.height / 2 for box in boxes]
        assert middles == sorted(middles)
        assert max(box.x for box in boxes) - min(box.x for box in boxes) < middles[-1] - middles[0]
        for box in boxes:
            inside = scene.picture[box.y : box.bottom, box.x : box.right]
            assert inside.min() < 0.8 * np.median(scene.picture[box.y - 6 : box.bottom + 6, box.x - 6 : box.right + 6])


@pytest.mark.parametrize("kind", NOTHING)
def test_scenes_of_nothing_have_no_numerals(inks, kind):
    scene = make_scene(inks, replace(SMALL, kind=kind), 1)
    assert scene.numerals == []
    assert scene.picture.shape == (240, 320)


def test_an_underline_is_wider_than_its_number_and_leaves_the_number_as_it_is(inks):
    plain = SceneOptions(kind="numbers", fewest=3, most=5)
    for number in range(4):
        alone, underlined = (make_scene(inks, replace(plain, underlined=share), number) for share in (0, 1))
        assert (underlined.text, underlined.numerals) == (alone.text, alone.numerals)
        darker = alone.picture.astype(int) - underlined.picture > 4
        columns = np.flatnonzero(darker.any(axis=0))
        assert columns[0] < min(one.box.x for one in alone.numerals)
        assert columns[-1] >= max(one.box.right for one in alone.numerals)
