"""USPS, MADBase and class-named folders."""

import zlib

import h5py
import numpy as np
import pytest
from dataset_files import Files, pixels, png, write
from deadline import within

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.measure.machine import peak_memory
from edge_lpdpl.model.labels import ARABIC_INDIC, CHINESE, LATIN, TRADITIONAL
from train_host.datasets import open_dataset


def complaint_about(path) -> str:
    with pytest.raises(DatasetError) as caught:
        open_dataset(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


class TestUsps:
    @pytest.fixture
    def arrays(self):
        return {
            "train/data": np.linspace(0, 1, 3 * 256, dtype=np.float32).reshape(3, 256),
            "train/target": np.array([4, 9, 4], np.int32),
            "test/data": np.zeros((2, 256), np.float32),
            "test/target": np.array([9, 4], np.int32),
        }

    @pytest.fixture
    def usps(self, tmp_path, arrays):
        def write_file(**changes):
            path = tmp_path / "usps.h5"
            with h5py.File(path, "w") as file:
                for key, array in (arrays | {key.replace("_", "/"): value for key, value in changes.items()}).items():
                    if array is not None:
                        file[key] = array
            return path

        return write_file

    def test_rows_become_pictures_and_the_split_is_kept(self, usps):
        dataset = open_dataset(usps())
        assert dataset.name == "usps"
        assert dataset.images.shape == (5, 16, 16)
        assert dataset.images[0, 0, 0] == 0
        assert dataset.images[2, 15, 15] == 255
        assert dataset.labels == (LATIN[4], LATIN[9])
        assert dataset.targets.tolist() == [0, 1, 0, 1, 0]
        assert dataset.is_test.tolist() == [False] * 3 + [True] * 2

    @pytest.mark.parametrize(
        ("changes", "complaint"),
        [
            ({"test_target": None}, "no array test/target"),
            ({"train_data": None}, "no array train/data"),
            ({"train_data": np.full((3, 256), 1.01)}, "train/data has values outside"),
            ({"test_data": np.full((2, 256), -0.01)}, "test/data has values outside"),
            ({"train_data": np.full((3, 256), np.nan)}, "train/data has values outside"),
            ({"train_data": np.zeros((3, 255))}, "(3, 255)"),
            ({"train_data": np.zeros((2, 256))}, "asks for (3, 256)"),
            ({"train_data": np.zeros((3, 16, 16))}, "not the layout"),
            ({"train_data": np.zeros((3, 256), np.uint8)}, "not the layout"),
            ({"train_target": np.array([0.0, 1.0, 2.0])}, "not the layout"),
            ({"train_target": np.array([0, 1, 10])}, "train/target has values outside"),
            ({"train_target": np.array(["a", "b", "c"], "S1")}, "not the layout"),
            ({"train_target": np.zeros(100_001, int)}, "at most 100000 rows"),
        ],
    )
    def test_other_arrays_are_an_error(self, usps, changes, complaint):
        assert complaint in complaint_about(usps(**changes))

    @pytest.mark.parametrize("length", [0, 4, 100, 3000])
    def test_a_file_cut_short_is_an_error(self, usps, length):
        path = usps()
        path.write_bytes(path.read_bytes()[:length])
        assert "damaged" in complaint_about(path)

    def test_packed_rows_are_read_as_plain_ones(self, usps, arrays):
        plain = open_dataset(usps())
        path = usps(train_data=None)
        with h5py.File(path, "a") as file:
            rows = arrays["train/data"]
            file.create_dataset(
                "train/data", data=rows, chunks=(2, 64), compression="gzip", shuffle=True, fletcher32=True
            )
        assert open_dataset(path).digest == plain.digest

    def test_arrays_in_other_files_are_refused(self, usps, arrays, tmp_path):
        """They may be anybody's, or a named pipe on which reading never ends."""
        rows = arrays["train/data"]
        (tmp_path / "rows").write_bytes(rows.tobytes())
        with h5py.File(tmp_path / "other.h5", "w") as other:
            other["data"] = rows
        layout = h5py.VirtualLayout(rows.shape, rows.dtype)
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "data", rows.shape)
        external = [(str(tmp_path / "rows"), 0, rows.nbytes)]
        for put in (
            lambda file: file.create_dataset("train/data", rows.shape, rows.dtype, external=external),
            lambda file: file.create_virtual_dataset("train/data", layout),
            lambda file: file.update({"train/data": h5py.ExternalLink(str(tmp_path / "other.h5"), "data")}),
            lambda file: file["train"].__setitem__("data", h5py.SoftLink("/test/data")),
        ):
            path = usps(train_data=None)
            with h5py.File(path, "a") as file:
                put(file)
            assert "put the array itself into" in complaint_about(path)

    def test_a_chunk_that_is_larger_than_it_says_is_refused(self, usps):
        path = usps(train_data=None)
        with h5py.File(path, "a") as file:
            array = file.create_dataset("train/data", (3, 256), np.float32, chunks=(3, 256), compression="gzip")
            array.id.write_direct_chunk((0, 0), zlib.compress(bytes(10**8), 9))
        before = peak_memory()
        assert "has a chunk that is larger than it says" in complaint_about(path)
        assert before is None or peak_memory() - before < 5 * 10**7

    @pytest.mark.parametrize(
        ("how", "complaint"),
        [
            ({"maxshape": (None, 256), "chunks": (200_000, 256), "compression": "gzip"}, "chunks of (200000, 256)"),
            ({"chunks": (3, 256), "compression": "lzf"}, "save it plain or with gzip"),
            ({"chunks": (3, 256), "scaleoffset": 3}, "save it plain or with gzip"),
        ],
    )
    def test_chunks_that_are_too_large_or_packed_otherwise_are_refused(self, usps, how, complaint):
        path = usps(train_data=None)
        with h5py.File(path, "a") as file:
            file.create_dataset("train/data", (3, 256), np.float32, **how)
        assert complaint in complaint_about(path)

    def test_many_chunks_are_looked_at_in_one_pass(self, usps):
        path = usps(train_data=None, train_target=np.resize([4, 9], 16_000))
        with h5py.File(path, "a") as file:
            file.create_dataset("train/data", data=np.zeros((16_000, 256), "f4"), chunks=(1, 64), compression="gzip")
        with within(12):
            assert len(open_dataset(path)) == 16_002

    def test_more_chunks_than_the_library_bears_are_refused(self, usps):
        """Of 2 kB in the file, and of 4 kB in memory for each of them."""
        path = usps(train_data=None, train_target=np.resize([4, 9], 100_000))
        with h5py.File(path, "a") as file:
            file.create_dataset("train/data", (100_000, 256), np.float32, chunks=(1, 255))
        assert "train/data is in more than 100000 chunks" in complaint_about(path)


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


