"""USPS: an HDF5 file of four arrays."""

import zlib

import h5py
import numpy as np
import pytest
from dataset_files import complaint_about
from deadline import within

from edge_lpdpl.measure.machine import peak_memory
from edge_lpdpl.model.labels import LATIN
from train_host.datasets import open_dataset

pytestmark = pytest.mark.slow


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
        """Other files may be anyone's, or a named pipe on which reading never ends."""
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
        """The file has 2 kB; each chunk takes 4 kB of memory."""
        path = usps(train_data=None, train_target=np.resize([4, 9], 100_000))
        with h5py.File(path, "a") as file:
            file.create_dataset("train/data", (100_000, 256), np.float32, chunks=(1, 255))
        assert "train/data is in more than 100000 chunks" in complaint_about(path)
