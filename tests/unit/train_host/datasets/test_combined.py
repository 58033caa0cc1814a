"""Several data sets joined: all pictures, whole ink, one set of labels, and what all parts record."""

from dataclasses import replace

import numpy as np
import pytest
from dataset_files import pixels

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import CHINESE, LATIN
from train_host.datasets import Dataset, open_dataset, open_datasets
from train_host.datasets.combined import combine
from train_host.recipe import EDGE_RECIPE
from train_host.samples.features import extract_features


def one(name: str = "one", labels=LATIN[:2], seed: int = 0, **columns: object) -> Dataset:
    images = np.stack([pixels(seed + place) for place in range(3)])
    return Dataset(name=name, images=images, labels=labels, targets=np.array([0, 1, 1]), **columns)


class TestCombine:
    def test_a_single_set_is_left_alone(self):
        only = one()
        assert combine([only]) is only

    def test_labels_are_joined_by_value_and_targets_follow(self):
        both = combine([one(labels=LATIN[5:7]), one("two", LATIN[4:6], seed=9)])
        assert both.labels == LATIN[4:7]
        assert [both.labels[target].value for target in both.targets] == [5, 6, 6, 4, 5, 5]
        assert both.name == "one, two"

    def test_a_smaller_picture_gets_a_margin_of_its_own_paper(self):
        small = Dataset("small", np.full((1, 8, 9), 200, np.uint8), LATIN[:1], np.array([0]))
        large = Dataset("large", np.zeros((1, 12, 11), np.uint8), LATIN[:1], np.array([0]))
        assert np.array_equal(combine([small, large]).images, [np.full((12, 11), 200), np.zeros((12, 11))])
        inked = small.images.copy()
        inked[0, 3:5, 4] = 20
        framed = combine([Dataset("inked", inked, LATIN[:1], np.array([0])), large]).images[0]
        assert np.argwhere(framed == 20).tolist() == [[5, 5], [6, 5]]
        assert (framed == 200).sum() == framed.size - 2

    def test_a_margin_hardly_changes_what_is_seen(self):
        """Digits that fill their frame are described alike inside a margin: only the threshold of the ink moves."""
        digits = open_dataset("digits").subset(range(200))
        framed = combine([digits, open_dataset("synthetic:script=latin,writers=1,samples=1,size=16")])
        alone = extract_features(digits.images, EDGE_RECIPE.profile)
        inside = extract_features(framed.images[:200], EDGE_RECIPE.profile)
        away = np.linalg.norm(alone - inside, axis=1) / np.linalg.norm(alone, axis=1)
        assert np.median(away) < 0.1

    def test_a_picture_that_a_part_before_has_is_left_out(self):
        known = one(is_test=np.array([False, True, True]))
        both = combine([known, replace(one("two", seed=1), targets=np.array([1, 1, 0]))])
        assert (len(both), both.twins, both.is_test.tolist()) == (4, 2, [False, True, True, False])
        assert np.array_equal(both.images, np.stack([pixels(seed) for seed in range(4)]))

    def test_a_picture_that_two_parts_have_in_two_classes_is_an_error(self):
        other = one("two")
        wrong = replace(other, targets=1 - other.targets)
        with pytest.raises(DatasetError, match="one, two: a picture stands for 0, in two for 1; take it out"):
            combine([one(), wrong])

    def test_a_set_of_which_another_has_all_pictures_is_named_once_too_often(self):
        with pytest.raises(DatasetError, match="one, two: two of these sets have the same pictures"):
            combine([one(), one("two").subset([2, 1])])
        blank = Dataset("blank", np.zeros((1, 8, 8), np.uint8), LATIN[:1], np.array([0]))
        for same in (blank, combine([one(), blank])):
            with pytest.raises(DatasetError, match="two of these sets have the same pictures"):
                combine([same, same])

    def test_writers_of_two_parts_are_different_people(self):
        parts = [one(writers=np.array([7, 9, 7])), one("two", seed=9, writers=np.array([0, 7, 9]))]
        both = combine(parts)
        assert both.writers[:3].tolist() == [7, 9, 7]
        assert not set(both.writers[:3]) & set(both.writers[3:])
        assert len(set(both.writers[3:])) == 3
        assert combine([parts[0], one("two", seed=9)]).writers is None

    def test_a_part_without_a_split_is_training_data_beside_one_that_has_it(self):
        split = one("two", seed=9, is_test=np.array([False, True, True]))
        assert combine([one(), split]).is_test.tolist() == [False] * 4 + [True] * 2
        assert combine([one(), one("two", seed=9)]).is_test is None

    @pytest.mark.parametrize(
        ("parts", "message"),
        [
            ([one(), one("again")], "one, again: two of these sets have the same pictures; name each set once"),
            (
                [one(labels=LATIN[1:3]), one("two", CHINESE[1:3], 9)],
                "two writes 1 as 一, one as 1; give sets of one script",
            ),
        ],
    )
    def test_sets_that_do_not_fit_are_refused(self, parts, message):
        with pytest.raises(DatasetError) as raised:
            combine(parts)
        assert str(raised.value) == message


def test_several_sources_are_opened_and_joined():
    both = open_datasets(["digits", "synthetic:script=latin,writers=2,samples=1,size=20"])
    assert (both.name, both.images.shape) == ("digits, synthetic", (1817, 20, 20))
    assert open_datasets(["digits"]).digest == open_dataset("digits").digest