class TestClassFolders:
    def folders(self, *names: str) -> Files:
        return {f"{name}/{n}.png": png(pixels(len(name) + n)) for name in names for n in range(2)}

    @pytest.mark.parametrize("name", ["set.zip", "set"])
    @pytest.mark.parametrize("outer", ["", "crops/", "a/b/"])
    def test_folders_are_classes_at_any_depth(self, tmp_path, name, outer):
        files = self.folders(f"{outer}01", f"{outer}10") | {f"{outer}readme.txt": b"", "__MACOSX/x/a.png": b""}
        dataset = open_dataset(write(tmp_path / name, files))
        assert dataset.name == "set"
        assert dataset.labels == (CHINESE[1], CHINESE[10])
        assert dataset.targets.tolist() == [0, 0, 1, 1]
        assert (dataset.writers, dataset.samples, dataset.is_test) == (None, None, None)

    @pytest.mark.parametrize(
        ("names", "labels"),
        [
            (["05", "06"], LATIN[5:7]),
            (["5", "10"], (CHINESE[5], CHINESE[10])),
            (["五", "六"], CHINESE[5:7]),
            (["05", "五", "6"], CHINESE[5:7]),
            (["〇", "1"], CHINESE[:2]),
            (["٠", "1"], ARABIC_INDIC[:2]),
            (["0", "亿"], (CHINESE[0], CHINESE[14])),
            (["0100", "00010000"], (CHINESE[11], CHINESE[13])),
        ],
    )
    def test_a_character_settles_the_script_and_numbers_alone_are_latin_up_to_nine(self, tmp_path, names, labels):
        assert open_dataset(write(tmp_path / "set", self.folders(*names))).labels == labels

    def test_a_value_and_its_character_are_one_class(self, tmp_path):
        apart = {"05/a.png": png(pixels(0)), "五/b.png": png(pixels(1)), "六/a.png": png(pixels(2))}
        together = {"五/a.png": png(pixels(0)), "五/b.png": png(pixels(1)), "6/a.png": png(pixels(2))}
        dataset = open_dataset(write(tmp_path / "apart.zip", apart))
        assert dataset.targets.tolist() == [0, 0, 1]
        assert dataset.digest == open_dataset(write(tmp_path / "together", together)).digest

    @pytest.mark.parametrize(
        ("files", "complaint"),
        [
            ({"five/a.png": b""}, "the folder 'five' is not named by a numeral"),
            ({"a.png": b""}, "the outermost folder, which has pictures in it, is not named by a numeral"),
            ({"01/more/a.png": b""}, "the folder '01/more' is not named by a numeral"),
            ({"other/01/a.png": b""}, "class folders both in '.' and in 'other'"),
            ({"五/a.png": b"", "٦/a.png": b""}, "are of two scripts"),
            ({"11/a.png": b""}, "the folder '11' is none of the numerals 零一"),
            ({"٦/a.png": b"", "10/a.png": b""}, "the folder '10' is none of the numerals ٠١"),
            ({"01/damaged.png": png(pixels(0))[:-30]}, "'01/damaged.png': is damaged"),
            ({"01/large.png": png(pixels(0, 12))}, "mixed sizes: '01/large.png' is 12x12, '01/0.png' is 8x8"),
        ],
    )
    def test_what_does_not_fit_is_named(self, tmp_path, files, complaint):
        assert complaint in complaint_about(write(tmp_path / "set.zip", self.folders("01", "02") | files))

    def test_one_class_only(self, tmp_path):
        assert open_dataset(write(tmp_path / "set", self.folders("05"))).labels == LATIN[5:6]

    def test_pictures_too_small_to_read(self, tmp_path):
        files = {f"{n}/a.png": png(pixels(n, 7)) for n in range(2)}
        assert "7x7" in complaint_about(write(tmp_path / "set", files))


def test_folders_of_cheque_numerals_are_one_script_with_the_zero_of_both():
    from train_host.datasets.class_folders import choose_script

    assert choose_script(["零", "壹", "億"]) == TRADITIONAL
    assert choose_script(["零", "一"]) == choose_script(["零"]) == CHINESE
    with pytest.raises(DatasetError, match="of two scripts"):
        choose_script(["壹", "一"])
