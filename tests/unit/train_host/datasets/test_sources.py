"""Folders and zips of any content: a data set, or one line that says what is wrong."""

import os
import tracemalloc
import zipfile
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from dataset_files import encoded, pixels, png, result_or_error, write
from deadline import within
from hypothesis import given
from hypothesis import strategies as st
from other_users import nobody
from real_data import real_data

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHINESE, LATIN
from train_host.datasets import Dataset, open_dataset

pytestmark = pytest.mark.slow


class TestNothingToRead:
    def complaint(self, path: Path) -> str:
        with pytest.raises(DatasetError) as caught:
            open_dataset(path)
        message = str(caught.value)
        assert message.startswith(f"{path}: ")
        assert "\n" not in message
        return message

    def test_missing_path(self, tmp_path):
        assert "no such file" in self.complaint(tmp_path / "absent.zip")

    def test_name_longer_than_any_file_system_allows(self, tmp_path):
        self.complaint(tmp_path / ("x" * 5000))

    def test_folder_of_something_else_says_what_was_looked_for(self, tmp_path):
        complaint = self.complaint(write(tmp_path / "set", {"notes.txt": b"hello"}))
        assert "input_{suite}_{sample}_{code}.jpg" in complaint
        assert "05 or 五" in complaint

    def test_archive_of_something_else_says_what_was_looked_for(self, tmp_path):
        assert "looked for" in self.complaint(write(tmp_path / "set.zip", {"__MACOSX/05/a.png": b"", ".b.png": b""}))

    def test_empty_folder(self, tmp_path):
        assert "no known layout" in self.complaint(tmp_path)

    @pytest.mark.parametrize("closed", ["set", "set/2"])
    def test_a_folder_that_may_not_be_listed_is_named(self, tmp_path, monkeypatch, closed):
        monkeypatch.chdir(tmp_path)  # an unprivileged user cannot get there by the relative path
        tmp_path.chmod(0o755)
        write(Path("set"), {f"{name}/a.png": png(pixels(name)) for name in range(3)})
        Path(closed).chmod(0)
        try:
            with nobody():
                assert f"'{closed}' cannot be read (Permission denied)" in self.complaint(Path("set"))
        finally:
            Path(closed).chmod(0o755)

    def test_a_link_that_leads_nowhere_is_named(self, tmp_path):
        folder = write(tmp_path / "set", {f"{name}/a.png": png(pixels(name)) for name in range(2)})
        (folder / "2").symlink_to(tmp_path / "unplugged" / "2")
        assert f"'{folder / '2'}' cannot be read (No such file" in self.complaint(folder)

    @pytest.mark.parametrize(("link", "first"), [("1/back", "."), ("5", "1")])
    def test_a_folder_that_is_there_twice_by_a_link_is_named(self, tmp_path, link, first):
        folder = write(tmp_path / "set", {f"{name}/a.png": png(pixels(name)) for name in range(2)})
        (folder / link).symlink_to(folder / first)
        assert f"'{first}' and '{link}' are the same folder, through a link" in self.complaint(folder)

    def test_folder_of_archives_names_one(self, tmp_path):
        assert "'a.zip'" in self.complaint(write(tmp_path / "set", {"a.zip": b"", "b.zip": b""}))

    def test_two_sets_in_one_folder(self, tmp_path):
        files = {"input_1_1_1.jpg": b"", "id_1_label_0.png": b""}
        assert "both Chinese numbers and MADBase" in self.complaint(write(tmp_path / "set", files))

    def test_a_single_picture(self, tmp_path):
        path = tmp_path / "a.png"
        path.write_bytes(png(pixels(0)))
        assert "give the folder" in self.complaint(path)

    @pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 cut short"])
    def test_corrupt_zip(self, tmp_path, content):
        path = tmp_path / "set.zip"
        path.write_bytes(content)
        assert "not a zip archive" in self.complaint(path)

    def test_zip_with_a_damaged_member_names_it(self, tmp_path):
        files = {"1/a.png": png(pixels(0)), "2/a.png": png(pixels(1))}
        path = write(tmp_path / "set.zip", files)
        path.write_bytes(path.read_bytes().replace(files["2/a.png"], bytes(len(files["2/a.png"]))))
        assert "'2/a.png' is damaged" in self.complaint(path)

    def test_zip_with_two_members_of_one_name(self, tmp_path):
        path = tmp_path / "set.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("1/a.png", png(pixels(0)))
            with pytest.warns(UserWarning, match="Duplicate"):
                archive.writestr("1/a.png", png(pixels(1)))
        assert "'1/a.png' twice" in self.complaint(path)

    def test_zip_that_would_unpack_to_more_than_one_file_may_have(self, tmp_path):
        path = tmp_path / "set.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("1/a.png", bytes((64 << 20) + 1))
        assert "longer than the 64 MiB" in self.complaint(path)

    def test_zip_that_declares_more_than_may_be_read_in_all(self, tmp_path):
        path = write(tmp_path / "set.zip", {"1/a.png": b"size", "2/a.png": b"size"})
        directory_size = (4).to_bytes(4, "little") * 2  # of the member, packed and unpacked
        path.write_bytes(path.read_bytes().replace(directory_size, (0x7FFFFFFF).to_bytes(4, "little") * 2))
        assert "more than 2048 MiB" in self.complaint(path)

    def test_zip_with_a_member_that_is_larger_than_it_says(self, tmp_path):
        path = tmp_path / "set.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("1/a.png", bytes(64 << 20))
        path.write_bytes(path.read_bytes().replace((64 << 20).to_bytes(4, "little"), (1000).to_bytes(4, "little")))
        tracemalloc.start()
        try:
            assert "'1/a.png' is damaged" in self.complaint(path)
            assert tracemalloc.get_traced_memory()[1] < 4 << 20
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_zip_packed_in_a_way_that_cannot_be_unpacked_in_part(self, tmp_path, way):
        path = tmp_path / "set.zip"
        with zipfile.ZipFile(path, "w", way) as archive:
            archive.writestr("1/a.png", png(pixels(0)))
        assert "'1/a.png' has another compression than deflate" in self.complaint(path)

    def test_encrypted_zip(self, tmp_path):
        path = write(tmp_path / "set.zip", {"1/a.png": png(pixels(0))})
        data = bytearray(path.read_bytes())
        data[data.index(b"PK\x01\x02") + 8] |= 1
        path.write_bytes(data)
        assert "encrypted" in self.complaint(path)

    def test_a_named_pipe_is_not_waited_for(self, tmp_path):
        path = write(tmp_path / "set", {"1/a.png": png(pixels(0))})
        os.mkfifo(path / "1" / "b.png")
        with within(20):
            assert "no ordinary file" in self.complaint(path)


