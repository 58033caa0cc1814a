"""`Dataset`: columns have their types, and parts fit each other."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from dataset_files import pixels

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import ARABIC_INDIC, LATIN, Label
from train_host.datasets import Dataset

THREE = {
    "images": np.stack([pixels(seed) for seed in range(3)]),
    "labels": LATIN[:2],
    "targets": np.array([0, 1, 1]),
    "writers": np.array([1, 1, 2]),
}


def three(**changes: object) -> Dataset:
    return Dataset(name="three", **(THREE | changes))


class TestDataset:
    def test_gives_every_column_its_promised_type(self):
        dataset = three(
            images=THREE["images"][:, ::-1],
            targets=np.array([0, 1, 1], np.uint8),
            writers=np.array([1, 2, 3], np.int32),
            is_test=np.array([True, False, True]),
        )
        assert dataset.images.flags.c_contiguous
        assert dataset.targets.dtype == np.intp
        assert dataset.writers.dtype == np.int64
        assert dataset.is_test.dtype == np.bool_
        assert dataset.samples is None

    def test_cannot_be_changed(self):
        with pytest.raises(FrozenInstanceError):
            three().name = "four"

    def test_a_subset_keeps_the_labels_and_takes_every_column_along(self):
        subset = three(samples=np.array([5, 6, 7])).subset([2, 1])
        assert subset.labels == LATIN[:2]
        assert subset.targets.tolist() == [1, 1]
        assert subset.writers.tolist() == [2, 1]
        assert subset.samples.tolist() == [7, 6]
        np.testing.assert_array_equal(subset.images, THREE["images"][[2, 1]])

    def test_a_subset_may_be_given_as_a_mask(self):
        assert three().subset(np.array([True, False, True])).writers.tolist() == [1, 2]

    def test_what_some_writers_wrote(self):
        assert three(writers=np.array([1, 4, 9])).written_by([(1, 3), (9, 9)]).writers.tolist() == [1, 9]

    def test_writers_who_wrote_nothing_are_told_and_so_is_that_nobody_knows(self):
        with pytest.raises(DatasetError, match="three has nothing by these writers; its own are 1 to 2"):
            three().written_by([(3, 7)])
        with pytest.raises(DatasetError, match="three does not record its writers: leave out --writers"):
            three(writers=None).written_by([(1, 1)])

    def test_equal_data_have_equal_digests_whatever_the_name_and_the_memory_order(self):
        same = Dataset(**(THREE | {"images": np.asfortranarray(THREE["images"])}), name="other")
        assert three().digest == same.digest
        assert three().digest.startswith("sha256:")
        assert len(three().digest) == len("sha256:") + 64

    @pytest.mark.parametrize(
        "change",
        [
            {"images": THREE["images"] ^ 1},
            {"images": np.concatenate([THREE["images"], THREE["images"]], axis=2)},
            {"labels": ARABIC_INDIC[:2]},
            {"targets": np.array([0, 1, 0])},
            {"writers": np.array([1, 1, 3])},
            {"writers": None},
        ],
    )
    def test_other_data_have_another_digest(self, change):
        assert three(**change).digest != three().digest

    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            ({"images": THREE["images"].astype(float)}, "uint8"),
            ({"images": THREE["images"][0]}, "shape"),
            ({"images": THREE["images"][:0]}, "no images"),
            ({"images": THREE["images"][:, :7]}, "8x7"),
            ({"images": np.zeros((3, 8, 4097), np.uint8)}, "4097x8"),
            ({"labels": ()}, "no classes"),
            ({"labels": LATIN[1::-1]}, "sorted"),
            ({"labels": (Label("5", 5), Label("五", 5))}, "once"),
            ({"targets": np.array([0, 1])}, "3 images"),
            ({"targets": np.array([0, 1, 2])}, "outside"),
            ({"targets": np.array([0, 1, -1])}, "outside"),
            ({"targets": [0, 1, 1]}, "targets must be"),
            ({"writers": np.array([1, 2])}, "writers"),
            ({"samples": np.array([1.0, 2.0, 3.0])}, "samples must be"),
            ({"is_test": np.array([1, 0, 1])}, "is_test must be"),
        ],
    )
    def test_parts_that_contradict_each_other_are_an_error(self, change, complaint):
        with pytest.raises(DatasetError, match=complaint):
            three(**change)

    def test_one_class_is_a_set_but_nothing_to_train_on(self):
        three().check_trainable()
        with pytest.raises(DatasetError, match=r"three: one class only \(0\); give two or more to tell apart"):
            three(labels=LATIN[:1], targets=np.zeros(3, int)).check_trainable()

    def test_an_empty_subset_is_an_error(self):
        with pytest.raises(DatasetError, match="no images"):
            three().subset([])
