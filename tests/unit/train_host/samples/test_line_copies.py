"""Copies of characters that are cut out of drawn numbers."""

from dataclasses import replace

import numpy as np
import pytest

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.page.parts_table import LIFTED_SIDE
from train_host.datasets.bundled import synthesise_dataset
from train_host.recipe import EDGE_RECIPE
from train_host.samples.line_copies import MOST_COPIES, cut_out, line_copies
from train_host.samples.prepare import prepare

pytestmark = pytest.mark.slow

SEED = 3


@pytest.fixture(scope="module")
def digits():
    return synthesise_dataset("writers=4,samples=1,script=latin")


@pytest.fixture(scope="module")
def cut(digits):
    return cut_out(digits, range(8), SEED)


def test_a_copy_shows_the_character_of_its_picture(digits, cut):
    recogniser = Recogniser.load(shipped_model("latin10"))
    shown = [digits.labels[digits.targets[index]].character for index, _ in cut]
    read = [recogniser.recognise(picture, "light").label for _, picture in cut]
    assert len(cut) >= 20
    assert np.mean([one == other for one, other in zip(shown, read, strict=True)]) > 0.9


def test_a_copy_is_light_ink_on_black_in_a_square(cut):
    for _, picture in cut:
        assert picture.shape == (LIFTED_SIDE, LIFTED_SIDE)
        assert picture.any()
        assert not picture[[0, -1]].all()


def test_numbers_are_the_same_one_by_one(digits, cut):
    one_by_one = [copy for number in range(8) for copy in cut_out(digits, range(number, number + 1), SEED)]
    assert [index for index, _ in one_by_one] == [index for index, _ in cut]
    assert all(np.array_equal(one, other) for (_, one), (_, other) in zip(one_by_one, cut, strict=True))


def test_the_test_part_of_a_set_is_not_drawn(digits):
    is_test = np.arange(len(digits)) % 2 == 1
    is_test[:10] = False  # one writer has all digits
    copies = line_copies(replace(digits, is_test=is_test), 4, SEED)
    assert copies.shape == (MOST_COPIES, len(digits), LIFTED_SIDE, LIFTED_SIDE)
    assert copies[:, ~is_test].any()
    assert not copies[:, is_test].any()


def test_a_training_sees_each_copy_as_its_picture_and_no_empty_one(digits):
    recipe = replace(EDGE_RECIPE, jitter=None, camera=None, drawn=1)
    plain, beside = (prepare(digits, replace(recipe, lines=lines)) for lines in (0, 3))
    chosen = np.arange(len(digits))
    (rows, _), (more, targets) = plain.for_training(chosen), beside.for_training(chosen)
    copies = [(copy[index], index) for copy in beside.copies for index in chosen if copy[index].any()]
    assert 0 < len(copies) <= 3 * 8
    assert np.array_equal(more[: len(rows)], rows)
    assert np.array_equal(more[len(rows) :], [copy for copy, _ in copies])
    assert targets[len(rows) :].tolist() == [digits.targets[index] for _, index in copies]