SMALL_ZIP = {"05/a.png": png(pixels(0)), "六/a.png": png(pixels(1))}


@given(changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4))
def test_any_change_to_a_zip_gives_a_data_set_or_an_error(tmp_path_factory, changes):
    path = write(tmp_path_factory.getbasetemp() / "mutant.zip", SMALL_ZIP)
    data = bytearray(path.read_bytes())
    for position, value in changes:
        data[int(position * len(data))] = value
    path.write_bytes(data)
    assert isinstance(result_or_error(open_dataset, path), Dataset | DatasetError)


class TestZipNames:
    """Nothing is unpacked to disk, so the worst that a name can do is to match no class."""

    def test_paths_that_lead_outside_are_ignored(self, tmp_path):
        files = {"../3/a.png": b"", "1/a.png": png(pixels(0)), "2/a.png": png(pixels(1))}
        assert len(open_dataset(write(tmp_path / "set.zip", files))) == 2

    def test_unmarked_utf8_as_macos_writes_it_is_understood(self, tmp_path):
        path = write(tmp_path / "set.zip", {"五/a.png": png(pixels(0)), "六/a.png": png(pixels(1))})
        unmarked = bytearray(path.read_bytes())
        for signature, offset in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
            start = -1
            while (start := unmarked.find(signature, start + 1)) >= 0:
                unmarked[start + offset] &= ~0x08
        path.write_bytes(unmarked)
        assert open_dataset(path).labels == CHINESE[5:7]


class TestRealData:
    def test_chinese_numbers(self):
        dataset = open_dataset(real_data("chinese_mnist.zip"))
        assert dataset.images.shape == (12_000, 64, 64)
        assert dataset.labels == CHINESE
        assert len(np.unique(dataset.writers)) == 80
        every = product(np.unique(dataset.writers), range(1, 11), range(15))
        assert list(zip(dataset.writers, dataset.samples, dataset.targets, strict=True)) == list(every)

    def test_usps(self):
        dataset = open_dataset(real_data("usps.h5"))
        assert dataset.images.shape == (9298, 16, 16)
        assert dataset.labels == LATIN
        assert dataset.is_test.sum() == 2007

    def test_every_hundred_ids_of_madbase_are_one_writer_who_wrote_each_digit_ten_times(self):
        dataset = open_dataset(real_data("madbase.zip"))
        assert dataset.images.shape == (7000, 28, 28)
        assert dataset.labels == ARABIC_INDIC
        assert dataset.is_test is None
        table = np.zeros((70, 10, 11), int)
        np.add.at(table, (dataset.writers, dataset.targets, dataset.samples), 1)
        assert (table[:, :, 1:] == 1).all()

    def test_camera_crops_are_the_same_zipped_and_unpacked(self, tmp_path):
        archive = real_data("camera_crops.zip")
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(tmp_path)
        dataset = open_dataset(archive)
        assert dataset.images.shape == (100, 128, 128)
        assert dataset.labels == CHINESE[1:11]
        assert dataset.digest == open_dataset(tmp_path).digest == open_dataset(tmp_path / "camera_crops").digest


def test_a_class_may_be_a_link(tmp_path):
    elsewhere = write(tmp_path / "elsewhere", {"2/a.png": png(pixels(2))})
    folder = write(tmp_path / "set", {f"{name}/a.png": png(pixels(name)) for name in range(2)})
    (folder / "2").symlink_to(elsewhere / "2")
    assert open_dataset(folder).labels == LATIN[:3]


def test_any_supported_picture_format_may_fill_the_folders(tmp_path):
    files = {
        f"{n}/a.{kind}": encoded(pixels(n, 16), kind) for n, kind in enumerate(["png", "jpeg", "bmp", "gif", "webp"])
    }
    assert open_dataset(write(tmp_path / "set", files)).images.shape == (5, 16, 16)
