"""MADBase: `id_{n}_label_{digit}.png`, a hundred ids a writer."""

import pytest
from dataset_files import Files, complaint_about, pixels, png, write

from edge_lpdpl.model.labels import ARABIC_INDIC
from train_host.datasets import open_dataset


class TestMadbase:
    def ids(self, folder: str, numbers: range) -> Files:
        return {f"{folder}id_{n}_label_{(n - 1) % 10}.png": png(pixels(n)) for n in numbers}

    @pytest.mark.parametrize("name", ["set.zip", "set"])
    @pytest.mark.parametrize("folder", ["", "test/", "outer/train/"])
    def test_a_hundred_consecutive_ids_are_one_writer_and_ten_are_one_pass(self, tmp_path, name, folder):
        dataset = open_dataset(write(tmp_path / name, self.ids(folder, range(96, 104))))
        assert dataset.name == "madbase"
        assert dataset.labels == (*ARABIC_INDIC[:3], *ARABIC_INDIC[5:])
        assert dataset.writers.tolist() == [0] * 5 + [1] * 3
        assert dataset.samples.tolist() == [10] * 5 + [1] * 3
        assert dataset.is_test is None
        assert dataset.digest == open_dataset(write(tmp_path / "flat", self.ids("", range(96, 104)))).digest

    def test_train_and_test_are_a_split_and_never_share_a_writer(self, tmp_path):
        files = self.ids("test/", range(1, 4)) | self.ids("Train/", range(99, 103))
        dataset = open_dataset(write(tmp_path / "set.zip", files))
        assert dataset.is_test.tolist() == [False] * 4 + [True] * 3
        assert dataset.writers.tolist() == [0, 0, 1, 1, 2, 2, 2]

    @pytest.mark.parametrize(
        ("files", "complaint"),
        [
            ({"id_0_label_3.png": b""}, "'id_0_label_3.png' is not named"),
            ({"id_9_label_x.png": b""}, "'id_9_label_x.png' is not named"),
            ({"id_9_label_10.png": b""}, "'id_9_label_10.png' is not named"),
            ({"id_1_label_3.png": b""}, "have the same id"),
            ({"id_9_label_8.png": b"\x89PNG"}, "'id_9_label_8.png': is no picture"),
            ({"id_9_label_8.png": png(pixels(0, 9))}, "mixed sizes"),
        ],
    )
    def test_misnamed_and_damaged_pictures_are_an_error(self, tmp_path, files, complaint):
        assert complaint in complaint_about(write(tmp_path / "set", self.ids("", range(1, 4)) | files))

    def test_one_digit_only(self, tmp_path):
        assert len(open_dataset(write(tmp_path / "set", self.ids("", range(1, 2)))).labels) == 1
